import { z } from 'zod'
import type { Bench, BenchContext, Row } from '../support/bench.ts'
import { startChild } from '../support/child.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { compare } from '../support/compare.ts'
import { startGatewayChild } from '../support/gateway.ts'
import { startServerChild } from '../support/http-server.ts'
import { revealRequest } from '../support/reveal.ts'
import { whyNoBetterAuth } from './better-auth.ts'

export const p3: Bench = {
  name: 'p3',
  title: 'POST /v1/contacts/reveal against better-auth with a durable counter, 100 keys',
  run,
}

const bench = 'P3 reveal / better-auth, 100 keys'
const minRatio = 2.5
const peerReady = z.object({ url: z.string(), keys: z.array(z.string()) })

async function run(context: BenchContext): Promise<readonly Row[]> {
  const reason = await whyNoBetterAuth()
  if (reason) return [absent(reason)]
  return withCleanups((defer) => contest(context, defer))
}

async function contest(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const backend = await startServerChild('backend')
  defer(() => backend.stop())
  const variables = { BACKEND_CONTACT_FINDER_URL: backend.ready.url }
  const gateway = await startGatewayChild({ accounts: 400, variables }, context.gatewayFlags)
  defer(() => gateway.stop())
  const { ownerUrl, baseUrl } = gateway.ready
  const options = { ownerUrl, keys: 100 }
  const peer = await startChild({ role: 'better-auth', ready: peerReady, options })
  defer(() => peer.stop())
  const request = revealRequest(gateway.ready)
  const peerHeaders = peer.ready.keys.map((key) => ({
    'x-api-key': key,
    'content-type': 'application/json',
  }))
  return [
    await compare(context, {
      bench,
      minRatio,
      ours: { url: baseUrl, ...request },
      floor: { url: peer.ready.url, ...request, headerSets: peerHeaders },
    }),
  ]
}

function absent(reason: string): Row {
  const goal = `≥ ${minRatio.toFixed(2)}`
  const nothing = { ours: '–', floor: '–', value: '–', isMet: null, measured: null }
  return { bench, goal, ...nothing, problems: [reason] }
}
