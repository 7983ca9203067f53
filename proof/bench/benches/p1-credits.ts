import type { Bench, BenchContext, Row } from '../support/bench.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { compare } from '../support/compare.ts'
import { startGatewayChild } from '../support/gateway.ts'
import { startServerChild } from '../support/http-server.ts'

export const p1: Bench = {
  name: 'p1',
  title: 'GET /v1/account/credits against a hand-written Express handler',
  run,
}

function run(context: BenchContext): Promise<readonly Row[]> {
  return withCleanups((defer) => contest(context, defer))
}

async function contest(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const gateway = await startGatewayChild({ accounts: 400 }, context.gatewayFlags)
  defer(() => gateway.stop())
  const { baseUrl, serviceUrl, accounts } = gateway.ready
  const floor = await startServerChild('sql-express', { url: serviceUrl })
  defer(() => floor.stop())
  const request = {
    method: 'GET',
    path: '/v1/account/credits',
    headerSets: accounts.map(({ id, liveKey }) => ({
      authorization: `Bearer ${liveKey}`,
      'x-account': id,
    })),
  } as const
  return [
    await compare(context, {
      bench: 'P1 credits / hand-written Express',
      minRatio: 0.85,
      ours: { url: baseUrl, ...request },
      floor: { url: floor.ready.url, ...request },
    }),
  ]
}
