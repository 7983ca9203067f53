import type { SignInAccount } from 'credit-gateway-sdk'
import { acting } from '../api.ts'

/** What a mail has: the fragment of its link, or its code. */
export type MailProof = { readonly mail_token: string } | { readonly mail_code: string }

/** Asks for a mail with a link and a code. Nothing says whether one is sent. */
export async function askForMail(email: string): Promise<void> {
  await acting.account.askForMail({ email: email.trim() })
}

/** Signs in, or returns the accounts to choose from. */
export async function signInByMail(
  proof: MailProof,
  accountId?: string,
): Promise<readonly SignInAccount[]> {
  const chosen = accountId === undefined ? {} : { account_id: accountId }
  const { data } = await acting.account.signInByMail({ ...proof, ...chosen })
  return data.accounts
}

/** The digits of a code, however somebody has written it. */
export function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '')
}
