import { Button } from '@mantine/core'
import { ProblemNotice } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { signOut } from '../../session/session.tsx'
import { Door } from './door.tsx'

/** The page for people whose account is suspended. It gives way by itself when the account is active again. */
export function SuspendedPage({ contact }: { readonly contact: string | null }) {
  const leave = useAct(signOut)
  return (
    <Door title="This account is suspended">
      <p>
        The provider has suspended the account that you are signed in to. Until it is active again,
        its keys and sessions are refused. Nothing is deleted.
      </p>
      <p>
        {contact === null ? (
          'Ask your provider about it.'
        ) : (
          <>
            Ask about it at <a href={addressOf(contact)}>{contact}</a>.
          </>
        )}
      </p>
      {leave.problem && <ProblemNotice error={leave.problem} />}
      <Button variant="default" loading={leave.isBusy} onClick={() => void leave.run()}>
        Sign out
      </Button>
    </Door>
  )
}

/** A contact is a mail address or the address of a page. */
function addressOf(contact: string): string {
  return /^https?:/.test(contact) ? contact : `mailto:${contact}`
}
