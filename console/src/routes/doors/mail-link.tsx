import { Button } from '@mantine/core'
import type { SignInAccount } from 'credit-gateway-sdk'
import { useState } from 'react'
import { ProblemNotice } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { root } from '../../place.ts'
import { secretOfLink } from '../../session/fragment.ts'
import { signInByMail } from '../../session/mail.ts'
import { isRefusedAs } from '../../session/session.tsx'
import { AccountChoice } from './account-choice.tsx'
import { Door } from './door.tsx'

/**
 * The target of the link of a mail. It signs nobody in before a person presses the button: programs follow links in mails
 * too.
 */
export function MailLinkPage() {
  const [accounts, setAccounts] = useState<readonly SignInAccount[]>([])
  const signIn = useAct(async (accountId?: string) => {
    const found = await signInByMail({ mail_token: secretOfLink }, accountId)
    if (found.length === 0) location.replace(root.pathname)
    setAccounts(found)
  })
  const { problem } = signIn
  if (secretOfLink === '' || (problem && isRefusedAs(problem, 404))) return <UnusableLink />
  if (accounts.length > 0) {
    return (
      <Door title="Choose an account">
        {problem && <ProblemNotice error={problem} />}
        <AccountChoice
          {...{ accounts, isBusy: signIn.isBusy, onChoose: (id) => void signIn.run(id) }}
        />
      </Door>
    )
  }
  return (
    <Door title="Sign in to the console">
      <p>You asked for this link in this browser. It works once.</p>
      {problem && <ProblemNotice error={problem} />}
      <Button loading={signIn.isBusy} onClick={() => void signIn.run(undefined)} fullWidth>
        Sign in
      </Button>
    </Door>
  )
}

function UnusableLink() {
  return (
    <Door title="This link does not work here">
      <p>
        Open it in the browser in which you asked for it. It works once, within 15 minutes, and only
        while it is the newest one that this browser has asked for.
      </p>
      <Button component="a" href={root.pathname} fullWidth>
        Ask for another link
      </Button>
    </Door>
  )
}
