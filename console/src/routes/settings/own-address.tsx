import { Button, Text, TextInput } from '@mantine/core'
import type { PasskeyList } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway } from '../../api.ts'
import { FormDialog, textOf } from '../../components/forms/form-dialog.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'
import { tell } from '../../data/tell.ts'
import { useSession } from '../../session/session.tsx'

/** The address with which the member signs in. Keys, and people of a portal link, have none. */
export function OwnAddress() {
  const { actor, role, environment } = useSession()
  const [isOpen, setOpen] = useState(false)
  const change = useAct(async (email: string) => {
    await acting.account.changeMyself({ email })
    setOpen(false)
    await tell(`Follow the link in the mail to ${email}. Until then nothing changes.`)
  })
  // Only members have such a list.
  const { data: ofMember } = useRead<PasskeyList>(
    ['passkeys'],
    (options) => gateway.account.listPasskeys({}, options),
    { isEnabled: role !== null && environment === 'live' },
  )
  const errors = fieldErrors(change.problem)
  if (!ofMember) return null
  return (
    <Card title="Your address">
      <div className="card-body stack">
        <p className="quiet">
          You are signed in as {actor}. A member signs in by mail with this address, once it is
          confirmed.
        </p>
        <div>
          <Button variant="default" onClick={() => setOpen(true)}>
            Change or confirm
          </Button>
        </div>
      </div>
      {isOpen && (
        <FormDialog
          {...{ title: 'Your address', submit: 'Mail me a link', onClose: () => setOpen(false) }}
          {...{ isBusy: change.isBusy, problem: change.problem, fields: ['email'] }}
          onSubmit={(values) => void change.run(textOf(values, 'email') ?? '')}
        >
          <Text size="sm">
            Enter the new address, or this one if it is not confirmed yet. It counts once you have
            followed the link that we mail to it.
          </Text>
          <TextInput
            {...{ name: 'email', label: 'Mail address', type: 'email', required: true }}
            {...{ error: errors.email, 'data-autofocus': true, autoComplete: 'email' }}
            defaultValue={actor ?? ''}
          />
        </FormDialog>
      )}
    </Card>
  )
}
