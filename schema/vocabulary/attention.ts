/** What may need the attention of an account holder, the most urgent kinds first (docs/contract.md §5). */
export const attentionKinds = [
  'payment_disputed',
  'payment_unconfirmed',
  'auto_recharge_failed',
  'auto_recharge_without_card',
  'credits_low',
  'webhook_failing',
  'budget_nearly_used',
  'key_expiring',
  'card_expiring',
  'app_suspended',
] as const

/** `critical`: something does not work already; `warning`: something will not work soon. */
export const attentionSeverities = ['critical', 'warning'] as const

/** The scopes by which callers see different items. */
export const attentionScopes = [
  'account:read',
  'billing:read',
  'keys:read',
  'oauth:read',
  'webhooks:read',
] as const

/** The most items that an answer has. */
export const maxAttentionItems = 20

interface Urgent {
  readonly severity: string
  readonly kind: string
}

const severities: readonly string[] = attentionSeverities
const kinds: readonly string[] = attentionKinds

/**
 * The items that an answer has if there are more: the critical ones first, then by the order of the kinds, then
 * as they come.
 */
export function mostUrgent<Item extends Urgent>(items: readonly Item[]): Item[] {
  const rankOf = ({ severity, kind }: Item) =>
    severities.indexOf(severity) * kinds.length + kinds.indexOf(kind)
  return items.toSorted((one, other) => rankOf(one) - rankOf(other)).slice(0, maxAttentionItems)
}
