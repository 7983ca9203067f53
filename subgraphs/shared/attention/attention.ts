import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { type attentionScopes, mostUrgent } from '../../../schema/vocabulary/attention.ts'
import { coversScope } from '../../../schema/vocabulary/scopes.ts'
import type { GraphContext } from '../graph/context.ts'
import { type AttentionItem, AttentionKind, AttentionSeverity } from './attention.type.ts'

/** An item, with the page of the console for it, below `/console/`. */
export interface Finding {
  readonly severity: `${AttentionSeverity}`
  readonly title: string
  readonly resourceId: string | null
  readonly label: string
  readonly page: string
  /** Whether people buy credits there: an operator may have another page for it. */
  readonly isTopUp?: boolean
}

/** Looks for items of one kind. */
export interface AttentionSearch {
  readonly kind: `${AttentionKind}`
  /** The read scope of the area. */
  readonly scope: (typeof attentionScopes)[number]
  /** Whether tokens of apps may see the items too: they never see billing, keys and credits. */
  readonly isForApps?: boolean
  readonly find: () => Promise<readonly (Finding | null)[]>
}

type AttentionContext = Pick<GraphContext, 'baseUrls' | 'hasConsole' | 'topUpUrl'>

/** The most urgent items that the caller may know of. What it may not read is not even looked for. */
export async function findAttention(
  { baseUrls, hasConsole = true, topUpUrl }: AttentionContext,
  { scopes, clientId, environment }: AccountCaller,
  searches: readonly AttentionSearch[],
): Promise<AttentionItem[]> {
  const items: AttentionItem[] = []
  for (const { kind, scope, isForApps = false, find } of searches) {
    if (!coversScope(scopes, scope) || (clientId !== undefined && !isForApps)) continue
    for (const finding of await find()) {
      if (!finding) continue
      const { severity, title, resourceId, label, page, isTopUp = false } = finding
      const own = hasConsole ? `${baseUrls[environment]}/console/${page}` : null
      const url = (isTopUp ? topUpUrl : undefined) ?? own
      items.push({
        kind: AttentionKind[kind],
        severity: AttentionSeverity[severity],
        ...{ title, resourceId, action: { label, url } },
      })
    }
  }
  return mostUrgent(items)
}
