import { Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { textOf } from '../../components/forms/forms.ts'
import { Logo } from '../../components/icons.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { signInWith } from '../../session/enter.ts'
import { renewSession } from '../../session/session.tsx'
import { MailSignIn } from './mail-sign-in.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'

interface SignInProps {
  readonly hasEnded: boolean
  /** What the sign-in is for, where it is not for the console. */
  readonly children?: ReactNode
}

/** Signs in with an API key or by mail, and then shows the requested page. */
export function SignInPage({ hasEnded, children }: SignInProps) {
  useEffect(() => {
    document.title = 'Sign in · Credit Gateway'
  }, [])
  const [isByMail, setByMail] = useState(false)
  return (
    <main className="door">
      <div className="card door-card">
        <Stack gap="md">
          <Logo size={32} />
          <Title order={1}>Sign in</Title>
          {hasEnded && (
            <div className="notice" data-kind="caution" role="status">
              Your session has ended. Sign in again to go on. If that no longer works, ask an owner
              of the account.
            </div>
          )}
          {children}
          {isByMail ? (
            <MailSignIn onBack={() => setByMail(false)} />
          ) : (
            <>
              <KeySignIn />
              <Button variant="default" onClick={() => setByMail(true)} fullWidth>
                Use a mail address instead
              </Button>
              <PasskeySignIn />
            </>
          )}
          <Text size="xs" c="dimmed">
            Does another product link to this console? Then open it from there.
          </Text>
        </Stack>
      </div>
    </main>
  )
}

function KeySignIn() {
  const signIn = useAct(async (key: string) => {
    await signInWith(key)
    await renewSession()
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const key = textOf(new FormData(form), 'key') ?? ''
    void signIn.run(key)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Use an API key of your account. You then have the rights of the key. It is sent once and
          kept nowhere in this browser.
        </Text>
        <PasswordInput
          {...{ name: 'key', label: 'API key', required: true, withAsterisk: false }}
          {...{ autoComplete: 'off', spellCheck: false, autoFocus: true }}
        />
        {signIn.problem && <ProblemNotice error={signIn.problem} />}
        <Button type="submit" loading={signIn.isBusy} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
