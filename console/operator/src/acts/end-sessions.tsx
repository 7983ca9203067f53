import { integer } from '../../../src/format/numbers.ts'
import { ask } from '../api.ts'
import { actMs } from '../data/act.ts'
import { type Session, whoOf } from '../data/shown.ts'
import { ActButton } from './act-button.tsx'
import { ActDialog } from './act-dialog.tsx'

interface EndSessionsProps {
  readonly accountId: string
  /** Only this one; otherwise all of the account. */
  readonly session?: Session
}

/** Signs one browser out, or all of an account. */
export function EndSessionsButton({ accountId, session }: EndSessionsProps) {
  const title = session ? 'End a session' : 'End all sessions'
  return (
    <ActButton
      label={session ? 'End' : 'End all'}
      {...(session ? {} : { size: 'xs' })}
      dialog={(onClose) => (
        <ActDialog
          {...{ title, submit: 'End', isDangerous: true, onClose }}
          changes={[
            { what: session ? 'The session' : 'Every session', before: 'open', after: 'ended' },
          ]}
          act={(sent) => {
            const input = { ...sent, accountId, sessionId: session?.id ?? null }
            return ask('EndSessions', { input }, { timeoutMs: actMs })
          }}
          changed={({ openBefore, openAfter }) => [
            { what: 'Open sessions', before: integer(openBefore), after: integer(openAfter) },
          ]}
        >
          <p>
            {session
              ? `${whoOf(session)} must sign in again.`
              : 'Everybody must sign in again, in both environments.'}{' '}
            API keys are not touched.
          </p>
        </ActDialog>
      )}
    />
  )
}
