import type { Bench, BenchContext, Row } from '../support/bench.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { compare } from '../support/compare.ts'
import { startGatewayChild } from '../support/gateway.ts'
import { startServerChild } from '../support/http-server.ts'
import { revealRequest } from '../support/reveal.ts'

export const p2: Bench = {
  name: 'p2',
  title:
    'POST /v1/contacts/reveal, without and with an idempotency key, against a plain proxy of Express and undici',
  run,
}

function run(context: BenchContext): Promise<readonly Row[]> {
  return withCleanups((defer) => contest(context, defer))
}

async function contest(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const backend = await startServerChild('backend')
  defer(() => backend.stop())
  const variables = { BACKEND_CONTACT_FINDER_URL: backend.ready.url }
  const gateway = await startGatewayChild({ accounts: 400, variables }, context.gatewayFlags)
  defer(() => gateway.stop())
  const floor = await startServerChild('proxy-express', { backendUrl: backend.ready.url })
  defer(() => floor.stop())
  const request = revealRequest(gateway.ready)
  const sides = {
    ours: { url: gateway.ready.baseUrl, ...request },
    floor: { url: floor.ready.url, ...request },
    connections: 32,
  }
  return [
    await compare(context, { bench: 'P2 reveal / plain proxy', minRatio: 0.3, ...sides }),
    await compare(context, {
      bench: 'P2 reveal with a key / plain proxy',
      minRatio: 0.25,
      ...sides,
      ours: { ...sides.ours, hasFreshKeys: true },
    }),
  ]
}
