import { Button, Text } from '@mantine/core'
import type { Session } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway, queries } from '../../api.ts'
import { Confirm } from '../../components/forms/confirm.tsx'
import { type Column, List } from '../../components/list.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useAct } from '../../data/act.ts'
import { useList } from '../../data/read.ts'
import { tell } from '../../data/tell.ts'
import { useSession } from '../../session/session.tsx'

/** The open sessions, with buttons that end them. */
export function Sessions() {
  const session = useSession()
  const [isAsking, setAsking] = useState(false)
  const page = useList<Session>(['sessions'], (input, options) =>
    gateway.account.listSessions(input, options),
  )
  const renew = () => queries.invalidateQueries({ queryKey: ['sessions'] })
  const end = useAct(async (one: Session) => {
    if (one.is_current) return session.signOut()
    await acting.account.endOneSession({ session_id: one.id })
    await renew()
  })
  const endOthers = useAct(async () => {
    const { data } = await acting.account.endOtherSessions()
    setAsking(false)
    await renew()
    await tell(
      data.ended === 1
        ? 'One other session was ended.'
        : `${data.ended} other sessions were ended.`,
    )
  })
  return (
    <Card
      title="Sessions"
      actions={
        <Button variant="default" size="xs" onClick={() => setAsking(true)}>
          End all others
        </Button>
      }
    >
      {end.problem && (
        <div className="card-body">
          <ProblemNotice error={end.problem} />
        </div>
      )}
      <List<Session>
        {...{ name: 'sessions', page }}
        columns={columns(
          (one) => void end.run(one),
          (one) => mayEnd(session, one),
        )}
        {...{ keyOf: ({ id }: Session) => id, empty: 'Nobody is signed in.' }}
      />
      {isAsking && (
        <Confirm
          {...{ title: 'End all other sessions?', action: 'End them', isBusy: endOthers.isBusy }}
          {...{ problem: endOthers.problem, onConfirm: () => void endOthers.run() }}
          onClose={() => setAsking(false)}
        >
          <Text size="sm">
            Every other browser that you may sign out must sign in again. API keys are not touched.
          </Text>
        </Confirm>
      )}
    </Card>
  )
}

/** Whose sessions one may end: the own ones, those of keys, and those of people whom one may remove. */
function mayEnd({ role, actor, can }: ReturnType<typeof useSession>, one: Session): boolean {
  if (one.role === null || (one.role === role && one.actor === actor)) return true
  const manages = role === null ? can('*') : can('members:write')
  return manages && (role !== 'ADMIN' || one.role !== 'OWNER')
}

function columns(
  end: (session: Session) => void,
  isEndable: (session: Session) => boolean,
): readonly Column<Session>[] {
  return [
    {
      label: 'Who',
      cell: ({ actor, role, key_name: keyName, key_id: keyId, is_current: isCurrent }) => (
        <>
          <b>{actor ?? keyName ?? keyId}</b> {role && <span className="quiet">{role}</span>}{' '}
          {isCurrent && <Status tone="good">this one</Status>}
        </>
      ),
    },
    { label: 'Address', cell: ({ address }) => <span className="mono">{address ?? '–'}</span> },
    { label: 'Signed in', cell: ({ created_at: at }) => <Time at={at} as="relative" /> },
    { label: 'Ends', cell: ({ expires_at: at }) => <Time at={at} as="relative" /> },
    {
      ...{ label: '', isRight: true },
      cell: (one) =>
        isEndable(one) && (
          <Button variant="default" size="compact-xs" onClick={() => end(one)}>
            {one.is_current ? 'Sign out' : 'End'}
          </Button>
        ),
    },
  ]
}
