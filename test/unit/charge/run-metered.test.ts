import { createSecretKey } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express, { type RequestHandler } from 'express'
import { expect, test, vi } from 'vitest'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import type { Settlement } from '../../../rest-facade/charge/hold.ts'
import { createLedger, type Ledger } from '../../../rest-facade/charge/ledger.ts'
import { runMetered } from '../../../rest-facade/charge/run-metered.ts'
import { callOf } from '../../../rest-facade/http/call.ts'
import { beginCall } from '../../../rest-facade/steps/begin-call.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { patience } from '../../support/time/patience.ts'

const nothingKept = {
  ...{ answer: null, body: null, reservedAt: null },
  ...{ budgetRemaining: null, refusing: null },
}

/** A ledger that accepts each hold, and settles when the test says. */
function ledgerOf(settling: Promise<Settlement>): Ledger {
  return {
    ...createLedger(async () => null),
    reserve: async () => ({ verdict: 'accepted', available: 95, ...nothingKept }),
    settle: () => settling,
  }
}

test('POST /v1/contacts/reveal: leaves its place at the module when the module has answered, and then waits for its settlement', async () => {
  const { services } = loadCatalog()
  const operation = services
    .flatMap(({ operations }) => operations)
    .find(({ service, path }) => service === 'contacts' && path === '/reveal')
  if (!operation) throw new Error('The catalog has no reveal.')
  const { promise: settling, resolve: settle } = Promise.withResolvers<Settlement>()
  const { promise: answering, resolve: answer } = Promise.withResolvers<void>()
  const events: string[] = []
  const metered = runMetered(operation, {
    environment: 'live',
    backend: {
      module: operation.backendModule,
      async send() {
        events.push('asked')
        await answering
        const headers = { 'content-type': 'application/json' }
        return { status: 200, headers, body: '{"contact":{}}' }
      },
      enter() {
        events.push('entered')
        return () => void events.push('left')
      },
      ...{ requirePlace: () => {}, isRefusing: () => false, close: async () => {} },
    },
    callerTokens: { headersFor: () => ({}) },
    execute: async () => null,
    ledger: ledgerOf(settling),
    ...{ holdTtlSeconds: 60, processId: 'proc_test' },
    idempotency: {
      ...{ keyPrefix: 'svc', ttlSeconds: 3600 },
      backendSecret: createSecretKey(new Uint8Array(32)),
      answerSecret: new Uint8Array(32),
    },
    log: createLog({ level: 'silent', format: 'json' }),
    metrics: createMetrics(),
  })
  const authenticated: RequestHandler = (_req, res, next) => {
    const call = callOf(res)
    const { environment, requestId, traceId, address } = call
    call.caller = {
      ...{ kind: 'account', environment, requestId, traceId, address },
      ...{ accountId: 'acct_1', keyId: 'key_1', scopes: [] },
    }
    next()
  }
  const app = express()
  app.use(beginCall('live'), express.json(), authenticated)
  app.post('/v1/contacts/reveal', metered)
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const responding = fetch(`http://127.0.0.1:${port}/v1/contacts/reveal`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"contact_id":"con_1"}',
    })
    await vi.waitUntil(() => events.includes('asked'), patience)
    expect(events).toEqual(['entered', 'asked'])

    answer()
    await vi.waitUntil(() => events.includes('left'), patience)

    settle({ outcome: 'captured', credits: 5, available: 95, budgetRemaining: null })
    const response = await responding
    expect(response.status).toBe(200)
    expect(response.headers.get('x-credits-charged')).toBe('5')
    expect(await response.text()).toBe('{"contact":{}}')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
