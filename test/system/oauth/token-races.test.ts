import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { atNight, rounds } from '../../support/extent/extent.ts'
import {
  asTestGateway,
  startTestGateway,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import {
  aliveOf,
  allDead,
  approve,
  authorize,
  credentialsOf,
  encodeForm,
  expectFailure,
  type Form,
  familiesOf,
  invalidGrant,
  newVerifier,
  type RegisteredApp,
  redeem,
  redirectUri,
  refresh,
  registerApp,
  revoke,
  type Tokens,
  tokensOf,
  withoutMinuteLimits,
} from '../../support/oauth/oauth-flow.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { findForms } from '../../support/requests/needles.ts'

/** Each starts a gateway and redeems 12 codes three times each. */
const redemptionKills = rounds('REDEMPTION_KILLS', { all: 1, nightly: 12 })

/** Several gateways on one database, as in production: nothing but the database can decide a race. */
describe('tokens under concurrent requests', () => {
  let database: TestDatabase
  let gateways: readonly TestGateway[]
  beforeAll(async () => {
    database = await createTestDatabase()
    // One after the other: the first migrates, and makes the signing key.
    const first = await startTestGateway(withoutMinuteLimits, { database })
    const others = [0, 1].map(() => startTestGateway(withoutMinuteLimits, { database }))
    gateways = [first, ...(await Promise.all(others))]
  })
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()))
    await database.drop()
  })

  function gatewayOf(index: number): TestGateway {
    const gateway = gateways[index % gateways.length]
    if (!gateway) throw new Error('No gateway was started.')
    return gateway
  }

  /** Each of the requests at another gateway, all at once. */
  function together(
    count: number,
    ask: (gateway: TestGateway) => Promise<TestResponse>,
  ): Promise<TestResponse[]> {
    return Promise.all(Array.from({ length: count }, (_, index) => ask(gatewayOf(index))))
  }

  /** Issuers differ by gateway, so only what is common to their refusals is looked at. */
  function expectRefusals(responses: readonly TestResponse[]): void {
    for (const { status, body } of responses) {
      expect([status, Object(body).error]).toEqual([400, 'invalid_grant'])
    }
  }

  async function expectDead(app: RegisteredApp, issued: readonly Tokens[]): Promise<void> {
    for (const gateway of gateways) {
      for (const tokens of issued) {
        expect(await aliveOf(gateway.live, app, tokens)).toEqual(allDead)
        expectFailure(gateway, await refresh(gateway.live, app, tokens.refreshToken), invalidGrant)
      }
    }
  }

  test.each(atNight ? [2, 2, 2, 2, 10, 50] : [2, 10, 50])(
    '%i redemptions of one code: one succeeds, and its family is dead (docs/oauth-rules.md 63)',
    async (count) => {
      const gateway = gatewayOf(0)
      const app = await registerApp(gateway)
      const owner = await gateway.createAccount()
      const verifier = newVerifier()
      const bystander = await authorize(gateway, app, { owner })
      const code = await approve(gateway, app, { owner, verifier })

      const responses = await together(count, ({ live }) =>
        redeem(live, app, code, { code_verifier: verifier }),
      )

      const { successes = [], refusals = [] } = Object.groupBy(responses, ({ status }) =>
        status === 200 ? 'successes' : 'refusals',
      )
      expect(successes).toHaveLength(1)
      expectRefusals(refusals)
      expect(await familiesOf(gateway, app)).toMatchObject([
        { isAlive: true },
        { isAlive: false, because: 'code_replay', accessTokens: 1, refreshTokens: 1 },
      ])
      await expectDead(app, successes.map(tokensOf))
      expect((await refresh(gateway.live, app, bystander.refreshToken)).status).toBe(200)
    },
  )

  test.each(atNight ? [2, 2, 2, 2, 2, 2, 10, 10, 50] : [2, 10, 50])(
    '%i uses of one refresh token: one succeeds, and its family is dead (docs/oauth-rules.md 69)',
    async (count) => {
      const gateway = gatewayOf(0)
      const app = await registerApp(gateway)
      const owner = await gateway.createAccount()
      const bystander = await authorize(gateway, app, { owner })
      const tokens = await authorize(gateway, app, { owner })

      const responses = await together(count, ({ live }) => refresh(live, app, tokens.refreshToken))

      const { successes = [], refusals = [] } = Object.groupBy(responses, ({ status }) =>
        status === 200 ? 'successes' : 'refusals',
      )
      expect(successes).toHaveLength(1)
      expectRefusals(refusals)
      expect(await familiesOf(gateway, app)).toMatchObject([
        { isAlive: true },
        { isAlive: false, because: 'refresh_reuse', accessTokens: 2, refreshTokens: 2 },
      ])
      await expectDead(app, [tokens, ...successes.map(tokensOf)])
      expect((await refresh(gateway.live, app, bystander.refreshToken)).status).toBe(200)
    },
  )

  test('a request that started before the first use has no grace (docs/oauth-rules.md 69)', async () => {
    const gateway = gatewayOf(0)
    const app = await registerApp(gateway)
    const tokens = await authorize(gateway, app, { owner: await gateway.createAccount() })
    const hash = sha256(tokens.refreshToken)
    // The token is used as by another gateway, a moment after the statement of this one had begun.
    await database.query(
      `UPDATE oauth.refresh_token SET consumed_at = now() + interval '5 s' WHERE token_hash = $1`,
      [hash],
    )

    const response = await refresh(gateway.live, app, tokens.refreshToken)

    expectFailure(gateway, response, invalidGrant)
    await expectDead(app, [tokens])
  })

  test('a refresh never overtakes a replay: in either order all tokens end (docs/oauth-rules.md 62)', async () => {
    for (let round = 0; round < 5; round += 1) {
      const gateway = gatewayOf(round)
      const app = await registerApp(gateway)
      const tokens = await authorize(gateway, app, { owner: await gateway.createAccount() })

      const [refreshed, replayed] = await Promise.all([
        refresh(gatewayOf(1).live, app, tokens.refreshToken),
        redeem(gatewayOf(2).live, app, tokens.code),
      ])

      expect(replayed.status).toBe(400)
      expect([200, 400]).toContain(refreshed.status)
      const issued = refreshed.status === 200 ? [tokensOf(refreshed)] : []
      await expectDead(app, [tokens, ...issued])
    }
  })

  test('a refresh during the revocation of its grant leaves no valid token (docs/oauth-rules.md 102)', async () => {
    for (let round = 0; round < 5; round += 1) {
      const gateway = gatewayOf(round)
      const app = await registerApp(gateway)
      const tokens = await authorize(gateway, app, { owner: await gateway.createAccount() })

      const [refreshed, revoked] = await Promise.all([
        refresh(gatewayOf(1).live, app, tokens.refreshToken),
        revoke(gatewayOf(2).live, app, tokens.refreshToken),
      ])

      expect([revoked.status, revoked.body]).toEqual([200, {}])
      expect([200, 400]).toContain(refreshed.status)
      const issued = refreshed.status === 200 ? [tokensOf(refreshed)] : []
      await expectDead(app, [tokens, ...issued])
    }
  })

  test('a redemption during the suspension of its app leaves no valid token (docs/oauth-rules.md 18)', async () => {
    for (let round = 0; round < 5; round += 1) {
      const gateway = gatewayOf(round)
      const app = await registerApp(gateway)
      const code = await approve(gateway, app, { owner: await gateway.createAccount() })

      const [redeemed] = await Promise.all([
        redeem(gatewayOf(1).live, app, code),
        gatewayOf(2).live.request(`/v1/oauth/apps/${app.clientId}`, {
          method: 'DELETE',
          key: app.developer.liveKey,
        }),
      ])

      expect([200, 400, 401]).toContain(redeemed.status)
      expect(await familiesOf(gateway, app)).toMatchObject([
        { isAlive: false, because: 'app_suspended' },
      ])
      if (redeemed.status !== 200) continue
      const { accessToken } = tokensOf(redeemed)
      for (const { live } of gateways) {
        expect((await live.get('/v1/oauth/userinfo', accessToken)).status).toBe(401)
      }
    }
  })

  test('twenty grants of one owner to one app start and end separately', async () => {
    const gateway = gatewayOf(0)
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const families: (Tokens & { readonly code: string })[] = []
    for (let index = 0; index < 20; index += 1) {
      families.push(await authorize(gateway, app, { owner, scope: 'openid offline_access' }))
    }

    // Every other one is replayed, by its code or its refresh token, while the rest is refreshed.
    const responses = await Promise.all(
      families.map(async (tokens, index) => {
        const { live } = gatewayOf(index)
        if (index % 4 === 0) return redeem(live, app, tokens.code)
        const response = await refresh(live, app, tokens.refreshToken)
        return index % 4 === 2 ? refresh(live, app, tokens.refreshToken) : response
      }),
    )

    expect(responses.map(({ status }) => status)).toEqual(
      families.map((_, index) => (index % 2 === 0 ? 400 : 200)),
    )
    const stored = await familiesOf(gateway, app)
    expect(stored.map(({ isAlive }) => isAlive)).toEqual(
      families.map((_, index) => index % 2 === 1),
    )
  })
})

/** A gateway of its own process, which can be cut down. */
describe('tokens, when the gateway or the client is disconnected', () => {
  const timeoutMs = 900_000
  let database: TestDatabase
  let place: Workplace
  let current: StartedGateway
  let gateway: TestGateway
  const printed: string[] = []
  beforeAll(async () => {
    await compileProgram()
    database = await createTestDatabase()
    place = openWorkplace({ prefix: 'gateway-oauth-' })
    await startNext()
  })
  afterAll(async () => {
    await place.close()
    await database.drop()
  })

  async function startNext(): Promise<void> {
    current = await place.start({
      ...variablesFor(database),
      ...withoutMinuteLimits,
      LOG_LEVEL: 'trace',
    })
    gateway = asTestGateway(current, database)
  }

  async function kill(): Promise<void> {
    current.signal('SIGKILL')
    const { stdout, stderr } = await current.finished
    printed.push(stdout, stderr)
  }

  interface CodeOf {
    readonly app: RegisteredApp
    readonly code: string
  }

  /** Makes so many codes, of apps of accounts of their own, so that no limit of a second is met. */
  async function codes(count: number): Promise<CodeOf[]> {
    const owner = await gateway.createAccount()
    const issued = await Promise.all(
      Array.from({ length: count }, async () => {
        const app = await registerApp(gateway)
        return { app, code: await approve(gateway, app, { owner }) }
      }),
    )
    // A gateway that starts again may take longer than their minute.
    await gateway.database.query(
      `UPDATE oauth.authorization_code SET expires_at = now() + interval '1 hour'
       WHERE expires_at > now()`,
    )
    return issued
  }

  /** Null when the gateway did not answer. */
  const answered = (response: Promise<TestResponse>) => response.catch(() => null)

  test('after kill -9 during replays, every family that was answered as a replay is dead (docs/oauth-rules.md 62)', {
    timeout: timeoutMs,
  }, async () => {
    const seen = { issued: 0, told: 0, unanswered: 0, unspent: 0 }
    for (let round = 0; round < redemptionKills; round += 1) {
      const all = await codes(12)
      // From none to all of the 36 answers.
      const killAfter = Math.floor((round * 36) / redemptionKills)
      const isTime = Promise.withResolvers<void>()
      let answerCount = 0
      const asked = all.map(({ app, code }) =>
        Promise.all(
          [0, 1, 2].map(async () => {
            const response = await answered(redeem(gateway.live, app, code))
            answerCount += 1
            if (answerCount > killAfter) isTime.resolve()
            return response
          }),
        ),
      )
      if (killAfter > 0) await isTime.promise
      await kill()
      const answers = await Promise.all(asked)
      await startNext()

      for (const [index, { app, code }] of all.entries()) {
        const responses = answers[index] ?? []
        const issued = responses.filter((response) => response?.status === 200)
        const isTold = responses.some((response) => response?.status === 400)
        const [family] = await familiesOf(gateway, app)
        seen.issued += issued.length
        seen.told += isTold ? 1 : 0
        seen.unanswered += responses.filter((response) => response === null).length
        seen.unspent += family?.codeIsConsumed ? 0 : 1
        expect(issued.length).toBeLessThanOrEqual(1)
        // All that a code brings is there with it, or nothing is.
        const spent = family?.codeIsConsumed ? 1 : 0
        expect(family).toMatchObject({ accessTokens: spent, refreshTokens: spent })
        if (isTold) expect(family).toMatchObject({ isAlive: false, because: 'code_replay' })

        const again = await redeem(gateway.live, app, code)

        expect(again.status).toBe(family?.codeIsConsumed ? 400 : 200)
        const [after] = await familiesOf(gateway, app)
        expect(after?.isAlive).toBe(!family?.codeIsConsumed)
        for (const response of issued) {
          if (!response) continue
          expect(await aliveOf(gateway.live, app, tokensOf(response))).toEqual(allDead)
        }
      }
    }
    console.info(`kill -9 among redemptions of ${12 * redemptionKills} codes`, seen)
    expect(seen.unanswered).toBeGreaterThan(0)
  })

  /** Sends a form whole, and is gone before any answer. */
  async function sendAndHangUp(form: Form): Promise<void> {
    const { hostname, port } = new URL(current.baseUrl)
    const body = encodeForm(form)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    await once(socket, 'connect')
    const request = [
      'POST /v1/oauth/token HTTP/1.1',
      `Host: ${hostname}`,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${body.length}`,
      '',
      body,
    ]
    await new Promise<void>((resolve) => socket.write(request.join('\r\n'), () => resolve()))
    await sleep(Math.random() * 5)
    socket.destroy()
  }

  test('a client that hangs up leaves a whole exchange, or nothing (docs/oauth-rules.md 62, 68)', {
    timeout: timeoutMs,
  }, async () => {
    const all = await codes(20)

    await Promise.all(
      all.map(({ app, code }) =>
        sendAndHangUp({
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
          ...credentialsOf(app),
        }),
      ),
    )

    for (const { app, code } of all) {
      const response = await redeem(gateway.live, app, code)
      const [family] = await familiesOf(gateway, app)
      // The exchange that was hung up may be read later: then it is the replay.
      const isReplayed = response.status !== 200 || family?.isAlive === false
      expect([200, 400]).toContain(response.status)
      expect(family).toMatchObject({
        codeIsConsumed: true,
        accessTokens: 1,
        refreshTokens: 1,
        isAlive: !isReplayed,
        because: isReplayed ? 'code_replay' : null,
      })
    }
  })

  test('a replay counts although its client hangs up (docs/oauth-rules.md 62)', {
    timeout: timeoutMs,
  }, async () => {
    const all = await codes(20)
    const issued = await Promise.all(
      all.map(async ({ app, code }) => tokensOf(await redeem(gateway.live, app, code))),
    )

    await Promise.all(
      all.map(({ app }, index) =>
        sendAndHangUp({
          grant_type: 'authorization_code',
          code: all[index]?.code,
          redirect_uri: redirectUri,
          ...credentialsOf(app),
        }),
      ),
    )

    for (const [index, { app }] of all.entries()) {
      const { refreshToken = '' } = issued[index] ?? {}
      // Before this the replay may not have been read; after it, it has been or never will be.
      const refreshed = await refresh(gateway.live, app, refreshToken)
      const [family] = await familiesOf(gateway, app)
      expect(family?.because).toBe(family?.isAlive ? null : 'code_replay')
      if (refreshed.status === 400) expect(family?.isAlive).toBe(false)
    }
  })

  test('no secret is printed at the most detailed log level (docs/oauth-rules.md 10)', {
    timeout: timeoutMs,
  }, async () => {
    const owner = await gateway.createAccount()
    const app = await registerApp(gateway)
    const verifier = newVerifier()
    const tokens = await authorize(gateway, app, { owner, verifier })
    const next = tokensOf(await refresh(gateway.live, app, tokens.refreshToken))
    await refresh(gateway.live, app, tokens.refreshToken)
    await redeem(gateway.live, app, tokens.code, { code_verifier: 'wrong' })
    await revoke(gateway.live, app, next.refreshToken, { client_secret: 'a wrong secret' })
    await revoke(gateway.live, app, next.accessToken)
    const secrets = [
      ...[owner.liveKey, app.secret ?? '', verifier, 'a wrong secret'],
      ...[tokens.code, tokens.accessToken, tokens.refreshToken, tokens.idToken],
      ...[next.accessToken, next.refreshToken],
    ]

    await kill()

    const text = printed.join('\n')
    expect(text).toContain('/v1/oauth/token')
    expect(secrets.map((secret) => findForms(text, secret))).toEqual(secrets.map(() => []))
    await startNext()
  })
})
