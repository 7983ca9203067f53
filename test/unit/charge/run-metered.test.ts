import { createSecretKey } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import { Deadlines } from '../../../rest-facade/backends/deadlines.ts'
import { chargeCountsOf } from '../../../rest-facade/charge/charge-counts.ts'
import type { Settlement } from '../../../rest-facade/charge/hold.ts'
import { createLedger, type Ledger } from '../../../rest-facade/charge/ledger.ts'
import { runMetered } from '../../../rest-facade/charge/run-metered.ts'
import { type Call, callOf } from '../../../rest-facade/http/call.ts'
import { beginCall } from '../../../rest-facade/steps/begin-call.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { patience } from '../../support/time/patience.ts'

const accepted = {
  ...{ verdict: 'accepted' as const, available: 95, answer: null, body: null },
  ...{ reservedAt: null, budgetRemaining: null, refusing: null },
}

/** A ledger that accepts each hold, and settles when the test says. */
function ledgerOf(settling: Promise<Settlement>, patienceMs: number): Ledger {
  const ledger = createLedger(async () => null)
  return {
    ...ledger,
    patience: { ...ledger.patience, settle: new Deadlines(patienceMs) },
    begin: (call) => call.reserved(accepted),
    end: (call) =>
      void settling.then(
        (settlement) => call.settled(settlement),
        (error: unknown) => call.failed(error),
      ),
  }
}

interface Started {
  readonly settling: Promise<Settlement>
  readonly answering: Promise<void>
  readonly patienceMs?: number
}

/** POST /v1/contacts/reveal of an authenticated caller; what happens, and the call as its log sees it. */
async function startReveal({ settling, answering, patienceMs = 60_000 }: Started) {
  const { services } = loadCatalog()
  const operation = services
    .flatMap(({ operations }) => operations)
    .find(({ service, path }) => service === 'contacts' && path === '/reveal')
  if (!operation) throw new Error('The catalog has no reveal.')
  const events: string[] = []
  const calls: Call[] = []
  const refunded: unknown[] = []
  const metered = runMetered(operation, {
    backend: {
      module: operation.backendModule,
      enter() {
        events.push('entered')
        let isInside = true
        return {
          send(_, client) {
            events.push('asked')
            const headers = { 'content-type': 'application/json' }
            const answer = { status: 200, headers, body: '{"contact":{}}' }
            void answering.then(() => client.answered(answer))
          },
          leave() {
            if (isInside) events.push('left')
            isInside = false
          },
        }
      },
      ...{ requirePlace: () => {}, isRefusing: () => false, close: async () => {} },
    },
    callerTokens: { requireSigner() {}, headersFor: () => [] },
    topUpUrl: null,
    async execute(name) {
      refunded.push(name)
      return null
    },
    ledger: ledgerOf(settling, patienceMs),
    ...{ holdTtlSeconds: 60, processId: 'proc_test', issuer: 'https://api.example.com/v1' },
    idempotency: {
      keyPrefix: 'svc',
      backendSecret: createSecretKey(new Uint8Array(32)),
      answerSecret: new Uint8Array(32),
    },
    log: createLog({ level: 'silent', format: 'json' }),
    counts: chargeCountsOf(createMetrics(), 'live', 'contacts'),
    addedSeconds: { observe: () => {} },
  })
  const authenticated: RequestHandler = (_req, res, next) => {
    const call = callOf(res)
    const { environment, requestId, traceId, address } = call
    call.caller = {
      ...{ kind: 'account', environment, requestId, traceId, address },
      ...{ accountId: 'acct_1', keyId: 'key_1', scopes: [] },
    }
    calls.push(call)
    next()
  }
  const failed: ErrorRequestHandler = (error, _req, res, _next) => {
    res.status(500).json({ code: error.code, message: error.message })
  }
  const app = express()
  app.use(beginCall('live'), express.json(), authenticated)
  app.post('/v1/contacts/reveal', metered)
  app.use(failed)
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const responding = fetch(`http://127.0.0.1:${port}/v1/contacts/reveal`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"contact_id":"con_1"}',
  })
  return { events, calls, refunded, responding }
}

test('POST /v1/contacts/reveal: leaves its place at the module when the module has answered, and then waits for its settlement', async () => {
  const { promise: settling, resolve: settle } = Promise.withResolvers<Settlement>()
  const { promise: answering, resolve: answer } = Promise.withResolvers<void>()
  const { events, responding } = await startReveal({ settling, answering })
  await vi.waitUntil(() => events.includes('asked'), patience)
  expect(events).toEqual(['entered', 'asked'])

  answer()
  await vi.waitUntil(() => events.includes('left'), patience)

  settle({ outcome: 'captured', credits: 5, available: 95, budgetRemaining: null })
  const response = await responding
  expect(response.status).toBe(200)
  expect(response.headers.get('x-credits-charged')).toBe('5')
  expect(await response.text()).toBe('{"contact":{}}')
})

test('POST /v1/contacts/reveal: a settlement that fails is answered as a failure, and what it cost stays unknown to the log', async () => {
  const { promise: settling, reject } = Promise.withResolvers<Settlement>()
  const answering = Promise.resolve()
  const { calls, events, responding } = await startReveal({ settling, answering })
  await vi.waitUntil(() => events.includes('left'), patience)

  reject(new Error('no outcome'))
  const response = await responding

  expect([response.status, await response.json()]).toEqual([500, { message: 'no outcome' }])
  await expect(calls[0]?.settling).rejects.toThrow('no outcome')
})

test('POST /v1/contacts/reveal: a charge that comes after the answer is given back, and the log has 0 credits', async () => {
  const { promise: settling, resolve: settle } = Promise.withResolvers<Settlement>()
  const started = await startReveal({ settling, answering: Promise.resolve(), patienceMs: 20 })

  const response = await started.responding
  settle({ outcome: 'captured', credits: 5, available: 95, budgetRemaining: null })

  expect(await response.json()).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  expect(await started.calls[0]?.settling).toEqual({ credits: 0 })
  expect(started.refunded).toEqual(['RefundCharge'])
})
