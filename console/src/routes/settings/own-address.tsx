import { Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { acting } from '../../api.ts'
import { FormDialog, textOf } from '../../components/forms/form-dialog.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { useAct } from '../../data/act.ts'
import { useOwnPasskeys } from '../../data/own-passkeys.ts'
import { tell } from '../../data/tell.ts'
import { useSession } from '../../session/session.tsx'

/** The address with which the member signs in. Keys, and people of a portal link, have none. */
export function OwnAddress() {
  const { actor } = useSession()
  const [isOpen, setOpen] = useState(false)
  const change = useAct(async (email: string) => {
    await acting.account.changeMyself({ email })
    setOpen(false)
    await tell(`Follow the link in the mail to ${email}. Until then nothing changes.`)
  })
  // Only members have such a list.
  const { data: ofMember } = useOwnPasskeys()
  const errors = fieldErrors(change.problem)
  if (!ofMember) return null
  const isUnconfirmed = ofMember.mail_sign_in === 'unconfirmed'
  return (
    <Card title="Your address">
      <div className="card-body stack">
        <p>
          <b>{actor}</b>{' '}
          {isUnconfirmed ? (
            <Status tone="caution">not confirmed</Status>
          ) : (
            ofMember.mail_sign_in === 'possible' && (
              <span className="quiet">You sign in by mail with this address.</span>
            )
          )}
        </p>
        <div>
          <Button variant={isUnconfirmed ? 'filled' : 'default'} onClick={() => setOpen(true)}>
            {isUnconfirmed ? 'Confirm the address' : 'Change the address'}
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
            {isUnconfirmed ? 'Keep this address, or enter another one.' : 'Enter the new address.'}{' '}
            It counts once you have followed the link that we mail to it.
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
