import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../sdk/src/index.ts'

describe('createGateway({ session: true })', () => {
  test('sends no credential of its own, and lets the browser send the cookie to its own origin', async () => {
    const sent: RequestInit[] = []
    const gateway = createGateway({
      ...{ baseUrl: 'https://api.example.com', session: true },
      fetch: async (_address, init = {}) => {
        sent.push(init)
        return Response.json({ balance: 1 })
      },
    })

    await gateway.account.getCredits()

    expect(sent).toHaveLength(1)
    expect(sent[0]?.credentials).toBe('same-origin')
    expect(new Headers(sent[0]?.headers).get('authorization')).toBeNull()
  })

  test('sends the key of a single call, which signs a browser in', async () => {
    const sent: RequestInit[] = []
    const gateway = createGateway({
      ...{ baseUrl: 'https://api.example.com', session: true },
      fetch: async (_address, init = {}) => {
        sent.push(init)
        return Response.json({}, { status: 201 })
      },
    })

    await gateway.oauth.openSession({}, { headers: { authorization: 'Bearer svc_live_1' } })

    expect(new Headers(sent[0]?.headers).get('authorization')).toBe('Bearer svc_live_1')
  })
})

test('createGateway with a key says nothing about cookies', async () => {
  const sent: RequestInit[] = []
  const gateway = createGateway({
    ...{ baseUrl: 'https://api.example.com', apiKey: 'svc_live_1' },
    fetch: async (_address, init = {}) => {
      sent.push(init)
      return Response.json({ balance: 1 })
    },
  })

  await gateway.account.getCredits()

  expect(sent[0]).not.toHaveProperty('credentials')
  expect(new Headers(sent[0]?.headers).get('authorization')).toBe('Bearer svc_live_1')
})
