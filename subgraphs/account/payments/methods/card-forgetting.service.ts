import type { AccountContext } from '../../settings/account-settings.ts'
import { configuredProviders } from '../providers/configured.ts'
import type { StoredMethod } from './stored-methods.service.ts'

/**
 * Makes the provider forget a card that is removed here. Nothing uses the card any more, so a
 * failure is a warning: somebody has to remove it at the provider.
 */
export async function forgetCard(
  context: AccountContext,
  { id, reference, provider: name }: StoredMethod,
): Promise<void> {
  const { all } = await configuredProviders(context)
  const provider = all.find((one) => one.name === name)
  try {
    if (!provider) throw new Error(`${name} is not configured`)
    await provider.forgetCard?.(reference)
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    context.payments?.warn(`The card of the payment method ${id} stays with ${name}: ${cause}`)
  }
}
