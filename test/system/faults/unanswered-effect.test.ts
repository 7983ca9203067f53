import { afterEach, describe, expect, test, vi } from 'vitest'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import {
  type ChaosProxy,
  type RequestFault,
  startChaosProxy,
} from '../../support/processes/chaos-proxy.ts'
import { patience } from '../../support/time/patience.ts'

const header = 'X-SVC-Idempotency-Key'

let database: TestDatabase
let proxy: ChaosProxy
let gateway: TestGateway

async function start(variables: Readonly<Record<string, string>> = {}): Promise<TestAccount> {
  database = await createTestDatabase()
  proxy = await startChaosProxy(database.serviceUrl)
  const DATABASE_URL = proxy.through(database.serviceUrl)
  gateway = await startTestGateway({ ...variables, DATABASE_URL }, { database })
  return gateway.createAccount()
}
afterEach(async () => {
  proxy.judge(null)
  await gateway.close()
  await proxy.close()
  await database.drop()
})

/** Sets the fault of each request that holds this text. */
function harm(text: string, fault: RequestFault): void {
  proxy.judge((bytes) => (bytes.includes(text) ? fault : null))
}

describe('POST /v1/account/keys that had its effect without an answer', () => {
  const issue = (key: string, name = 'Once') =>
    gateway.live.post('/v1/account/keys', { name }, key, { [header]: 'once' })

  const keys = () => database.query<object>('SELECT id FROM keys.api_key')
  const openHolds = () => database.query<object>('SELECT FROM account.open_holds')

  /** The one key beside the first, which works. */
  async function expectOneKey(liveKey: string, issued: object): Promise<void> {
    const { plaintext, ...key } = Object(issued)
    const { body } = await gateway.live.get('/v1/account/keys', plaintext)
    const { items } = Object(body)
    expect(items).toHaveLength(2)
    expect(items[0]).toMatchObject({ id: key.id, last4: plaintext.slice(-4), status: 'active' })
    const again = await issue(liveKey)
    expect([again.headers.get('Idempotent-Replayed'), again.body]).toEqual(['true', issued])
  }

  test('issues the same key again when the acknowledgement was lost, any number of times', async () => {
    const { liveKey } = await start()
    const lost: number[] = []

    harm('commit', 'cut the reply')
    // More often than the subgraph has connections.
    // A slow database may free the key only after the answer: 409 until then.
    while (lost.length < 10) {
      const { status } = await issue(liveKey)
      if (status !== 409) lost.push(status)
    }
    proxy.judge(null)
    const retried = await vi.waitUntil(async () => {
      const answer = await issue(liveKey)
      return answer.status !== 409 && answer
    }, patience)

    expect([new Set(lost), retried.status]).toEqual([new Set([503]), 201])
    await expectOneKey(liveKey, Object(retried.body))
  })

  test('issues the same key again when the process died before it stored the answer', async () => {
    const { liveKey } = await start({ BACKEND_TIMEOUT_MS: '1000', HOLD_TTL_SECONDS: '2' })

    // The settlement is lost, as after a crash: the hold runs out, and what comes too late finds it
    // gone.
    harm('settle-holds', 'lose the request')
    const lost = await issue(liveKey)
    proxy.judge(null)
    const retried = await issue(liveKey)

    expect([lost.status, retried.status]).toEqual([503, 201])
    await expectOneKey(liveKey, Object(retried.body))
  })

  test('issues another key when the answer came too late to be stored', async () => {
    const { liveKey } = await start({ BACKEND_TIMEOUT_MS: '1000', HOLD_TTL_SECONDS: '2' })

    harm('settle-holds', 'lose the request')
    const late = issue(liveKey)
    await vi.waitUntil(async () => (await keys()).length === 3, patience)
    await vi.waitUntil(async () => (await openHolds()).length === 0, patience)
    proxy.judge(null)
    const retried = await issue(liveKey)

    expect((await late).status).toBeGreaterThanOrEqual(503)
    expect(retried.status).toBe(201)
    await expectOneKey(liveKey, Object(retried.body))
  })

  test('issues another key once the answer is no longer stored', async () => {
    const { id, liveKey } = await start()
    const first = await issue(liveKey)
    await database.query(
      `UPDATE account.key_claim SET expires_at = expires_at - interval '24 h'
       WHERE account_id = $1`,
      [id],
    )
    await database.query(
      `UPDATE keys.done_change SET expires_at = expires_at - interval '24 h'
       WHERE account_id = $1`,
      [id],
    )

    const second = await issue(liveKey, 'Second')

    expect([second.status, Object(second.body).name]).toEqual([201, 'Second'])
    for (const { body } of [first, second]) {
      const { status } = await gateway.live.get('/v1/account', Object(body).plaintext)
      expect(status).toBe(200)
    }
  })
})

describe('a change that shows a secret and had its effect without an answer', () => {
  test.each([
    {
      path: '/v1/account/keys',
      body: { name: 'Once' },
      stored: 'SELECT id, secret_hash FROM keys.api_key ORDER BY id',
    },
    {
      path: '/v1/oauth/apps',
      body: { client_name: 'Once', redirect_uris: ['https://app.example.com/cb'] },
      stored: 'SELECT client_id, secret_hash FROM oauth.app',
    },
  ])(
    'shows the secret of the first attempt, to the key that asked: POST $path',
    async ({ path, body, stored }) => {
      const { id, liveKey } = await start({ BACKEND_TIMEOUT_MS: '1000', HOLD_TTL_SECONDS: '2' })
      const { plaintext: otherKey } = await gateway.createKey(id)
      const ask = (key: string) => gateway.live.post(path, body, key, { [header]: 'once' })
      const before = await database.query<object>(stored)

      // The settlement is lost, as after a crash: the answer is not kept, and the hold runs out.
      harm('settle-holds', 'lose the request')
      const lost = await ask(liveKey)
      proxy.judge(null)
      const made = await database.query<object>(stored)
      const foreign = await ask(otherKey)
      const retried = await ask(liveKey)
      const again = await ask(liveKey)

      expect([lost.status, retried.status, again.status]).toEqual([503, 201, 201])
      expect([foreign.status, Object(foreign.body).error.code]).toEqual([
        409,
        'IDEMPOTENCY_CONFLICT',
      ])
      expect(made).toHaveLength(before.length + 1)
      expect(await database.query<object>(stored)).toEqual(made)
      expect([again.headers.get('Idempotent-Replayed'), again.body]).toEqual(['true', retried.body])
      const { plaintext, client_secret } = Object(retried.body)
      expect(JSON.stringify(made)).toContain(sha256(plaintext ?? client_secret))
    },
  )
})
