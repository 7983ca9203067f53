import { Button } from '@mantine/core'
import { CopyButton } from '../../../../src/components/copy.tsx'
import { Door } from '../../../../src/routes/doors/door.tsx'
import type { SignInMethod } from '../../api.ts'
import { linkCommand } from './link-command.ts'
import { signInAddress } from './sign-in-address.ts'

interface SignInPageProps {
  readonly methods: readonly SignInMethod[]
  readonly hasEnded: boolean
}

/** The page for people who are not signed in: a provider of identities asks who they are, or a link says it. */
export function SignInPage({ methods, hasEnded }: SignInPageProps) {
  const command = linkCommand('readonly', 'your-name')
  return (
    <Door title="Operators">
      {hasEnded && (
        <div className="notice" data-kind="caution" role="status">
          Your session has ended.
        </div>
      )}
      {methods.includes('oidc') && (
        <Button component="a" href={signInAddress()} fullWidth>
          Sign in
        </Button>
      )}
      <p>
        {methods.includes('oidc') ? 'Or by a link: run' : 'Run'} this where the gateway runs, with
        your name and one of the roles readonly, support and admin. Open the link that it prints in
        this browser.
      </p>
      <code className="code">{command}</code>
      <div>
        <CopyButton text={command} what="command" />
      </div>
    </Door>
  )
}
