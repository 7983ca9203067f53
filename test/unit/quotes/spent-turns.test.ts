import { setImmediate } from 'node:timers/promises'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quoteCalls } from '../../../rest-facade/charge/quotes/quote-calls.ts'
import { type Call, setCall } from '../../../rest-facade/http/call.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { createClient } from '../../support/requests/client.ts'

/** What happens to a quote, in its order. */
const events: string[] = []
const call = {
  ...{ requestId: 'req_1', environment: 'live', rateLimitRps: 10, budgetOwners: [] },
  caller: { kind: 'account', accountId: 'acct_1', scopes: ['*'], environment: 'live' },
  ...{ rateWindow: null, corsHeaders: {}, routeHeaders: {} },
  spent: { noteTurn: () => void events.push('turn') },
} as unknown as Call

const app = express()
app.post(
  '/v1/quotes',
  express.json(),
  (_req, res, next) => {
    setCall(res, call)
    next()
  },
  quoteCalls({
    ...{ catalog: loadCatalog(), issuer: 'http://x/v1' },
    async limiter() {
      await setImmediate()
      events.push('counted elsewhere')
      return { limitRps: 10, remaining: 5, resetAtSeconds: 1, isExceeded: false }
    },
    topUpUrl: null,
    async execute(operation) {
      events.push(operation)
      return { available: 100, as_of: new Date(0).toISOString() }
    },
  }),
)
const server = app.listen(0, '127.0.0.1')
beforeAll(async () => {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
})
afterAll(() => new Promise((resolve) => void server.close(resolve)))

test('POST /v1/quotes: calls are judged in a turn of the account, also when another process counts them', async () => {
  const address = Object(server.address())
  const reveal = { method: 'POST', path: '/v1/contacts/reveal', body: { contact_id: 'con_1' } }
  const { status } = await createClient(`http://127.0.0.1:${address.port}`).post('/v1/quotes', {
    calls: Array.from({ length: 20 }, () => reveal),
  })

  expect(status).toBe(200)
  expect(events).toEqual(['turn', 'counted elsewhere', 'turn', 'QuoteCalls', 'turn'])
})
