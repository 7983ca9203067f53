import { z } from 'zod'
import { readSignedBody } from '../../http/read-body.ts'
import { limitAddress } from '../../steps/rate-limit.ts'
import type { RouteOf } from './kind.ts'
import type { RouteRow } from './route.ts'

/** A notification of a provider. Its signature proves who sent it, and the subgraph checks that. */
interface SignedRow extends RouteRow {
  /**
   * The parameters of the path. `:provider` is one of them, and names the header of the signature
   * (see `readSignedBody`).
   */
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

export function signedRoute(row: SignedRow): RouteOf<'signed', SignedRow> {
  const kind = 'signed'
  return {
    ...row,
    kind,
    body,
    steps: (tools) => [limitAddress(tools), readSignedBody, tools.run({ ...row, kind, body })],
    openapi: {
      security: [],
      headers: [signature],
      // The facade cannot know what a provider sends: the one that can check a body may read it.
      requestBody: {
        description: 'The message that the provider has signed, byte for byte.',
        required: true,
        content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
      },
      success: { json: {} },
    },
  }
}
