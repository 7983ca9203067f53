import { Button, Stack, Text } from '@mantine/core'
import type { SignInAccount } from 'credit-gateway-sdk'
import { useState } from 'react'
import { ProblemNotice } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { chooseAccount, signInByPasskey } from '../../session/passkeys.ts'
import { renewSession } from '../../session/session.tsx'
import { AccountChoice } from './account-choice.tsx'

/** Signs in with a passkey. A person of several accounts chooses one. */
export function PasskeySignIn() {
  const [accounts, setAccounts] = useState<readonly SignInAccount[]>([])
  const signIn = useAct(async () => {
    const found = await signInByPasskey()
    setAccounts(found)
    if (found.length === 0) await renewSession()
  })
  const choose = useAct(async (accountId: string) => {
    await chooseAccount(accountId)
    await renewSession()
  })
  const problem = signIn.problem ?? choose.problem
  return (
    <Stack gap="xs">
      {problem && <ProblemNotice error={problem} />}
      {accounts.length === 0 ? (
        <Button
          {...{ variant: 'default', fullWidth: true, loading: signIn.isBusy }}
          onClick={() => void signIn.run()}
        >
          Sign in with a passkey
        </Button>
      ) : (
        <>
          <Text size="sm">You are a member of several accounts. Choose the one to open.</Text>
          <AccountChoice
            {...{ accounts, isBusy: choose.isBusy, onChoose: (id) => void choose.run(id) }}
          />
        </>
      )}
    </Stack>
  )
}
