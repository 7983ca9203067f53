import type { Bench, BenchContext, Row } from '../support/bench.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { compare } from '../support/compare.ts'
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
  // All malformed keys come from one address, which would soon be over the limit of anonymous calls.
  const variables = { ANONYMOUS_RPS: '1000000' }
  const slow = { accounts: 1, tier: 'STARTER', subscriptionTier: null, variables }
  const gateway = await startGatewayChild(slow, context.gatewayFlags)
  defer(() => gateway.stop())
  const floor = await startServerChild('bare-express')
  defer(() => floor.stop())
  const { baseUrl, accounts } = gateway.ready
  const withKeys = (keys: readonly string[]) => ({
    method: 'GET' as const,
    path: '/v1/account/credits',
    headerSets: keys.map((key) => ({ authorization: `Bearer ${key}` })),
  })
  const limited = withKeys(accounts.map(({ liveKey }) => liveKey))
  const malformed = withKeys(accounts.map(({ liveKey }) => `${liveKey.slice(0, -1)}-`))
  const floorUrl = floor.ready.url
  return [
    await compare(context, {
      bench: 'P8 429 path / bare Express',
      minRatio: 0.55,
      // The first few of each second are within the limit.
      ours: { url: baseUrl, ...limited, status: 429, ignoredStatus: 200 },
      floor: { url: floorUrl, ...limited },
    }),
    await compare(context, {
      bench: 'P8 401 path / bare Express',
      minRatio: 0.75,
      ours: { url: baseUrl, ...malformed, status: 401 },
      floor: { url: floorUrl, ...malformed },
    }),
  ]
}
