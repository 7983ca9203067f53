import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import { approve, consent, registerApp, requestOf } from '../../../support/oauth/asking.ts'
import { withoutMinuteLimits } from '../../../support/oauth/oauth-flow.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway(withoutMinuteLimits)
})
afterAll(() => gateway.close())

const noApp = { status: 404, code: 'NOT_FOUND', message: 'No OAuth app has this id.' } as const

function owners(clientId: string, key: string, query = '') {
  return gateway.live.get(`/v1/oauth/apps/${clientId}/owners${query}`, key)
}

/** Sums of calls, as the usage log makes them. */
async function plantUse(accountId: string, clientId: string, day: string, credits: number) {
  await gateway.database.query(
    `INSERT INTO usage.usage_key (account_id, environment, unit, start, service, key_id, client_id,
       external_id, is_session, requests, successes, credits, first_id, last_id)
     VALUES ($1, 'live', 'day', date_trunc('day', now(), 'UTC') - $3::interval, 'contacts', '', $2,
       '', false, 1, 1, $4, 'req_1', 'req_1')`,
    [accountId, clientId, day, credits],
  )
}

describe('GET /v1/oauth/apps/{client_id}/owners', () => {
  test('lists who has approved the app, with what it spent in 30 days, and budgets where the app may read them (docs/oauth-rules.md 145)', async () => {
    const app = await registerApp(gateway)
    const [open, closed] = [await gateway.createAccount(), await gateway.createAccount()]
    const asked = requestOf(app, { scope: 'openid account:read', budgets: 'month:500' })
    const { status } = await consent(gateway.live, asked, open.liveKey)
    expect(status).toBe(200)
    await approve(gateway.live, requestOf(app, { budgets: 'month:70' }), closed.liveKey)
    await plantUse(open.id, app.clientId, '1 day', 40)
    await plantUse(open.id, app.clientId, '2 days', 2)
    await plantUse(open.id, app.clientId, '40 days', 900)
    await plantUse(open.id, newId('app'), '1 day', 7)

    const response = await owners(app.clientId, app.developer.liveKey)

    const granted_at = expect.stringMatching(/^\d{4}-.*Z$/)
    expect([response.status, response.body]).toEqual([
      200,
      {
        items: [
          { account_id: closed.id, scope: 'openid', granted_at, spent_credits: 0 },
          {
            ...{ account_id: open.id, scope: 'openid account:read', granted_at, spent_credits: 42 },
            budgets: [
              expect.objectContaining({ period: 'month', limit_credits: 500, used_credits: 0 }),
            ],
          },
        ],
        next_cursor: null,
      },
    ])
  })

  test('pages through, and leaves out who has withdrawn the consent (docs/oauth-rules.md 145)', async () => {
    const app = await registerApp(gateway)
    const ids: string[] = []
    for (let made = 0; made < 3; made += 1) {
      const owner = await gateway.createAccount()
      await approve(gateway.live, requestOf(app), owner.liveKey)
      ids.unshift(owner.id)
    }
    const gone = await gateway.createAccount()
    await approve(gateway.live, requestOf(app), gone.liveKey)
    const withdrawn = await gateway.live.request(`/v1/oauth/consents/${app.clientId}`, {
      ...{ method: 'DELETE', key: gone.liveKey },
    })
    expect(withdrawn.status).toBe(200)

    const { liveKey } = app.developer
    const first = Object((await owners(app.clientId, liveKey, '?limit=2')).body)
    const rest = `?limit=2&cursor=${first.next_cursor}`
    const second = Object((await owners(app.clientId, liveKey, rest)).body)

    const idsOf = (page: { items: { account_id: string }[] }) =>
      page.items.map(({ account_id }) => account_id)
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids)
    expect(second.next_cursor).toBeNull()
  })

  test('is 404 for everybody but the account of the app, its owners too (docs/oauth-rules.md 145)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    await approve(gateway.live, requestOf(app), owner.liveKey)

    expectError(gateway, await owners(app.clientId, owner.liveKey), noApp)
    expectError(gateway, await owners(newId('app'), app.developer.liveKey), noApp)
  })
})
