import { returnUrlProblem } from '../../../shared/links/return-url.ts'
import type { AccountContext } from '../../settings/account-settings.ts'

/** The reason why a payer cannot be sent to this address; null if the address is valid. */
export function payerReturnProblem(
  { payments, baseUrls }: Pick<AccountContext, 'payments' | 'baseUrls'>,
  text: string,
): string | null {
  const returnOrigins = payments?.returnOrigins ?? []
  const problem = returnUrlProblem({ returnOrigins, baseUrls }, text)
  if (problem !== null) return problem
  // The gateway adds its own parameter `checkout_id`.
  const hasOwn = new URL(text).searchParams.has('checkout_id')
  return hasOwn ? 'must not have a parameter checkout_id' : null
}
