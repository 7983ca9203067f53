import { CopyButton } from '../../../../src/components/copy.tsx'
import { Door } from '../../../../src/routes/doors/door.tsx'
import { linkCommand } from './link-command.ts'

/** The page for people who are not signed in: it says how to get a link. */
export function SignInPage({ hasEnded }: { readonly hasEnded: boolean }) {
  const command = linkCommand('readonly', 'your-name')
  return (
    <Door title="Operators">
      {hasEnded && (
        <div className="notice" data-kind="caution" role="status">
          Your session has ended.
        </div>
      )}
      <p>
        Run this where the gateway runs, with your name and one of the roles readonly, support and
        admin. Open the link that it prints in this browser.
      </p>
      <code className="code">{command}</code>
      <div>
        <CopyButton text={command} what="command" />
      </div>
    </Door>
  )
}
