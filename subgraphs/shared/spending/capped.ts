import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { DomainError } from '../graph/errors.ts'

/**
 * Throws FORBIDDEN for a key that has budgets: it must not lift its own cap. `attempt` completes the
 * message, for example `issue keys`.
 */
export function requireUncapped(
  { isCapped }: Pick<AccountCaller, 'isCapped'>,
  attempt = 'do this',
): void {
  if (!isCapped) return
  throw new DomainError('FORBIDDEN', `This API key has budgets, so it may not ${attempt}.`)
}
