import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import { createOverload } from '../../../gateway/overload/overload.ts'
import { createStrangers } from '../../../gateway/overload/strangers.ts'
import { limitsOf } from '../../../rest-facade/backends/protection.ts'
import { createRefusedCallers } from '../../../rest-facade/callers/refused-callers.ts'
import type { Call } from '../../../rest-facade/http/call.ts'
import { shareOf } from '../../../rest-facade/rate-limit/share-of.ts'
import { answeringGraph } from '../../support/graph/answering-graph.ts'

const counts = [1, 2, 3, 8, 64]

test.each(counts)(
  '%i workers together have no more than a limit, and each at least 1',
  (workers) => {
    for (const limit of [1, 10, 64, 500, 4000]) {
      const share = shareOf(limit, workers)
      expect(share).toBeGreaterThanOrEqual(1)
      if (limit >= workers) expect(share * workers).toBeLessThanOrEqual(limit)
      expect(share).toBe(Math.max(1, Math.floor(limit / workers)))
    }
  },
)

test('the places of a module are divided, and an account has a quarter of each part', () => {
  expect(limitsOf(1)).toEqual({
    places: { maxRunning: 128, maxWaiting: 500, share: 1 / 4, reserve: 64 },
    maxRetryCredit: 10,
    breaker: { minCalls: 100, minFailuresOfOthers: 10 },
  })
  expect(limitsOf(8)).toEqual({
    places: { maxRunning: 16, maxWaiting: 62, share: 1 / 4, reserve: 8 },
    maxRetryCredit: 1,
    breaker: { minCalls: 12, minFailuresOfOthers: 10 },
  })
})

test('MAX_CONCURRENT_REQUESTS: a worker refuses above its part', () => {
  const log = pino({ level: 'silent' })
  const overload = createOverload({
    ...{ maxRequests: shareOf(1000, 4), maxDelayMs: 20, log, metrics: createMetrics() },
  })
  const isRefusedAt = (count: number) =>
    overload.guard({
      ...{ count: () => count, working: () => 0, heldBy: () => 0, strangers: createStrangers() },
    })(new IncomingMessage(new Socket())) === null

  expect(isRefusedAt(249)).toBe(false)
  expect(isRefusedAt(250)).toBe(true)
  overload.close()
})

test('lines of refused callers are divided, and the others are counted in a later line', async () => {
  const written: { readonly details: { readonly not_recorded_before: number } }[] = []
  const trail = createRefusedCallers(
    answeringGraph((operation, variables) => {
      if (operation === 'RecordAuditEvents') written.push(...Object(variables).events)
    }),
    { clockMs: () => 0, processes: 4 },
  )
  const caller = { accountId: 'acct_1', keyId: 'key_1' }
  const call = { caller, environment: 'live', arrivedAt: new Date(0), address: '127.0.0.1' }

  for (let refusal = 0; refusal < 9; refusal += 1) {
    trail.note(call as unknown as Call, 'FORBIDDEN')
  }
  await trail.writeAll()

  // Five at once, and the other four in the line of the end.
  expect(written.map(({ details }) => details.not_recorded_before)).toEqual([0, 0, 0, 0, 0, 3])
})
