import { z } from 'zod'
import type { Bench, BenchContext, Row } from '../support/bench.ts'
import { startChild } from '../support/child.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { compare } from '../support/compare.ts'
import { startGatewayChild } from '../support/gateway.ts'
import { openPlantedGrants } from '../support/planted-grants.ts'
import {
  codeChallenge,
  exchanges,
  introspections,
  made,
  type Provider,
} from '../support/provider.ts'

export const p7: Bench = {
  name: 'p7',
  title: 'Introspection and code exchange against oidc-provider in memory',
  run,
}

const peerReady = z.object({ url: z.string() })

/** Apps, and as many connections. */
const clientCount = 250

/** Off: all of the load has one address. */
const variables = { OAUTH_LIMITS: 'token=0,introspect=0' }

function run(context: BenchContext): Promise<readonly Row[]> {
  return withCleanups((defer) => contest(context, defer))
}

async function contest(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const { ours, floor } = await startProviders(context, defer)
  return [
    await compare(context, {
      bench: 'P7 introspection / oidc-provider',
      minRatio: 1,
      connections: clientCount,
      ours: await introspections(ours),
      floor: await introspections(floor),
    }),
    await compare(context, {
      bench: 'P7 code exchange / oidc-provider',
      minRatio: 0.8,
      connections: clientCount,
      ours: await exchanges(ours),
      floor: await exchanges(floor),
    }),
  ]
}

interface Providers {
  readonly ours: Provider
  readonly floor: Provider
}

/** The gateway and oidc-provider with the same apps. */
export async function startProviders(context: BenchContext, defer: Defer): Promise<Providers> {
  const gateway = await startGatewayChild(
    { accounts: clientCount, variables },
    context.gatewayFlags,
  )
  defer(() => gateway.stop())
  const { ownerUrl, baseUrl, accounts } = gateway.ready
  const planted = await openPlantedGrants(ownerUrl, accounts)
  defer(() => planted.close())
  const { clients, make } = planted
  const options = { clients, codeChallenge }
  const peer = await startChild({ role: 'oidc-provider', ready: peerReady, options })
  defer(() => peer.stop())
  const ours = {
    url: baseUrl,
    paths: { token: '/v1/oauth/token', introspect: '/v1/oauth/introspect' },
    ...{ clients, make },
  }
  const floor = {
    url: peer.ready.url,
    paths: { token: '/token', introspect: '/token/introspection' },
    clients,
    make: (question: object) => peer.ask(question, made),
  }
  return { ours, floor }
}
