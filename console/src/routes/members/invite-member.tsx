import { TextInput } from '@mantine/core'
import type { InvitedMember } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting } from '../../api.ts'
import { FormDialog, textOf } from '../../components/forms/form-dialog.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { tell } from '../../data/tell.ts'
import { refresh } from './refresh.ts'
import { RoleChoice } from './role-choice.tsx'
import type { Role } from './roles.ts'

interface InviteMemberProps {
  readonly onClose: () => void
  readonly onDone: (made: InvitedMember) => void
}

/** Invites a person. Where no mails are sent, the answer has the link. */
export function InviteMember({ onClose, onDone }: InviteMemberProps) {
  const [role, setRole] = useState<Role>('DEVELOPER')
  const invite = useAct(async (email: string) => {
    const { data } = await acting.account.inviteMember({ email, role })
    await refresh()
    if (!data.link) await tell(`${data.email} is invited. The link works once, within 7 days.`)
    onDone(data)
  })
  const errors = fieldErrors(invite.problem)
  return (
    <FormDialog
      {...{ title: 'Invite a person', submit: 'Invite', onClose }}
      {...{ isBusy: invite.isBusy, problem: invite.problem, fields: ['email', 'role'] }}
      onSubmit={(values) => void invite.run(textOf(values, 'email') ?? '')}
    >
      <TextInput
        {...{ name: 'email', label: 'Mail address', type: 'email', required: true }}
        {...{ error: errors.email, 'data-autofocus': true, autoComplete: 'off' }}
      />
      <RoleChoice value={role} onChange={setRole} error={errors.role} />
    </FormDialog>
  )
}
