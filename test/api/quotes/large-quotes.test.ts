import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

test('POST /v1/quotes tells the problems of all calls in at most 256 KiB, and of those behind only the code', async () => {
  const { liveKey } = await gateway.createAccount()
  const pairs = Array.from({ length: 100 }, (_, index) => [`${'n'.repeat(80)}${index}`, 1])
  const body = Object.fromEntries(pairs)
  const call = { method: 'POST', path: '/v1/contacts/reveal', body }

  const response = await gateway.live.post('/v1/quotes', { calls: Array(100).fill(call) }, liveKey)

  expect(response.status).toBe(200)
  const refusals: Record<string, unknown>[] = Object(response.body).items.map(
    (item: Record<string, unknown>) => item.refusal,
  )
  expect(refusals).toHaveLength(100)
  const told = refusals.filter(({ details }) => details !== null)
  expect(told.length).toBeGreaterThan(1)
  expect(Buffer.byteLength(JSON.stringify(told))).toBeLessThanOrEqual(256 * 1024)
  const message = 'The refusals of this quote name too many problems: quote this call alone.'
  expect(refusals.slice(told.length)).toEqual(
    Array(100 - told.length).fill({ code: 'INVALID_REQUEST', message, details: null }),
  )
})
