import { z } from 'zod'
import type { Present } from '../http/present.ts'
import { readSignedBody } from '../http/read-body.ts'
import { limitAddress } from '../middleware/rate-limit.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { RouteOf } from './kind.ts'
import type { RouteRow } from './route.ts'

/** A notification of a provider. Its signature proves who sent it, and the subgraph checks that. */
interface SignedRow extends RouteRow {
  /** `:provider` is one of them: it names the header of the signature (see `readSignedBody`). */
  readonly params: z.ZodObject<{ provider: z.ZodType }>
}

/** The input that `readSignedBody` makes of the request. */
const body = z.strictObject({ body: z.string(), signature: z.string() })

/** The path says which header has the signature; OpenAPI has no way to say that. */
const signature = {
  name: 'Stripe-Signature',
  description: 'The signature of the provider that the path names: `<provider>-Signature`.',
  schema: { type: 'string' },
}

const receipt = z.object({ outcome: z.string() })

/** Counts the notifications that changed nothing, and lets the answer go on. */
function countOutcome(metrics: Metrics): Present {
  return function countOutcome(result) {
    const { data } = receipt.safeParse(result)
    if (data?.outcome === 'unmatched') metrics.unmatchedPaymentNotifications.inc()
    if (data?.outcome === 'ignored') metrics.ignoredPaymentNotifications.inc()
    return false
  }
}

export function signedRoute(row: SignedRow): RouteOf<'signed', SignedRow> {
  const kind = 'signed'
  return {
    ...row,
    kind,
    body,
    steps: (tools) => [
      limitAddress(tools),
      readSignedBody,
      tools.run({ ...row, kind, body, present: countOutcome(tools.metrics) }),
    ],
    openapi: {
      security: [],
      headers: [signature],
      // The facade cannot know what a provider sends: the one that can check a body may read it.
      requestBody: {
        description: 'What the provider has signed, byte for byte.',
        required: true,
        content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
      },
      success: { json: {} },
    },
  }
}
