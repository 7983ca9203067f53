import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useRef } from 'react'
import { CopyButton } from '../../../src/components/copy.tsx'
import { textOf } from '../../../src/components/forms/forms.ts'
import { ProblemNotice } from '../../../src/components/problem.tsx'
import { root } from '../../../src/place.ts'
import { ask, type SignInMethod } from '../api.ts'
import { useAct } from '../data/act.ts'
import { linkCommand } from '../routes/doors/link-command.ts'
import { signInAddress } from '../routes/doors/sign-in-address.ts'
import { secretIn } from '../session/link.ts'
import { renewMe, useOperator } from '../session/session.tsx'

interface DialogProps {
  readonly methods: readonly SignInMethod[]
  readonly onEnd: (isProven: boolean) => void
}

/** Asks for the kind of proof that the refusal names. */
export default function StepUpDialog({ methods, onEnd }: DialogProps) {
  return (
    <Modal opened onClose={() => onEnd(false)} title="Prove that it is you" size="lg">
      {methods.includes('oidc') ? <ProviderProof onEnd={onEnd} /> : <LinkProof onEnd={onEnd} />}
    </Modal>
  )
}

type ProofProps = Pick<DialogProps, 'onEnd'>

/** The provider of identities asks again, and sends the browser back to this page. */
function ProviderProof({ onEnd }: ProofProps) {
  return (
    <Stack gap="md">
      <Text size="sm">
        Your last sign-in was more than 15 minutes ago, and nothing has changed yet. Sign in again:
        you come back to this screen, and repeat the act there.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => onEnd(false)}>
          Cancel
        </Button>
        <Button component="a" href={signInAddress({ isProof: true })}>
          Sign in again
        </Button>
      </Group>
    </Stack>
  )
}

const watchMs = 2000

/** A new link proves the operator: pasted here, or opened in another tab, which this page notices. */
function LinkProof({ onEnd }: ProofProps) {
  const { name, role, provenAt, isProofFresh } = useOperator()
  const before = useRef(provenAt)
  const command = linkCommand(role, name)
  const prove = useAct(async (token: string) => {
    await ask('StepUp', { token })
    await renewMe()
    onEnd(true)
  })
  const isProven = provenAt !== before.current && isProofFresh
  useEffect(() => {
    if (isProven) onEnd(true)
  }, [isProven, onEnd])
  useEffect(() => {
    const timer = setInterval(() => void renewMe(), watchMs)
    return () => clearInterval(timer)
  }, [])
  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    // React passes the event on to the form of the act.
    event.stopPropagation()
    void prove.run(secretIn(textOf(new FormData(event.currentTarget), 'link') ?? ''))
  }
  return (
    <form onSubmit={send}>
      <Stack gap="md">
        <Text size="sm">
          Your last sign-in was more than 15 minutes ago. Run this where the gateway runs, and paste
          the link here or open it in this browser:
        </Text>
        <Group wrap="nowrap" align="start" gap="xs">
          <code className="code grow">{command}</code>
          <CopyButton text={command} what="command" />
        </Group>
        <TextInput
          {...{ name: 'link', label: 'Link', required: true, withAsterisk: false }}
          {...{ 'data-autofocus': true, placeholder: `${root.origin}/operator#token=…` }}
        />
        {prove.problem && <ProblemNotice error={prove.problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => onEnd(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={prove.isBusy}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
