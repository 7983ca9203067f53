import type { Catalog } from '../../schema/catalog/load-catalog.ts'
import type { ServedToAgents } from '../../schema/vocabulary/audiences.ts'

/** The settings of this gateway that the documentation shows. */
export interface DocsOptions extends ServedToAgents {
  /** Without a slash at the end, as `docsUrl`. */
  readonly baseUrls: { readonly live: string; readonly sandbox: string }
  /** The target of links in errors: this documentation, or the operator's own. */
  readonly docsUrl: string
  /** The `<svc>` of keys and of `X-<svc>-Idempotency-Key`. */
  readonly keyPrefix: string
  readonly catalog: Catalog
  /** Whether there is a console; unless told, there is. */
  readonly hasConsole?: boolean
  readonly anonymousRps: number
  /** The working time of an account in each second; 0: no limit. */
  readonly accountWorkMs: number
  readonly backendTimeoutMs: number
  readonly webhookTimeoutMs: number
  /** The pauses after failed attempts. */
  readonly webhookRetrySeconds: readonly number[]
}
