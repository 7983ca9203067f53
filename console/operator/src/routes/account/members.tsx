import type { MemberState } from '../../../../../schema/generated/operator-operations.ts'
import { type Column, List } from '../../../../src/components/list.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Status, type Tone } from '../../../../src/components/status.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { EndSessionsButton } from '../../acts/end-sessions.tsx'
import type { Body } from '../../api.ts'
import { Dash } from '../../components/dash.tsx'
import { useAskedPage } from '../../data/read.ts'
import { useMay } from '../../data/role.ts'
import { type Session, whoOf } from '../../data/shown.ts'
import { stateOf, useWhere } from '../../data/where.ts'

type Member = NonNullable<Body<'AccountMembers'>>['members']['nodes'][number]

const states: Readonly<Record<MemberState, readonly [Tone, string]>> = {
  invited: ['quiet', 'invited'],
  unconfirmed: ['caution', 'address not confirmed'],
  active: ['good', 'active'],
}

const columns: readonly Column<Member>[] = [
  {
    label: 'Person',
    cell: ({ name, email }) => (
      <>
        <b>{name ?? email}</b>
        {name && <div className="quiet small">{email}</div>}
      </>
    ),
  },
  { label: 'Role', onPhone: 'side', cell: ({ role }) => role },
  {
    label: 'State',
    cell: ({ state }) => <Status tone={states[state][0]}>{states[state][1]}</Status>,
  },
  { label: 'Passkeys', isRight: true, onPhone: 'line', cell: ({ passkeys }) => String(passkeys) },
  { label: 'Invited by', cell: ({ invitedBy }) => invitedBy ?? <Dash /> },
  { label: 'Since', cell: ({ createdAt }) => <Time at={createdAt} as="day" /> },
]

/** The people of the account, and who is signed in. */
export function Members() {
  const where = useWhere()
  const page = useAskedPage('AccountMembers', { id: where.id }, (body) => body?.members)
  return (
    <>
      <Card title="People">
        <List
          {...{ name: 'members', page, columns, keyOf: ({ id }: Member) => id }}
          empty="Nobody is a member. Whoever holds a key can sign in with it."
        />
      </Card>
      <Sessions />
    </>
  )
}

function Sessions() {
  const where = useWhere()
  const may = useMay()
  const page = useAskedPage('AccountSessions', stateOf(where), (body) => body?.sessions, {
    cursorName: 'sessions',
  })
  const isSomebodyIn = (page.data?.items.length ?? 0) > 0
  const ending: Column<Session> = {
    ...{ label: '', isRight: true },
    cell: (session) => <EndSessionsButton accountId={where.id} session={session} />,
  }
  return (
    <Card
      title="Open sessions"
      actions={isSomebodyIn && may('endSessions') && <EndSessionsButton accountId={where.id} />}
    >
      <List
        {...{
          name: 'sessions',
          page,
          keyOf: ({ id }: Session) => id,
          empty: 'Nobody is signed in.',
        }}
        columns={may('endSessions') ? [...sessionColumns, ending] : sessionColumns}
      />
    </Card>
  )
}

const sessionColumns: readonly Column<Session>[] = [
  {
    label: 'Who',
    cell: (session) => (
      <>
        <b>{whoOf(session)}</b> {session.role && <span className="quiet">{session.role}</span>}
      </>
    ),
  },
  { label: 'Address', cell: ({ address }) => <span className="mono">{address ?? '–'}</span> },
  { label: 'Signed in', cell: ({ createdAt: at }) => <Time at={at} as="relative" /> },
  { label: 'Ends', cell: ({ expiresAt: at }) => <Time at={at} as="relative" /> },
]
