import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'

const path = '/v1/contacts/reveal'
const canary = 'canary-of-a-contact'

let backend: StubBackend
let gateway: TestGateway
beforeAll(async () => {
  backend = await startStubBackend()
  gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
  backend.answer((_, res) =>
    sendBackendJson(res, 200, { email: canary, n: backend.received.length }),
  )
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

function reveal(key: string, reference: string) {
  return gateway.live.post(path, { contact_id: 'con_1' }, key, { 'Idempotency-Key': reference })
}

function stored(accountId: string) {
  return gateway.database.query<{ row: string; body: string }>(
    'SELECT k::text AS row, body FROM account.idempotency_key k WHERE account_id = $1',
    [accountId],
  )
}

describe('an answer that is stored for a retry', () => {
  test('is sealed, and is replayed byte for byte to every key of the account', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 100 })
    const other = await gateway.createKey(id)

    // Long enough to stand in no sealed text by chance.
    const reference = 'kept-for-a-retry-of-this-test'

    const first = await reveal(liveKey, reference)
    const again = await reveal(liveKey, reference)
    const elsewhere = await reveal(other.plaintext, reference)

    const rows = await stored(id)
    expect(rows).toHaveLength(1)
    expect(rows[0]?.row).not.toContain(canary)
    expect(rows[0]?.row).not.toContain(reference)
    for (const replay of [again, elsewhere]) {
      expect([replay.status, replay.body]).toEqual([200, first.body])
      expect(replay.headers.get('Idempotent-Replayed')).toBe('true')
      expect(replay.headers.get('X-Credits-Charged')).toBe('5')
    }
  })

  test('is sealed also if it holds no secret', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const other = await gateway.createKey(id)
    const asked = { url: `https://hooks.example.com/${canary}` }
    const endpoint = Object((await gateway.live.post('/v1/account/webhooks', asked, liveKey)).body)
    const change = (key: string) =>
      gateway.live.request(`/v1/account/webhooks/${endpoint.id}`, {
        ...{ method: 'PATCH', key, headers: { 'Idempotency-Key': 'change' } },
        body: { description: canary },
      })

    const first = await change(liveKey)
    const again = await change(other.plaintext)

    const rows = await stored(id)
    expect(rows).toHaveLength(1)
    expect(rows[0]?.row).not.toContain(canary)
    expect(first.body).toMatchObject({ ...asked, description: canary })
    expect([again.status, again.body]).toEqual([200, first.body])
  })

  test('opens for no other account, request or idempotency key: a swapped answer is 409, and costs nothing', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 100 })
    await reveal(liveKey, 'mine')
    await reveal(liveKey, 'yours')

    await gateway.database.query(
      `UPDATE account.key_answer a SET body = o.body FROM account.key_answer o
       WHERE a.account_id = $1 AND o.account_id = $1 AND o.request_id <> a.request_id`,
      [id],
    )
    const replay = await reveal(liveKey, 'mine')

    expect(replay.status).toBe(409)
    expect(Object(replay.body).error).toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      message:
        'The first request with this idempotency key was carried out; its answer can no longer be read.',
    })
    const { body } = await gateway.live.get('/v1/account/credits', liveKey)
    expect(body).toMatchObject({ balance: 90, held: 0 })
  })
})
