import { Select } from '@mantine/core'
import type { Member } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting } from '../../api.ts'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { useAct } from '../../data/act.ts'
import { useSession } from '../../session/session.tsx'
import { refresh } from './refresh.ts'
import { givable, type Role } from './roles.ts'

interface RoleDialogProps {
  readonly member: Member
  readonly onClose: () => void
}

/** Changes the role of a member or of an invitation. */
export function RoleDialog({ member, onClose }: RoleDialogProps) {
  const { role: own } = useSession()
  const [role, setRole] = useState<Role>(member.role)
  const change = useAct(async () => {
    await acting.account.changeMember({ member_id: member.id, role })
    await refresh()
    onClose()
  })
  return (
    <FormDialog
      {...{ title: `The role of ${member.email}`, submit: 'Save', onClose }}
      {...{ isBusy: change.isBusy, problem: change.problem }}
      onSubmit={() => void change.run()}
    >
      <p>The role counts at once, in every browser of this person.</p>
      <Select
        {...{ label: 'Role', data: givable(own), value: role, allowDeselect: false }}
        onChange={(value) => setRole((value ?? role) as Role)}
      />
    </FormDialog>
  )
}
