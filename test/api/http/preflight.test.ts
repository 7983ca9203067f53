import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ KEY_PREFIX: 'acme' })
})
afterAll(() => gateway.close())

/** The headers that a browser may send when it asks for these. */
async function allowed(asked: string): Promise<string[]> {
  const { status, headers } = await gateway.live.request('/v1/contacts/reveal', {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://app.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': asked,
    },
  })
  expect(status).toBe(204)
  return headers.get('access-control-allow-headers')?.toLowerCase().split(', ') ?? []
}

describe('a CORS preflight', () => {
  test('allows the idempotency key under the name that KEY_PREFIX gives it', async () => {
    const names = await allowed('authorization, content-type,x-acme-idempotency-key')

    expect(names).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'x-acme-idempotency-key']),
    )
    expect(names).not.toContain('x-svc-idempotency-key')
  })

  test('allows no other header that it asks for', async () => {
    expect(await allowed('cookie, x-idempotency-key-acme')).toEqual(await allowed('authorization'))
  })
})
