import type { PasskeySignIn } from 'credit-gateway-sdk'
import { acting } from '../api.ts'
import { loadPart } from '../parts.ts'

/** Loaded by the first use: few visits need it. */
const browser = () => loadPart(() => import('@simplewebauthn/browser'))

type Accounts = PasskeySignIn['accounts']

/** Signs in with any passkey. Returns the accounts to choose from; none: the browser is signed in. */
export async function signInByPasskey(): Promise<Accounts> {
  const { data } = await acting.account.beginPasskeySignIn()
  const credential = await use(data.options)
  return (await acting.account.signInWithPasskey({ credential })).data.accounts
}

/** Signs in to one of the accounts, after `signInByPasskey` has returned them. */
export async function chooseAccount(accountId: string): Promise<void> {
  await acting.account.signInWithPasskey({ account_id: accountId })
}

/** Proves the session once more with a passkey of its member. */
export async function proveByPasskey(): Promise<void> {
  const { data } = await acting.account.beginPasskeyProof()
  await acting.account.proveWithPasskey({ credential: await use(data.options) })
}

/** Makes a passkey on this device or another one, and adds it. */
export async function addPasskey(name: string): Promise<void> {
  const { data } = await acting.account.beginAddingPasskey()
  const { startRegistration } = await browser()
  const credential = await asked(() => startRegistration({ optionsJSON: data.options as never }))
  await acting.account.addPasskey({ name, credential: credential as never })
}

async function use(options: object): Promise<never> {
  const { startAuthentication } = await browser()
  return (await asked(() => startAuthentication({ optionsJSON: options as never }))) as never
}

/** Browsers name what has happened in their own words, and do not tell a refusal from a missing passkey. */
async function asked<Credential>(ask: () => Promise<Credential>): Promise<Credential> {
  try {
    return await ask()
  } catch (cause) {
    throw new Error(wordsFor(cause), { cause })
  }
}

function wordsFor(cause: unknown): string {
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause))
  if (name === 'NotAllowedError' || name === 'AbortError') {
    return 'No passkey was used. Try again, and follow the browser.'
  }
  if (name === 'InvalidStateError') return 'This device has a passkey of yours already.'
  return message
}
