import { Radio, Stack } from '@mantine/core'
import { useSession } from '../../session/session.tsx'
import { type Role, roles } from './roles.ts'

interface RoleChoiceProps {
  readonly value: Role
  readonly onChange: (role: Role) => void
  readonly error?: string | undefined
}

/** The roles that the person who is signed in may give, each with what it permits. */
export function RoleChoice({ value, onChange, error }: RoleChoiceProps) {
  const { role: own } = useSession()
  const givable = roles.filter((role) => own === 'OWNER' || role.value !== 'OWNER')
  return (
    <Radio.Group
      {...{ label: 'Role', value, error }}
      onChange={(chosen) => onChange(chosen as Role)}
    >
      <Stack gap="xs" mt="xs">
        {givable.map((role) => (
          <Radio
            key={role.value}
            {...{ value: role.value, label: role.value, description: role.permits }}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}
