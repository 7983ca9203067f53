import { ActionIcon, Menu } from '@mantine/core'
import type { Member } from 'credit-gateway-sdk'
import { Icon } from '../../components/icons.tsx'
import { useSession } from '../../session/session.tsx'

interface MemberActsProps {
  readonly member: Member
  readonly isMe: boolean
  readonly ask: (what: 'role' | 'remove') => void
  readonly resend: (member: Member) => void
}

/** What the person who is signed in may do with a member: only an OWNER touches OWNERs. */
export function MemberActs({ member, isMe, ask, resend }: MemberActsProps) {
  const { role, can } = useSession()
  if (!can('members:write') || (member.role === 'OWNER' && role !== 'OWNER')) return null
  return (
    <Menu
      {...{ position: 'bottom-end', shadow: 'md', withInitialFocusPlaceholder: false }}
      portalProps={{ target: 'main' }}
    >
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${member.email}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {member.state === 'invited' && (
          <Menu.Item onClick={() => resend(member)}>Send the invitation again</Menu.Item>
        )}
        <Menu.Item onClick={() => ask('role')}>Change the role</Menu.Item>
        <Menu.Item color="var(--alert)" onClick={() => ask('remove')}>
          {isMe ? 'Leave the account' : 'Remove'}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
