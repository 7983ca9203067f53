import { Button, Stack, Text, TextInput } from '@mantine/core'
import type { SignInAccount } from 'credit-gateway-sdk'
import { type FormEvent, useState } from 'react'
import { textOf } from '../../components/forms/forms.ts'
import { ProblemNotice } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { askForMail, digitsOf, signInByMail } from '../../session/mail.ts'
import { isRefusedAs, renewSession } from '../../session/session.tsx'
import { AccountChoice } from './account-choice.tsx'

interface MailSignInProps {
  readonly onBack: () => void
}

/** Signs in by a mail: first the address, then the code, and then perhaps the account. */
export function MailSignIn({ onBack }: MailSignInProps) {
  const [email, setEmail] = useState<string | null>(null)
  const ask = useAct(async (address: string) => {
    await askForMail(address)
    setEmail(address)
  })
  if (email !== null) {
    return <EnterCode {...{ email, onBack: () => setEmail(null) }} />
  }
  return (
    <form onSubmit={(event) => submit(event, 'email', (address) => void ask.run(address))}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          For members of an account. You get a mail with a link and a code.
        </Text>
        <TextInput
          {...{ name: 'email', type: 'email', label: 'Mail address', required: true }}
          {...{ withAsterisk: false, autoComplete: 'email', autoFocus: true }}
        />
        {ask.problem && <ProblemNotice error={ask.problem} />}
        <Button type="submit" loading={ask.isBusy} fullWidth>
          Send me a mail
        </Button>
        <Button variant="subtle" onClick={onBack} fullWidth>
          Use an API key instead
        </Button>
      </Stack>
    </form>
  )
}

function submit(event: FormEvent<HTMLFormElement>, name: string, act: (text: string) => void) {
  event.preventDefault()
  act(textOf(new FormData(event.currentTarget), name) ?? '')
}

interface EnterCodeProps extends MailSignInProps {
  readonly email: string
}

function EnterCode({ email, onBack }: EnterCodeProps) {
  const [choice, setChoice] = useState<Choice | null>(null)
  const enter = useAct(async ({ code, accountId }: Entered) => {
    const accounts = await signInByMail({ mail_code: code }, accountId)
    if (accounts.length > 0) return setChoice({ code, accounts })
    await renewSession()
  })
  const { problem, isBusy } = enter
  const notice = problem && <CodeProblem problem={problem} />
  if (choice) {
    const { code, accounts } = choice
    return (
      <Stack gap="md">
        <Text size="sm">You are a member of several accounts. Choose the one to open.</Text>
        {notice}
        <AccountChoice
          {...{ accounts, isBusy, onChoose: (accountId) => void enter.run({ code, accountId }) }}
        />
      </Stack>
    )
  }
  return (
    <form
      onSubmit={(event) =>
        submit(event, 'code', (text) => void enter.run({ code: digitsOf(text) }))
      }
    >
      <Stack gap="md">
        <Text size="sm" role="status">
          If {email} belongs to a member, a mail is on its way. Enter its code here, or follow its
          link in this browser. Both work once, within 15 minutes.
        </Text>
        <CodeInput />
        {notice}
        <Button type="submit" loading={isBusy} fullWidth>
          Sign in
        </Button>
        <Button variant="subtle" onClick={onBack} fullWidth>
          Use another address, or ask again
        </Button>
      </Stack>
    </form>
  )
}

interface Entered {
  readonly code: string
  readonly accountId?: string
}

interface Choice {
  readonly code: string
  readonly accounts: readonly SignInAccount[]
}

/** The input of a code. The keyboard of a phone has digits, and may fill in the code of the mail. */
export function CodeInput() {
  return (
    <TextInput
      {...{ name: 'code', label: 'Code from the mail', required: true, withAsterisk: false }}
      {...{ inputMode: 'numeric', autoComplete: 'one-time-code', autoFocus: true }}
      {...{ placeholder: '8 digits', maxLength: 20, 'data-autofocus': true }}
    />
  )
}

/** Why a code was refused, as far as anybody may know. */
export function CodeProblem({ problem }: { readonly problem: Error }) {
  if (!isRefusedAs(problem, 404)) return <ProblemNotice error={problem} />
  return (
    <div className="notice" data-kind="alert" role="alert">
      This code is wrong, or no longer works. After five wrong codes, ask for another mail.
    </div>
  )
}
