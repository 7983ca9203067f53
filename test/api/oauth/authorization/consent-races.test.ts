import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import { whileHeld } from '../../../support/database/held-transaction.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import { agentOf, agentRequest, asOperator, registerItself } from '../../../support/oauth/agents.ts'
import {
  approve,
  authorize,
  consent,
  grantsOf,
  refusalOf,
  registerApp,
  requestOf,
  shownTo,
  signIn,
  unknownApp,
} from '../../../support/oauth/asking.ts'

let gateway: TestGateway
let other: TestGateway
beforeAll(async () => {
  const variables = { OAUTH_LIMITS: 'authorize=0,register=0' }
  gateway = await startTestGateway(variables)
  other = await startTestGateway(variables, { database: gateway.database })
})
afterAll(async () => {
  await other.close()
  await gateway.close()
})

async function consentsOf(clientId: string): Promise<object[]> {
  return gateway.database.query(
    `SELECT account_id, scopes, revoked_at IS NULL AS is_active FROM oauth.consent
     WHERE client_id = $1`,
    [clientId],
  )
}

/** Picks one of the two gateways alternately. */
function hostOf(index: number) {
  return index % 2 === 0 ? gateway.live : other.live
}

describe('decisions at the same time', () => {
  test('of one owner for one app, 40 at once, give 40 grants with a code each, and one consent (docs/oauth-rules.md 44, 47)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const scopes = ['openid', 'openid email', 'openid account:read', 'profile']

    const approved = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const query = requestOf(app, { scope: scopes[index % 4] ?? '' })
        return approve(hostOf(index), query, owner.liveKey)
      }),
    )

    expect(new Set(approved.map(({ code }) => code)).size).toBe(40)
    expect(await grantsOf(gateway, owner)).toHaveLength(40)
    const [codes] = await gateway.database.query(
      `SELECT count(DISTINCT code_hash)::int AS codes, count(DISTINCT grant_id)::int AS grants
       FROM oauth.authorization_code WHERE account_id = $1`,
      [owner.id],
    )
    expect(codes).toEqual({ codes: 40, grants: 40 })
    expect(await consentsOf(app.clientId)).toEqual([
      {
        account_id: owner.id,
        scopes: ['account:read', 'email', 'openid', 'profile'],
        is_active: true,
      },
    ])
  })

  test('with one consent token, 20 at once, give exactly one code (docs/oauth-rules.md §4)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const browser = await signIn(gateway.live, owner.liveKey)
    const query = requestOf(app)
    const decided = `${query}&consent_token=${await shownTo(gateway.live, browser, query)}`

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const host = hostOf(index)
        return consent(host, decided, undefined, { ...browser.headers, origin: host.url })
      }),
    )

    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(19)
    for (const [index, answer] of refused.entries()) {
      // The addresses of the documentation differ.
      const isHere = JSON.stringify(answer.body).includes(`${gateway.baseUrl}/docs`)
      const named = refusalOf(isHere ? gateway : other, answer)
      expect([index, named]).toEqual([index, ['consent_token: was used before']])
    }
    expect(await grantsOf(gateway, owner)).toHaveLength(1)
  })

  test('to approve and to deny with one token have one winner (docs/oauth-rules.md §4)', async () => {
    const app = await registerApp(gateway)
    const query = requestOf(app)
    for (let round = 0; round < 5; round += 1) {
      const owner = await gateway.createAccount()
      const browser = await signIn(gateway.live, owner.liveKey)
      const decided = `${query}&consent_token=${await shownTo(gateway.live, browser, query)}`

      const answers = await Promise.all(
        ['allow', 'deny', 'allow', 'deny'].map((decision) =>
          consent(gateway.live, `${decided}&decision=${decision}`, undefined, browser.headers),
        ),
      )

      const decisions = answers.filter(({ status }) => status === 200)
      expect(decisions).toHaveLength(1)
      const isGranted = Object(decisions[0]?.body).status === 'approved'
      expect(await grantsOf(gateway, owner)).toHaveLength(isGranted ? 1 : 0)
    }
  })

  test('wait for a suspension of the app that is under way, and then find no such app (docs/oauth-rules.md 18)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    await approve(gateway.live, requestOf(app), owner.liveKey)

    const response = await whileHeld(
      gateway.database,
      [
        `WITH locked AS MATERIALIZED (
           SELECT client_id FROM oauth.app WHERE client_id = $1 FOR UPDATE
         )
         UPDATE oauth.app a SET suspended_at = now() FROM locked l
         WHERE a.client_id = l.client_id`,
        [app.clientId],
      ],
      {
        started: () => consent(gateway.live, requestOf(app), owner.liveKey),
        waiting: 1,
      },
    )

    expect(refusalOf(gateway, response)).toEqual([unknownApp])
    expect(await grantsOf(gateway, owner)).toHaveLength(1)
  })

  test('take effect before a denial of the host of the app, or not at all (docs/oauth-rules.md 135)', async () => {
    const host = `${newId('app').replace('_', '-')}.example`
    const redirect_uri = `https://${host}/cb`
    const clientId = await registerItself(gateway.live, { redirect_uris: [redirect_uri] })
    const asked = agentRequest(agentOf(clientId), { redirect_uri, budgets: 'month:500' })
    const owner = await gateway.createAccount()
    const denial = `mutation { result: denyAppHost(host: "${host}") }`

    const [decision, denied] = await whileHeld(
      gateway.database,
      ['SELECT FROM oauth.app WHERE client_id = $1 FOR UPDATE', [clientId]],
      {
        async started(untilOneWaits) {
          const approval = consent(gateway.live, asked, owner.liveKey)
          await untilOneWaits()
          return Promise.all([approval, asOperator(gateway, denial)])
        },
        waiting: 2,
      },
    )

    expect([decision.status, denied]).toEqual([200, { result: 1 }])
    expect(await consentsOf(clientId)).toMatchObject([{ is_active: false }])
  })

  test('do not hold up the suspension of the app (docs/oauth-rules.md 18)', async () => {
    const apps = await Promise.all(Array.from({ length: 6 }, () => registerApp(gateway)))
    const owner = await gateway.createAccount()
    await Promise.all(apps.map((app) => approve(gateway.live, requestOf(app), owner.liveKey)))

    const statuses = await Promise.all(
      apps.flatMap((app) => [
        ...Array.from({ length: 6 }, async () => {
          const { status } = await consent(gateway.live, requestOf(app), owner.liveKey)
          return status
        }),
        gateway.live
          .request(`/v1/oauth/apps/${app.clientId}`, {
            method: 'DELETE',
            key: app.developer.liveKey,
          })
          .then(({ status }) => -status),
      ]),
    )

    // No deadlock: each is granted or refused, and every app is suspended.
    expect(statuses.filter((status) => status < 0)).toEqual(apps.map(() => -200))
    expect(new Set(statuses.filter((status) => status > 0))).not.toContain(503)
    for (const { clientId } of apps) {
      expect(await consentsOf(clientId)).toMatchObject([{ is_active: false }])
    }
    const alive = await gateway.database.query(
      `SELECT 1 FROM oauth.authorization_grant WHERE account_id = $1 AND revoked_at IS NULL`,
      [owner.id],
    )
    expect(alive).toEqual([])
  })

  test('to approve take effect before or after a withdrawal of the consent (docs/oauth-rules.md 47)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    await approve(gateway.live, requestOf(app), owner.liveKey)
    const withdraw = () =>
      gateway.live.request(`/v1/oauth/consents/${app.clientId}`, {
        method: 'DELETE',
        key: owner.liveKey,
      })

    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        index % 4 === 3 ? withdraw() : consent(hostOf(index), requestOf(app), owner.liveKey),
      ),
    )
    await withdraw()

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const alive = await gateway.database.query(
      `SELECT 1 FROM oauth.authorization_grant WHERE account_id = $1 AND revoked_at IS NULL`,
      [owner.id],
    )
    expect(alive).toEqual([])
  })

  test('take effect before the browser signs out, or not at all (docs/oauth-rules.md §4)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const browser = await signIn(gateway.live, owner.liveKey)
    const query = requestOf(app)
    const decided = `${query}&consent_token=${await shownTo(gateway.live, browser, query)}`

    const response = await whileHeld(
      gateway.database,
      ['UPDATE oauth.session SET ended_at = now() WHERE id = $1', [browser.sessionId]],
      {
        started: () => consent(gateway.live, decided, undefined, browser.headers),
        waiting: 1,
      },
    )

    expect(refusalOf(gateway, response)).toEqual(['consent_token: is of a session that is over'])
    expect(await grantsOf(gateway, owner)).toEqual([])
    const { body } = await authorize(gateway.live, query, undefined, { cookie: browser.cookie })
    expect(Object(body).login_required).toBe(true)
  })
})
