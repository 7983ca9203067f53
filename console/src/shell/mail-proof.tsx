import { Button, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { textOf } from '../components/forms/forms.ts'
import { ProblemNotice } from '../components/problem.tsx'
import { CodeInput, CodeProblem } from '../routes/doors/mail-sign-in.tsx'
import { askForMail, digitsOf, signInByMail } from '../session/mail.ts'
import { renewSession, useSession } from '../session/session.tsx'

interface MailProofProps {
  readonly onEnd: (isProven: boolean) => void
}

/** Proves the session of a member by the code of a mail. */
export function MailProof({ onEnd }: MailProofProps) {
  const { actor, account_id: accountId } = useSession()
  const [isAsked, setAsked] = useState(false)
  const { run, isBusy, problem } = useSteps()
  const ask = () =>
    run(async () => {
      await askForMail(actor ?? '')
      setAsked(true)
    })
  function prove(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const code = digitsOf(textOf(new FormData(event.currentTarget), 'code') ?? '')
    void run(async () => {
      await signInByMail({ mail_code: code }, accountId)
      void renewSession()
      onEnd(true)
    })
  }
  if (!isAsked) return <Offer {...{ actor, isBusy, problem, ask, onEnd }} />
  return (
    <form onSubmit={prove}>
      <Stack gap="md">
        <Text size="sm" role="status">
          A mail is on its way to {actor}. Its code works once, within 15 minutes.
        </Text>
        <CodeInput />
        {problem && <CodeProblem problem={problem} />}
        <Group justify="flex-end">
          <Button variant="subtle" disabled={isBusy} onClick={() => void ask()}>
            Mail another code
          </Button>
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

interface OfferProps extends MailProofProps {
  readonly actor: string | null
  readonly isBusy: boolean
  readonly problem: Error | null
  readonly ask: () => Promise<void>
}

function Offer({ actor, isBusy, problem, ask, onEnd }: OfferProps) {
  return (
    <Stack gap="md">
      <Text size="sm">
        This changes access or payments, so prove first that it is you. A code that we mail to{' '}
        {actor} proves that it is you.
      </Text>
      {problem && <ProblemNotice error={problem} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => onEnd(false)}>
          Cancel
        </Button>
        <Button loading={isBusy} onClick={() => void ask()} data-autofocus>
          Mail me a code
        </Button>
      </Group>
    </Stack>
  )
}

/** The steps of a proof: no step asks for a proof itself, as `useAct` would. */
function useSteps() {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Error | null>(null)
  async function run(step: () => Promise<void>): Promise<void> {
    setBusy(true)
    setProblem(null)
    try {
      await step()
    } catch (error) {
      setProblem(error as Error)
    } finally {
      setBusy(false)
    }
  }
  return { run, isBusy, problem }
}
