import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { ProblemNotice } from '../components/problem.tsx'
import { proveByPasskey } from '../session/passkeys.ts'
import { renewSession } from '../session/session.tsx'

/** Proves the member by a passkey. */
export function PasskeyProof({ onEnd }: { readonly onEnd: (isProven: boolean) => void }) {
  const [problem, setProblem] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  async function prove() {
    setBusy(true)
    setProblem(null)
    try {
      await proveByPasskey()
      void renewSession()
      onEnd(true)
    } catch (error) {
      setProblem(error as Error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Stack gap="md">
      <Text size="sm">
        This changes access or payments, so prove first that it is you. Use your passkey to go on.
      </Text>
      <Text size="sm" c="dimmed">
        Have you lost it? Sign out, sign in by mail, and ask for its removal in the settings.
      </Text>
      {problem && <ProblemNotice error={problem} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => onEnd(false)}>
          Cancel
        </Button>
        <Button loading={isBusy} onClick={() => void prove()} data-autofocus>
          Use passkey
        </Button>
      </Group>
    </Stack>
  )
}
