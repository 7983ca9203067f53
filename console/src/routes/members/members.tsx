import type { Member } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway } from '../../api.ts'
import { None } from '../../components/figures.tsx'
import { OneTimeSecret } from '../../components/forms/one-time-secret.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { Icon } from '../../components/icons.tsx'
import { type Column, List } from '../../components/list.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useAct } from '../../data/act.ts'
import { useList } from '../../data/read.ts'
import { tell } from '../../data/tell.ts'
import { useSession } from '../../session/session.tsx'
import { InviteMember } from './invite-member.tsx'
import { MemberActs } from './member-acts.tsx'
import { refresh } from './refresh.ts'
import { RemoveMember } from './remove-member.tsx'
import { RoleDialog } from './role-dialog.tsx'
import { SignInSetting } from './sign-in-setting.tsx'

const states = {
  invited: ['quiet', 'invited'],
  unconfirmed: ['caution', 'address not confirmed'],
  active: ['good', 'active'],
} as const

type Asked =
  | { readonly what: 'invite' }
  | { readonly what: 'role' | 'remove'; readonly member: Member }

const membersScope = 'members:write'

/** The people of the account, and those who are invited. */
export default function Members() {
  const { actor } = useSession()
  const [asked, setAsked] = useState<Asked | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const page = useList<Member>(
    ['members'],
    (input, options) => gateway.account.listMembers(input, options),
    { scopes: ['members:read'] },
  )
  const resend = useAct(async ({ id, email }: Member) => {
    const { data } = await acting.account.resendInvitation({ member_id: id })
    await refresh()
    if (data.link) setLink(data.link)
    else await tell(`A new invitation goes to ${email}. The earlier link no longer works.`)
  })
  const close = () => setAsked(null)
  return (
    <Screen
      title="Members"
      actions={
        <PermittedButton
          scope={membersScope}
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => setAsked({ what: 'invite' })}
        >
          Invite
        </PermittedButton>
      }
    >
      <div className="stack">
        <Card title="People of this account">
          {resend.problem && <ProblemNotice error={resend.problem} />}
          <List
            {...{ name: 'members', page, keyOf: ({ id }: Member) => id }}
            columns={columnsWith(actor, setAsked, (member) => void resend.run(member))}
            empty="No members yet. Invite someone, and they get a link by e-mail."
          />
        </Card>
        <SignInSetting />
      </div>
      {asked?.what === 'invite' && (
        <InviteMember
          onClose={close}
          onDone={(made) => {
            close()
            setLink(made.link ?? null)
          }}
        />
      )}
      {asked?.what === 'role' && <RoleDialog member={asked.member} onClose={close} />}
      {asked?.what === 'remove' && <RemoveMember member={asked.member} onClose={close} />}
      {link !== null && (
        <OneTimeSecret
          title="The link of the invitation"
          advice="This gateway sends no mails. Give the link to the person yourself: it works once, within 7 days."
          values={[['Link', link]]}
          onClose={() => setLink(null)}
        />
      )}
    </Screen>
  )
}

function columnsWith(
  actor: string | null,
  ask: (asked: Asked) => void,
  resend: (member: Member) => void,
): readonly Column<Member>[] {
  return [
    {
      label: 'Person',
      cell: ({ name, email }) => (
        <>
          {name ?? email}
          {email === actor && <span className="quiet"> (you)</span>}
          {name && <div className="quiet small">{email}</div>}
        </>
      ),
    },
    { label: 'Role', cell: ({ role }) => role },
    {
      label: 'State',
      cell: ({ state }) => <Status tone={states[state][0]}>{states[state][1]}</Status>,
    },
    {
      label: 'Passkeys',
      onPhone: 'line',
      isRight: true,
      cell: ({ passkeys }) => passkeys || <None />,
    },
    { label: 'Invited by', cell: ({ invited_by: by }) => by ?? 'the provider' },
    {
      label: 'Link ends',
      cell: ({ expires_at: at }) => (at ? <Time at={at} as="day" /> : <None />),
    },
    { label: 'Since', cell: ({ created_at: at }) => <Time at={at} as="day" /> },
    {
      ...{ label: '', isRight: true },
      cell: (member) => (
        <MemberActs
          {...{ member, isMe: member.email === actor, resend }}
          ask={(what) => ask({ what, member })}
        />
      ),
    },
  ]
}
