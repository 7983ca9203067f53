import { Button, Drawer, Group, Modal, Select, Stack, Text, Title } from '@mantine/core'
import type { ApiKey } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, queries } from '../../api.ts'
import { Confirm } from '../../components/forms/confirm.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { Time } from '../../components/time.tsx'
import { type Act, useAct } from '../../data/act.ts'
import { tell } from '../../data/tell.ts'
import { useSession } from '../../session/session.tsx'
import { DisableKey } from './disable-key.tsx'
import { changesOf, inputOf, KeyForm, type KeyInput } from './key-form.tsx'
import { KeySecret } from './key-secret.tsx'

type Open = 'edit' | 'disable' | 'rotate' | 'revoke' | null

const graces = [
  { value: '0', label: 'ends at once' },
  { value: '3600', label: 'works for 1 hour more' },
  { value: '86400', label: 'works for 1 day more' },
  { value: '604800', label: 'works for 7 days more' },
]

/** The actions on one key. */
export function KeyActions({ apiKey }: { readonly apiKey: ApiKey }) {
  const session = useSession()
  const [open, setOpen] = useState<Open>(null)
  const [plaintext, setPlaintext] = useState<string | null>(null)
  const isMine = session.key_id === apiKey.id

  async function done(message: string) {
    setOpen(null)
    for (const name of ['keys', 'external-ids']) {
      await queries.invalidateQueries({ queryKey: [name] })
    }
    await tell(message)
  }
  const { edit, enable, rotate, revoke } = useChanges(apiKey, done, setPlaintext)
  const close = () => {
    setOpen(null)
    for (const act of [edit, rotate, revoke]) act.reset()
  }
  const secret = plaintext !== null && (
    <KeySecret
      {...{ plaintext, scopes: apiKey.scopes, advice: 'Put it in place of the old one.' }}
      onClose={() => setPlaintext(null)}
    />
  )
  if (!session.can('keys:write') || apiKey.status !== 'active') return secret || null
  return (
    <>
      <Button variant="default" onClick={() => setOpen('edit')}>
        Edit
      </Button>
      <Button
        variant="default"
        loading={enable.isBusy}
        onClick={() => (apiKey.enabled ? setOpen('disable') : void enable.run())}
      >
        {apiKey.enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button variant="default" onClick={() => setOpen('rotate')}>
        Rotate
      </Button>
      <Button variant="outline" color="red" onClick={() => setOpen('revoke')}>
        Revoke
      </Button>
      {enable.problem && <ProblemNotice error={enable.problem} />}
      <Editing {...{ apiKey, act: edit, onClose: close }} isOpen={open === 'edit'} />
      <Rotation {...{ isMine, onClose: close, act: rotate }} isOpen={open === 'rotate'} />
      {open === 'disable' && (
        <DisableKey {...{ apiKey, warning: isMine && <EndsSession />, onClose: close }} />
      )}
      {open === 'revoke' && <Revocation {...{ apiKey, isMine, onClose: close, act: revoke }} />}
      {secret}
    </>
  )
}

/** The changes of one key. `done` is told of each, and `show` gets the plaintext of a new key. */
function useChanges(
  apiKey: ApiKey,
  done: (message: string) => Promise<void>,
  show: (plaintext: string) => void,
) {
  const edit = useAct(async (input: KeyInput) => {
    const changes = changesOf(inputOf(apiKey), input)
    const sent = { key_id: apiKey.id, ...changes }
    await acting.keys.change(sent as Parameters<typeof acting.keys.change>[0])
    await done('The key was changed.')
  })
  const enable = useAct(async () => {
    await acting.keys.change({ key_id: apiKey.id, enabled: true })
    await done('The key is enabled.')
  })
  const rotate = useAct(async (graceSeconds: number) => {
    const sent = { key_id: apiKey.id, grace_seconds: graceSeconds }
    const { data } = await acting.keys.rotate(sent)
    show(data.plaintext)
    await done('The key was replaced.')
  })
  const revoke = useAct(async () => {
    await acting.keys.revoke({ key_id: apiKey.id })
    await done('The key was revoked.')
  })
  return { edit, enable, rotate, revoke }
}

interface EditingProps {
  readonly apiKey: ApiKey
  readonly isOpen: boolean
  readonly act: Act<KeyInput, void>
  readonly onClose: () => void
}

function Editing({ apiKey, isOpen, act, onClose }: EditingProps) {
  return (
    <Drawer opened={isOpen} onClose={onClose} title={<Title order={2}>Edit the key</Title>}>
      <KeyForm
        {...{
          initial: inputOf(apiKey),
          action: 'Save',
          isBusy: act.isBusy,
          problem: act.problem,
        }}
        onSubmit={(input) => void act.run(input)}
        onCancel={onClose}
      />
    </Drawer>
  )
}

interface ActionProps<Input> {
  /** Whether the browser is signed in with this key. */
  readonly isMine: boolean
  readonly act: Act<Input, void>
  readonly onClose: () => void
}

interface RotationProps extends ActionProps<number> {
  readonly isOpen: boolean
}

function Rotation({ isMine, isOpen, act, onClose }: RotationProps) {
  const [grace, setGrace] = useState('86400')
  return (
    <Modal opened={isOpen} onClose={onClose} title="Replace this key?">
      <Stack gap="md">
        <Text size="sm">
          A new key with the same name, scopes and limits replaces it. Until the old one ends, both
          work and spend from the same budgets.
        </Text>
        <Select
          {...{ label: 'The old key', data: graces, value: grace, allowDeselect: false }}
          onChange={(value) => setGrace(value ?? '0')}
        />
        {isMine && <EndsSession />}
        {act.problem && <ProblemNotice error={act.problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={act.isBusy} onClick={() => void act.run(Number(grace))}>
            Replace
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

interface RevocationProps extends ActionProps<void> {
  readonly apiKey: ApiKey
}

function Revocation({ apiKey, isMine, act, onClose }: RevocationProps) {
  return (
    <Confirm
      {...{ title: 'Revoke this key?', action: 'Revoke', name: apiKey.name, onClose }}
      {...{
        isBusy: act.isBusy,
        problem: act.problem,
        onConfirm: () => void act.run(),
      }}
    >
      <Text size="sm">
        Calls with it are refused from now on, for good.{' '}
        {apiKey.last_used_at ? (
          <>
            It was last used <Time at={apiKey.last_used_at} as="relative" />.
          </>
        ) : (
          'It was never used.'
        )}
      </Text>
      {isMine && <EndsSession />}
    </Confirm>
  )
}

function EndsSession() {
  return (
    <Text size="sm" mt="xs" c="red">
      You are signed in with this key: your session ends with it.
    </Text>
  )
}
