import type { Bench, BenchContext, Row } from '../support/bench.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { compare, type Target } from '../support/compare.ts'
import { startGatewayChild } from '../support/gateway.ts'
import { startServerChild } from '../support/http-server.ts'

export const p8: Bench = {
  name: 'p8',
  title: 'Refusals (429 over the limit, 401 for a malformed key) against bare Express',
  run,
}

function run(context: BenchContext): Promise<readonly Row[]> {
  return withCleanups((defer) => contest(context, defer))
}

async function contest(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const { limited, malformed } = await startRefusals(context, defer)
  const floor = await startServerChild('bare-express')
  defer(() => floor.stop())
  const floorOf = ({ method, path, headerSets }: Target) => ({
    url: floor.ready.url,
    ...{ method, path, headerSets },
  })
  return [
    await compare(context, {
      bench: 'P8 429 path / bare Express',
      minRatio: 0.55,
      ours: limited,
      floor: floorOf(limited),
    }),
    await compare(context, {
      bench: 'P8 401 path / bare Express',
      minRatio: 0.75,
      ours: malformed,
      floor: floorOf(malformed),
    }),
  ]
}

interface Refusals {
  readonly limited: Target
  readonly malformed: Target
}

/** A gateway, and requests that it refuses: too many of an account, and malformed keys. */
export async function startRefusals(context: BenchContext, defer: Defer): Promise<Refusals> {
  // All malformed keys come from one address, which would soon be over the limit of anonymous calls.
  const variables = { ANONYMOUS_RPS: '1000000' }
  const slow = { accounts: 1, tier: 'STARTER', subscriptionTier: null, variables } as const
  const gateway = await startGatewayChild(slow, context.gatewayFlags)
  defer(() => gateway.stop())
  const { baseUrl, accounts } = gateway.ready
  const withKeys = (keys: readonly string[]) => ({
    url: baseUrl,
    method: 'GET' as const,
    path: '/v1/account/credits',
    headerSets: keys.map((key) => ({ authorization: `Bearer ${key}` })),
  })
  const keys = accounts.map(({ liveKey }) => liveKey)
  return {
    // The first few of each second are within the limit.
    limited: { ...withKeys(keys), status: 429, ignoredStatus: 200 },
    malformed: { ...withKeys(keys.map((key) => `${key.slice(0, -1)}-`)), status: 401 },
  }
}
