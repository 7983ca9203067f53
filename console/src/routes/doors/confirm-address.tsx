import { Button } from '@mantine/core'
import { useState } from 'react'
import { acting } from '../../api.ts'
import { ProblemNotice } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { root } from '../../place.ts'
import { secretOfLink } from '../../session/fragment.ts'
import { isRefusedAs } from '../../session/session.tsx'
import { Door } from './door.tsx'

/** The target of the link that confirms an address of a member who is signed in. */
export function ConfirmAddressPage() {
  const [email, setEmail] = useState<string | null>(null)
  const confirm = useAct(async () => {
    const { data } = await acting.account.confirmMyAddress({ token: secretOfLink })
    setEmail(data.email)
  })
  const { problem } = confirm
  if (email !== null) {
    return (
      <Door title="Your address is confirmed">
        <p>From now on you sign in with {email}.</p>
        <ToConsole label="Open the console" />
      </Door>
    )
  }
  if (problem && isRefusedAs(problem, 401)) {
    return (
      <Door title="Sign in first">
        <p>
          Only the member who asked for this link can use it. Sign in to the console in this
          browser, and then open the link of the mail again.
        </p>
        <ToConsole label="Sign in" />
      </Door>
    )
  }
  if (secretOfLink === '' || (problem && isRefusedAs(problem, 404))) {
    return (
      <Door title="This link confirms nothing here">
        <p>
          It works once, within 24 hours, for the member who asked for it, and only while it is the
          newest one. Sign in as that member, or ask for another link in the settings.
        </p>
        <ToConsole label="Open the console" />
      </Door>
    )
  }
  return (
    <Door title="Confirm your address">
      <p>From then on you sign in with the address to which this link was mailed.</p>
      {problem && <ProblemNotice error={problem} />}
      <Button loading={confirm.isBusy} onClick={() => void confirm.run()} fullWidth>
        Confirm this address
      </Button>
    </Door>
  )
}

function ToConsole({ label }: { readonly label: string }) {
  return (
    <Button component="a" href={root.pathname} fullWidth>
      {label}
    </Button>
  )
}
