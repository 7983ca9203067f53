import { Button, Text, TextInput } from '@mantine/core'
import type { Passkey, PasskeyList } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, queries } from '../../api.ts'
import { Confirm } from '../../components/forms/confirm.tsx'
import { FormDialog, textOf } from '../../components/forms/form-dialog.tsx'
import { Icon } from '../../components/icons.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useAct } from '../../data/act.ts'
import { useOwnPasskeys, whyLockedOut } from '../../data/own-passkeys.ts'
import { tell } from '../../data/tell.ts'
import { addPasskey } from '../../session/passkeys.ts'
import { isRefusedAs, useSession } from '../../session/session.tsx'

const renew = () => queries.invalidateQueries({ queryKey: ['passkeys'] })

/** The passkeys of the member who is signed in. Keys, and people of a portal link, have none. */
export function Passkeys() {
  const [asked, setAsked] = useState<Passkey | 'add' | null>(null)
  const list = useOwnPasskeys()
  if (!list.data && !list.error) return null
  if (isRefusedAs(list.error, 404)) return null
  const unavailable = list.data?.unavailable ?? null
  return (
    <Card
      title="Passkeys"
      actions={
        <Button
          {...{ variant: 'default', size: 'xs', disabled: !list.data || unavailable !== null }}
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => setAsked('add')}
        >
          Add a passkey
        </Button>
      }
    >
      {list.error && (
        <div className="card-body">
          <ProblemNotice error={list.error} retry={() => void list.refetch()} />
        </div>
      )}
      {list.data && <Notices list={list.data} />}
      {list.data && list.data.items.length > 0 && (
        <Table
          {...{ name: 'passkeys', items: list.data.items, columns: columnsWith(setAsked) }}
          keyOf={({ id }) => id}
        />
      )}
      {asked === 'add' && <AddPasskey onClose={() => setAsked(null)} />}
      {asked !== null && asked !== 'add' && (
        <RemovePasskey passkey={asked} onClose={() => setAsked(null)} />
      )}
    </Card>
  )
}

function Notices({ list }: { readonly list: PasskeyList }) {
  const { items, unavailable, removable_from: from, removable_until: until } = list
  const lockedOut = whyLockedOut(list)
  if (items.length > 0 && unavailable === null && from === null && lockedOut === null) return null
  return (
    <div className="card-body stack">
      {lockedOut !== null && (
        <div className="notice" data-kind="caution" role="status">
          {lockedOut} Otherwise you cannot sign in again once this session ends.
        </div>
      )}
      {unavailable !== null && (
        <div className="notice" data-kind="caution">
          {unavailable}
        </div>
      )}
      {from !== null && until !== null && (
        <div className="notice" data-kind="caution" role="status">
          Somebody who signed in without a passkey has asked to remove one. From <Time at={from} />{' '}
          until <Time at={until} /> that is possible. If this was not you, sign in with a passkey:
          that ends it.
        </div>
      )}
      {items.length === 0 && unavailable === null && (
        <Text size="sm" c="dimmed">
          None yet. With a passkey you sign in by finger, face or PIN, and nobody who reads your
          mails can sign in as you.
        </Text>
      )}
    </div>
  )
}

function columnsWith(remove: (passkey: Passkey) => void): readonly Column<Passkey>[] {
  return [
    {
      label: 'Name',
      cell: ({ name, disabled_at: disabled }) => (
        <>
          {name} {disabled && <Status tone="alert">disabled, may be copied</Status>}
        </>
      ),
    },
    { label: 'Added', cell: ({ created_at: at }) => <Time at={at} as="day" /> },
    {
      label: 'Last used',
      cell: ({ last_used_at: at }) =>
        at ? <Time at={at} as="relative" /> : <span className="quiet">never</span>,
    },
    {
      ...{ label: '', isRight: true },
      cell: (passkey) => (
        <Button
          {...{ variant: 'default', size: 'compact-xs', 'aria-label': `Remove ${passkey.name}` }}
          onClick={() => remove(passkey)}
        >
          Remove
        </Button>
      ),
    },
  ]
}

function AddPasskey({ onClose }: { readonly onClose: () => void }) {
  const add = useAct(async (name: string) => {
    await addPasskey(name)
    await renew()
    await tell('The passkey was added.')
    return true
  })
  return (
    <FormDialog
      {...{ title: 'Add a passkey', submit: 'Continue', onClose }}
      {...{ isBusy: add.isBusy, problem: add.problem }}
      onSubmit={async (values) => {
        if (await add.run(textOf(values, 'name') ?? '')) onClose()
      }}
    >
      <Text size="sm">
        Your browser asks next. You, and the OWNERs of your accounts, get a mail about it.
      </Text>
      <TextInput
        {...{ name: 'name', label: 'Name', required: true, maxLength: 100 }}
        {...{ placeholder: 'My laptop', 'data-autofocus': true, autoComplete: 'off' }}
      />
    </FormDialog>
  )
}

interface RemoveProps {
  readonly passkey: Passkey
  readonly onClose: () => void
}

function RemovePasskey({ passkey: { id, name }, onClose }: RemoveProps) {
  const { step_up_until: proofEnds } = useSession()
  const remove = useAct(async () => {
    const { data } = await acting.account.removePasskey({ passkey_id: id })
    await renew()
    await tell(
      data.removable_from === null
        ? 'The passkey was removed.'
        : 'You have signed in without a passkey, so this takes 24 hours. You get a mail about it.',
    )
    return true
  })
  return (
    <Confirm
      {...{ title: `Remove ${name}?`, action: 'Remove', onClose }}
      {...{ isBusy: remove.isBusy, problem: remove.problem }}
      onConfirm={async () => {
        if (await remove.run()) onClose()
      }}
    >
      <Text size="sm">
        {proofEnds === null
          ? 'You have signed in without a passkey. Ask now, and remove it in 24 hours. You and the OWNERs of your accounts get a mail.'
          : 'Nobody can sign in with it any more. The device still shows it until you remove it there.'}
      </Text>
    </Confirm>
  )
}
