import { z } from 'zod'
import { type Child, startChild } from './child.ts'

export const gatewayOptions = z.object({
  accounts: z.int(),
  /** Further ones, whose credits do not pay for a call. */
  poorAccounts: z.int().default(0),
  tier: z
    .enum(['STARTER', 'GROWTH', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE', 'SCALE'])
    .default('SCALE'),
  subscriptionTier: z
    .enum(['pro_sub', 'business_sub', 'enterprise_sub'])
    .nullable()
    .default('enterprise_sub'),
  /** Environment variables, such as BACKEND_CONTACT_FINDER_URL. */
  variables: z.record(z.string(), z.string()).default({}),
})

const seededAccounts = z.array(z.object({ id: z.string(), liveKey: z.string() }))

const gatewayReady = z.object({
  baseUrl: z.string(),
  internalUrl: z.string(),
  serviceUrl: z.string(),
  /** The login of a gateway that also works off jobs. */
  workerUrl: z.string(),
  ownerUrl: z.string(),
  /** The login of the superuser; null when the server is not the embedded one. */
  superuserUrl: z.string().nullable(),
  /** For further gateways on its database. */
  gatewaySecret: z.string(),
  accounts: seededAccounts,
  poorAccounts: seededAccounts,
})

/** Begins to count what the process allocates, or tells how much it was since. */
export const allocationsQuestion = z.object({ allocations: z.enum(['count', 'tell']) })
export const allocated = z.object({ bytes: z.number() })

export type GatewayReady = z.infer<typeof gatewayReady>
export type GatewayOptions = z.input<typeof gatewayOptions>

/** A whole gateway with an embedded PostgreSQL and seeded accounts, in a process of its own. */
export function startGatewayChild(
  options: GatewayOptions,
  nodeFlags: readonly string[] = [],
): Promise<Child<GatewayReady>> {
  return startChild({ role: 'gateway', ready: gatewayReady, options, nodeFlags })
}
