import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newOAuthSecret } from '../../../../schema/credentials/oauth-secret-format.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/database/database.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import { type PlantedGrant, plantApp, plantGrant } from '../../../support/oauth/oauth.ts'
import { introspect, postForm, withoutMinuteLimits } from '../../../support/oauth/oauth-flow.ts'
import { patience } from '../../../support/time/patience.ts'

let database: TestDatabase
let gateways: readonly [TestGateway, TestGateway]
beforeAll(async () => {
  database = await createTestDatabase()
  // Accounts are believed for an hour: only a notice can make a gateway forget one.
  const variables = { ...withoutMinuteLimits, KEY_CACHE_SECONDS: '3600' }
  gateways = await Promise.all([
    startTestGateway(variables, { database }),
    startTestGateway(variables, { database }),
  ])
})
afterAll(async () => {
  await Promise.all(gateways.map((one) => one.close()))
  await database.drop()
})

/** Grants of one app, each of an account of its own. */
async function plantGrants(count: number, scopes: readonly string[]): Promise<PlantedGrant[]> {
  const [here] = gateways
  const { id: ownerId } = await here.createAccount()
  const app = await plantApp({ database }, { ownerId })
  const grants: PlantedGrant[] = []
  for (let made = 0; made < count; made += 1) {
    const { id: accountId } = await here.createAccount()
    grants.push(await plantGrant({ database }, { app, ownerId, accountId, scopes }))
  }
  return grants
}

function redeem({ live }: TestGateway, { clientId, clientSecret, code }: PlantedGrant) {
  return postForm(live, '/v1/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: 'https://app.example/callback',
    client_id: clientId,
    client_secret: clientSecret,
  })
}

function ask({ live }: TestGateway, { clientId, clientSecret }: PlantedGrant, token: string) {
  return introspect(live, { clientId, secret: clientSecret, developer: nobody }, token)
}

const nobody = { id: '', liveKey: '', sandboxKey: '' }

interface Stored {
  readonly grant_id: string
  readonly tokens: number
  readonly is_revoked: boolean
}

/** How many access tokens each grant has, but for the planted one, and whether it has ended. */
function readGrants(grants: readonly PlantedGrant[]): Promise<Stored[]> {
  return database.query<Stored>(
    `SELECT g.id AS grant_id, count(t.token_hash)::int - 1 AS tokens,
       g.revoked_at IS NOT NULL AS is_revoked
     FROM oauth.authorization_grant g JOIN oauth.access_token t ON t.grant_id = g.id
     WHERE g.id = ANY ($1) GROUP BY g.id ORDER BY g.id`,
    [grants.map(({ grantId }) => grantId)],
  )
}

describe('POST /v1/oauth/token, many calls at once', () => {
  test('answers each code with the tokens of its own grant (docs/oauth-rules.md 58, 65)', async () => {
    const [here] = gateways
    const plain = await plantGrants(8, ['account:read'])
    const refreshable = await plantGrants(8, ['offline_access', 'account:read'])
    const grants = [...plain, ...refreshable]

    const answers = await Promise.all(grants.map((grant) => redeem(here, grant)))

    expect(answers.map(({ status }) => status)).toEqual(grants.map(() => 200))
    expect(
      answers.map(({ body }) => [Object(body).scope, 'refresh_token' in Object(body)]),
    ).toEqual([
      ...plain.map(() => ['account:read', false]),
      ...refreshable.map(() => ['offline_access account:read', true]),
    ])
    const told = await Promise.all(
      grants.map((grant, index) => ask(here, grant, Object(answers[index]?.body).access_token)),
    )
    const owners = await database.query<{ account_id: string }>(
      'SELECT account_id FROM oauth.authorization_grant WHERE id = ANY ($1) ORDER BY id',
      [grants.map(({ grantId }) => grantId)],
    )
    const subjects = grants
      .map(({ grantId }, index) => ({ grantId, sub: Object(told[index]?.body).sub }))
      .sort((a, b) => (a.grantId < b.grantId ? -1 : 1))
      .map(({ sub }) => sub)
    expect(subjects).toEqual(owners.map(({ account_id }) => account_id))
    expect((await readGrants(grants)).map(({ tokens }) => tokens)).toEqual(grants.map(() => 1))
  })

  test('has one winner for each code that is sent four times to two gateways, and ends its grant (docs/oauth-rules.md 62, 63)', async () => {
    const grants = await plantGrants(12, ['account:read'])
    const attempts = [0, 1, 2, 3].flatMap((round) => {
      // In another order each time: no two gateways may wait for each other's codes.
      const inOrder = round % 2 === 0 ? grants : grants.toReversed()
      return inOrder.map((grant) => ({ grant, gateway: gateways[round < 2 ? 0 : 1] }))
    })

    const answers = await Promise.all(
      attempts.map(async ({ gateway, grant }) => {
        const { status, body } = await redeem(gateway, grant)
        return { grantId: grant.grantId, status, error: Object(body).error }
      }),
    )

    for (const { grantId } of grants) {
      const own = answers.filter((answer) => answer.grantId === grantId)
      expect(own.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400, 400, 400])
      expect(own.filter(({ error }) => error === 'invalid_grant')).toHaveLength(3)
    }
    expect(await readGrants(grants)).toEqual(
      grants
        .map(({ grantId }) => ({ grant_id: grantId, tokens: 1, is_revoked: true }))
        .sort((a, b) => (a.grant_id < b.grant_id ? -1 : 1)),
    )
  })
})

describe('POST /v1/oauth/introspect, many calls at once', () => {
  test('tells each app about its own tokens, and about nothing else (docs/oauth-rules.md 94, 96, 97)', async () => {
    const [here] = gateways
    const [[one], [other]] = [await plantGrants(1, ['openid']), await plantGrants(1, ['openid'])]
    if (!one || !other) throw new Error('Nothing was planted.')
    const unknown = newOAuthSecret('svc', 'oat')
    const tokens = [one, other].flatMap(({ accessToken, refreshToken }) => [
      accessToken,
      refreshToken,
    ])
    tokens.push(unknown, one.code)
    const questions = [one, other, one, other].flatMap((asker) =>
      tokens.map((token) => ({ asker, token })),
    )

    const answers = await Promise.all(questions.map(({ asker, token }) => ask(here, asker, token)))

    for (const [index, { asker, token }] of questions.entries()) {
      const isOwn = [asker.accessToken, asker.refreshToken].includes(token)
      const { status, body } = answers[index] ?? {}
      expect(status).toBe(200)
      if (!isOwn) expect(body).toEqual({ active: false })
      else expect(body).toMatchObject({ active: true, client_id: asker.clientId, scope: 'openid' })
    }
  })

  test('is inactive for a suspended account at once there, then on every gateway (docs/oauth-rules.md 73)', async () => {
    const [grant] = await plantGrants(1, ['openid'])
    if (!grant) throw new Error('Nothing was planted.')
    const [here, there] = gateways
    const isActive = async (gateway: TestGateway) =>
      Object((await ask(gateway, grant, grant.accessToken)).body).active
    expect([await isActive(here), await isActive(there)]).toEqual([true, true])
    const [{ account_id: id } = { account_id: '' }] = await database.query<{ account_id: string }>(
      'SELECT account_id FROM oauth.authorization_grant WHERE id = $1',
      [grant.grantId],
    )

    await here.graphql(
      'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
      { input: { id, status: 'SUSPENDED' } },
    )

    expect(await isActive(here)).toBe(false)
    await expect.poll(() => isActive(there), patience).toBe(false)
  })
})
