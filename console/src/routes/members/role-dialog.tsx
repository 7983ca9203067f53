import { Text } from '@mantine/core'
import type { Member } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting } from '../../api.ts'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { useAct } from '../../data/act.ts'
import { refresh } from './refresh.ts'
import { RoleChoice } from './role-choice.tsx'
import type { Role } from './roles.ts'

interface RoleDialogProps {
  readonly member: Member
  readonly onClose: () => void
}

/** Changes the role of a member or of an invitation. */
export function RoleDialog({ member, onClose }: RoleDialogProps) {
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
      <Text size="sm">The new role counts at once, in every browser of this person.</Text>
      <RoleChoice value={role} onChange={setRole} />
    </FormDialog>
  )
}
