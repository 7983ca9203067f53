import type { Catalog } from '../../catalog/load-catalog.ts'

/** What the documentation shows of this gateway. */
export interface DocsOptions {
  /** Without a slash at the end, as `docsUrl`. */
  readonly baseUrls: { readonly live: string; readonly sandbox: string }
  /** Where links of errors lead: here, unless the operator has pages elsewhere. */
  readonly docsUrl: string
  /** The `<svc>` of keys and of `X-<svc>-Idempotency-Key`. */
  readonly keyPrefix: string
  readonly catalog: Catalog
  readonly anonymousRps: number
  readonly idempotencyTtlSeconds: number
  readonly backendTimeoutMs: number
  readonly webhookTimeoutMs: number
  /** The pauses after failed attempts. */
  readonly webhookRetrySeconds: readonly number[]
}
