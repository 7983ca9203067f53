import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { StepUpRequiredError } from 'credit-gateway-sdk'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { textOf } from '../components/forms/forms.ts'
import { ProblemNotice } from '../components/problem.tsx'
import { signInWith } from '../session/enter.ts'
import { renewSession, useSession } from '../session/session.tsx'
import { MailProof } from './mail-proof.tsx'
import { PasskeyProof } from './passkey-proof.tsx'

interface DialogProps extends ProofProps {
  readonly error: StepUpRequiredError
}

/** Asks for the kind of proof that the refusal names. */
export default function StepUpDialog({ error, onEnd }: DialogProps) {
  return (
    <Modal opened onClose={() => onEnd(false)} title="Prove that it is you">
      <Proof error={error} onEnd={onEnd} />
    </Modal>
  )
}

function Proof({ error, onEnd }: DialogProps) {
  const isLive = useSession().environment === 'live'
  if (error.methods.includes('api_key')) return <KeyProof onEnd={onEnd} />
  if (error.methods.includes('passkey')) return <PasskeyProof onEnd={onEnd} />
  if (error.methods.includes('mail_code')) return <MailProof onEnd={onEnd} />
  if (error.methods.length === 0 && isLive) return <NoProof onEnd={onEnd} />
  return <LinkProof returnUrl={error.returnUrl} onEnd={onEnd} />
}

interface ProofProps {
  readonly onEnd: (isProven: boolean) => void
}

function KeyProof({ onEnd }: ProofProps) {
  const [problem, setProblem] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  const { key_name: keyName } = useSession()
  async function prove(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const key = textOf(new FormData(event.currentTarget), 'key') ?? ''
    setBusy(true)
    try {
      await signInWith(key)
      void renewSession()
      onEnd(true)
    } catch (error) {
      setProblem(error as Error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={prove}>
      <Stack gap="md">
        <Text size="sm">
          This changes access or payments, so prove first that it is you. Enter the API key that you
          signed in with{keyName ? `: ${keyName}` : ''}.
        </Text>
        <PasswordInput
          {...{
            name: 'key',
            label: 'API key',
            required: true,
            withAsterisk: false,
            'data-autofocus': true,
          }}
          {...{ autoComplete: 'off', spellCheck: false }}
        />
        {problem && <ProblemNotice error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => onEnd(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** In live, nothing proves a member whose address is not confirmed, and who has no passkey. */
function NoProof({ onEnd }: ProofProps) {
  return (
    <Stack gap="md">
      <Text size="sm">
        This changes access or payments, so prove first that it is you. Your address is not
        confirmed yet, so no mail can prove that it is you. Confirm it in the settings first.
      </Text>
      <Group justify="flex-end">
        <Button onClick={() => onEnd(false)}>Close</Button>
      </Group>
    </Stack>
  )
}

/** A new link proves the person in another tab; this page notices it. */
function LinkProof({ returnUrl, onEnd }: ProofProps & { readonly returnUrl: string | null }) {
  const session = useSession()
  const before = useRef(session.proven_at)
  const isProven = session.proven_at !== before.current
  useQuery({
    queryKey: ['session-watch'],
    queryFn: async () => {
      await renewSession()
      return null
    },
    refetchInterval: 2000,
    refetchIntervalInBackground: true,
  })
  useEffect(() => {
    if (isProven) onEnd(true)
  }, [isProven, onEnd])
  return (
    <Stack gap="md">
      <Text size="sm">
        This changes access or payments, so prove first that it is you. Open the console once more{' '}
        {returnUrl ? `from ${new URL(returnUrl).host}` : 'by a new link'}, in this browser. This
        page then continues by itself.
      </Text>
      {!returnUrl && (
        <Text size="sm" c="dimmed">
          The person who gave you the first link can make a new one for you.
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => onEnd(false)}>
          Cancel
        </Button>
        {returnUrl && (
          <Button component="a" href={returnUrl} target="_blank" rel="noopener noreferrer">
            Go to {new URL(returnUrl).host}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
