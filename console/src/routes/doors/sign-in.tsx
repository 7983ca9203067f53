import { Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useEffect } from 'react'
import { textOf } from '../../components/forms/forms.ts'
import { Logo } from '../../components/icons.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { signInWith } from '../../session/enter.ts'
import { renewSession } from '../../session/session.tsx'

/** Signs in with an API key, and then shows the requested page. */
export function SignInPage({ hasEnded }: { readonly hasEnded: boolean }) {
  useEffect(() => {
    document.title = 'Sign in · Credit Gateway'
  }, [])
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
    <main className="door">
      <div className="card door-card">
        <form onSubmit={submit}>
          <Stack gap="md">
            <Logo size={32} />
            <div>
              <Title order={1}>Sign in</Title>
              <Text size="sm" c="dimmed" mt={4}>
                Use an API key of your account. You then have the rights of the key.
              </Text>
            </div>
            {hasEnded && (
              <div className="notice" data-kind="caution" role="status">
                Your session has ended. Sign in again to go on.
              </div>
            )}
            <PasswordInput
              {...{ name: 'key', label: 'API key', required: true, withAsterisk: false }}
              {...{ autoComplete: 'off', spellCheck: false, autoFocus: true }}
            />
            {signIn.problem && <ProblemNotice error={signIn.problem} />}
            <Button type="submit" loading={signIn.isBusy} fullWidth>
              Sign in
            </Button>
            <Text size="xs" c="dimmed">
              The key is sent once and kept nowhere in this browser. Does another product link to
              this console? Then open it from there.
            </Text>
          </Stack>
        </form>
      </div>
    </main>
  )
}
