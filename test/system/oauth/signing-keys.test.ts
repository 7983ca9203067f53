import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  type JSONWebKeySet,
  jwtVerify,
} from 'jose'
import { afterAll, beforeAll, describe, expect, type TestContext, test, vi } from 'vitest'
import type { Caller, Environment } from '../../../schema/credentials/caller.ts'
import { deriveKey, open } from '../../../schema/credentials/secrets.ts'
import type { OperationName } from '../../../schema/generated/operations.ts'
import { idTokenSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import { oauth } from '../../../subgraphs/oauth/index.ts'
import type { OAuthContext } from '../../../subgraphs/oauth/settings/oauth-settings.ts'
import { signIdToken } from '../../../subgraphs/oauth/signing-keys/signing-key.service.ts'
import { openDatabase } from '../../../subgraphs/shared/database/database.ts'
import { allTenants } from '../../../subgraphs/shared/database/tenant.ts'
import { createContext } from '../../../subgraphs/shared/graph/context.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callerOf } from '../../support/database/planted-tenant.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace } from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

const secret = 'a secret for tests, long enough to pass'
const jwksPath = '/v1/.well-known/jwks.json'
const both = ['live', 'sandbox'] as const
const hourMs = 3_600_000

interface KeyRow {
  readonly kid: string
  readonly environment: Environment
  readonly private_sealed: string
  readonly activate_at: Date
  readonly is_revoked: boolean
}

function rowsOf(database: TestDatabase, environment: Environment = 'live'): Promise<KeyRow[]> {
  return database.query(
    `SELECT kid, environment, private_sealed, activate_at, revoked_at IS NOT NULL AS is_revoked
     FROM oauth.signing_key WHERE environment = $1 ORDER BY activate_at, kid`,
    [environment],
  )
}

/** Moves every instant of every key back: so much time has gone by for them. */
function passTime(database: TestDatabase, interval: string): Promise<object[]> {
  return database.query(
    `UPDATE oauth.signing_key SET activate_at = activate_at - $1::interval,
       revoked_at = revoked_at - $1::interval`,
    [interval],
  )
}

interface Process {
  readonly context: OAuthContext
  readonly close: () => Promise<void>
}

/** Opens the database as another process has it open, which remembers nothing. */
async function openProcess(
  { serviceUrl }: Pick<TestDatabase, 'serviceUrl'>,
  {
    environment = 'live',
    gatewaySecret = secret,
  }: { environment?: Environment; gatewaySecret?: string } = {},
): Promise<Process> {
  const database = await openDatabase(oauth, {
    ...{ url: serviceUrl, poolSize: 4, timeoutMs: 30_000 },
    warn: () => {},
  })
  const options = {
    ...{ database, gatewaySecret, cursorKey: new Uint8Array(32), keyPrefix: 'svc' },
    billing: { period: 'P1M', lowCreditsThresholds: [] },
    oauth: {
      refreshGraceSeconds: 0,
      sessionHours: 12,
      stepUpMinutes: 30,
    },
    ...{ baseUrls: { live: '', sandbox: '' }, docsUrl: '', invalidate: () => {} },
  }
  const caller: Caller = { kind: 'anonymous', environment, requestId: '', traceId: '' }
  return { context: createContext(options, caller), close: () => database.close() }
}

/** A token of a process that has just looked which key is active. */
async function sign(database: TestDatabase, environment: Environment = 'live'): Promise<string> {
  const { context, close } = await openProcess(database, { environment })
  try {
    const iat = Math.floor(Date.now() / 1000)
    return await signIdToken(context, { sub: 'acct_1', iat, exp: iat + idTokenSeconds })
  } finally {
    await close()
  }
}

const kidOf = (token: string) => decodeProtectedHeader(token).kid

/** The kids in JWKS, as the facade asks for them. */
async function publishedIn(graph: Pick<TestGraph, 'as'>, environment: Environment = 'live') {
  const caller: Caller = { kind: 'anonymous', environment, requestId: '', traceId: '' }
  const { keys } = Object(await graph.as('GetJwks', {}, caller))
  return keys.map(({ kid }: { kid: string }) => kid)
}

interface NextKey {
  readonly environment: Environment
  readonly kid: string
  /** ISO 8601. */
  readonly activates_at: string
}

const unforced = { force: false, emergency: false }

async function rotate(graph: TestGraph, variables: object = {}): Promise<NextKey[]> {
  return Object(await graph.asAdmin('RotateSigningKeys', { ...unforced, ...variables }))
}

async function rotateLive(graph: TestGraph, variables: object = {}): Promise<NextKey> {
  const [next] = await rotate(graph, { environment: 'live', ...variables })
  if (!next) throw new Error('Nothing was rotated.')
  return next
}

async function newGraph({ onTestFinished }: TestContext): Promise<TestGraph> {
  const graph = await openTestGraph()
  onTestFinished(() => graph.close())
  return graph
}

describe('the first key', () => {
  test('is one for each environment when many requests of one process come first (docs/oauth-rules.md 111)', async (context) => {
    const graph = await newGraph(context)

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => publishedIn(graph, both[index % 2])),
    )

    for (const environment of both) {
      const rows = await rowsOf(graph.database, environment)
      expect(rows).toHaveLength(1)
      const [row] = rows
      const published = answers.filter((_, index) => both[index % 2] === environment)
      expect(published).toEqual(Array.from({ length: 20 }, () => [row?.kid]))
    }
  })

  test('is shared by many processes that start at once (docs/oauth-rules.md 111)', async ({
    onTestFinished,
  }) => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const processes = await Promise.all(Array.from({ length: 6 }, () => openProcess(database)))

    const tokens = await Promise.all(
      processes.flatMap(({ context }) => [1, 2, 3].map((sub) => signIdToken(context, { sub }))),
    )

    await Promise.all(processes.map(({ close }) => close()))
    const rows = await rowsOf(database)
    expect(rows).toHaveLength(1)
    expect(new Set(tokens.map(kidOf))).toEqual(new Set([rows[0]?.kid]))
  })

  test('keeps its kid after a restart, and a second process has the same (docs/oauth-rules.md 111)', async ({
    onTestFinished,
  }) => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const before = await startTestGateway({}, { database })
    const jwks = (await before.live.get(jwksPath)).body
    await before.close()

    const gateways = await Promise.all([
      startTestGateway({}, { database }),
      startTestGateway({}, { database }),
    ])

    for (const gateway of gateways) expect((await gateway.live.get(jwksPath)).body).toEqual(jwks)
    await Promise.all(gateways.map((gateway) => gateway.close()))
  })

  test('has a private half that is sealed at rest, and only GATEWAY_SECRET opens it (docs/oauth-rules.md 110, 111)', async (context) => {
    const graph = await newGraph(context)
    await publishedIn(graph)
    const [row] = await graph.database.query<{ public_jwk: object; private_sealed: string }>(
      'SELECT * FROM oauth.signing_key',
    )
    const { kid, public_jwk, private_sealed } = Object(row)

    expect(Object.keys(public_jwk).toSorted()).toEqual(['e', 'kty', 'n'])
    expect(Buffer.from(public_jwk.n, 'base64url')).toHaveLength(256)
    const key = deriveKey(secret, 'signing-key')
    const privateJwk = JSON.parse(open(key, private_sealed, kid) ?? '{}')
    expect(privateJwk).toMatchObject({ n: public_jwk.n, d: expect.any(String) })
    expect(JSON.stringify(row)).not.toContain(privateJwk.d)
    const wrong = 'another secret, long enough to pass'
    expect(open(deriveKey(wrong, 'signing-key'), private_sealed, kid)).toBeNull()
    // Nor is it of use in another key's place.
    expect(open(key, private_sealed, `${kid}x`)).toBeNull()

    const stranger = await openProcess(graph.database, { gatewaySecret: wrong })
    await expect(signIdToken(stranger.context, {})).rejects.toThrow(/another GATEWAY_SECRET/)
    await stranger.close()
    expect(await rowsOf(graph.database)).toHaveLength(1)
  })
})

describe('signIdToken', () => {
  test('writes only alg and kid into the header, and the given claims (docs/oauth-rules.md 75, 113)', async (context) => {
    const graph = await newGraph(context)
    const { context: caller, close } = await openProcess(graph.database)
    const claims = {
      iss: 'http://live.test/v1',
      sub: 'acct_1',
      aud: 'app_1',
      auth_time: 7,
      nonce: 'ñ',
    }

    const token = await signIdToken(caller, claims)

    await close()
    const [row] = await rowsOf(graph.database)
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', kid: row?.kid })
    const [, payload = ''] = token.split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(claims)
  })

  test("signs with the key of the caller's environment", async (context) => {
    const graph = await newGraph(context)

    const tokens = await Promise.all(both.map((environment) => sign(graph.database, environment)))

    const published = await Promise.all(both.map((environment) => publishedIn(graph, environment)))
    expect(published).toEqual(tokens.map((token) => [kidOf(token)]))
    expect(tokens.map(kidOf)[0]).not.toBe(tokens.map(kidOf)[1])
  })

  test('reads the keys once for all callers, and again after five seconds', async (context) => {
    const graph = await newGraph(context)
    const { context: caller, close } = await openProcess(graph.database)
    const lookUps = vi.spyOn(caller.database.as(allTenants), 'transaction')
    const now = vi.spyOn(performance, 'now')
    context.onTestFinished(() => now.mockRestore())
    const startedAt = performance.now()
    const at = (afterMs: number) => now.mockReturnValue(startedAt + afterMs)
    at(0)
    await signIdToken(caller, {})

    lookUps.mockClear()
    at(4000)
    const many = await Promise.all(Array.from({ length: 50 }, () => signIdToken(caller, {})))
    expect(lookUps).toHaveBeenCalledTimes(0)

    const next = await rotateLive(graph)
    await passTime(graph.database, '1 hour')
    at(5001)
    const later = await Promise.all(Array.from({ length: 50 }, () => signIdToken(caller, {})))
    expect(lookUps).toHaveBeenCalledTimes(1)
    expect(new Set(later.map(kidOf))).toEqual(new Set([next.kid]))
    expect(many.map(kidOf)).not.toContain(next.kid)
    await close()
  })

  test('does not cache a failed read', async (context) => {
    const graph = await newGraph(context)
    const { context: caller, close } = await openProcess(graph.database)
    const lookUp = vi.spyOn(caller.database.as(allTenants), 'transaction')
    lookUp.mockRejectedValueOnce(new Error('away'))

    await expect(signIdToken(caller, {})).rejects.toThrow('away')
    expect(await signIdToken(caller, {})).toMatch(/^ey/)
    await close()
  })
})

describe('a rotation', () => {
  let graph: TestGraph
  let gateway: TestGateway
  beforeAll(async () => {
    graph = await openTestGraph()
    gateway = await startTestGateway({}, { database: graph.database })
  })
  afterAll(async () => {
    await gateway.close()
    await graph.close()
  })

  const newClient = () => createRemoteJWKSet(new URL(gateway.baseUrl + jwksPath))

  test('goes from pending to active, retired and removed, and never fails a correct client (docs/oauth-rules.md 112, 113)', async () => {
    const { database } = graph
    const first = await sign(database)
    let fetches = 0
    const next = await rotateLive(graph)

    // Pending: published, and not signing.
    expect(await publishedIn(graph)).toEqual([kidOf(first), next.kid])
    const [published] = await database.query<{ seconds: number }>(
      `SELECT extract(epoch FROM activate_at - created_at)::int AS seconds
       FROM oauth.signing_key WHERE kid = $1`,
      [next.kid],
    )
    expect(published).toEqual({ seconds: 3600 })
    expect(kidOf(await sign(database))).toBe(kidOf(first))
    const early = createRemoteJWKSet(new URL(gateway.baseUrl + jwksPath), {
      [customFetch]: (url, options) => {
        fetches += 1
        return fetch(url, options)
      },
    })
    await jwtVerify(first, early)
    await passTime(database, '59 min')
    expect(kidOf(await sign(database))).toBe(kidOf(first))

    // Active: a client with an earlier copy of the keys knows it already.
    await passTime(database, '1 min')
    const second = await sign(database)
    expect(kidOf(second)).toBe(next.kid)
    await jwtVerify(second, early)
    expect(fetches).toBe(1)

    // Retired: published, and not signing.
    await jwtVerify(first, newClient())
    await passTime(database, '179 min')
    expect(await publishedIn(graph)).toEqual([kidOf(first), next.kid])
    await jwtVerify(first, newClient())

    // Removed, and its row deleted by the next rotation.
    await passTime(database, '1 min')
    expect(await publishedIn(graph)).toEqual([next.kid])
    await expect(jwtVerify(first, newClient())).rejects.toThrow(/no applicable key/)
    await jwtVerify(second, newClient())
    expect(await rowsOf(database)).toHaveLength(2)
    const third = await rotateLive(graph)
    expect((await rowsOf(database)).map(({ kid }) => kid)).toEqual([next.kid, third.kid])
  })

  test('keeps every valid token verifiable through three rotations (docs/oauth-rules.md 112)', async () => {
    const { database } = graph
    await passTime(database, '2 hours')
    const inUse: { readonly token: string; ageMinutes: number }[] = []
    const kids = new Set()
    for (let step = 0; step < 24; step += 1) {
      if (step % 8 === 0) await rotateLive(graph)
      inUse.push({ token: await sign(database), ageMinutes: 0 })
      const { body } = await gateway.live.get(jwksPath)
      const keys: JSONWebKeySet = Object(body)
      for (const { token } of inUse) {
        await jwtVerify(token, createLocalJWKSet(keys))
        kids.add(kidOf(token))
      }
      await passTime(database, '15 min')
      for (const entry of inUse) entry.ageMinutes += 15
      inUse.splice(
        0,
        inUse.findIndex(({ ageMinutes }) => ageMinutes <= 60),
      )
    }
    expect(kids.size).toBe(4)
  })
})

describe('mutation rotateSigningKeys', () => {
  test('adds one key an hour ahead in each environment, also where there was none (docs/oauth-rules.md 112)', async (context) => {
    const graph = await newGraph(context)
    const before = Date.now()

    const keys = await rotate(graph)

    expect(keys.map(({ environment }) => environment)).toEqual(both)
    for (const { environment, kid, activates_at } of keys) {
      const rows = await rowsOf(graph.database, environment)
      expect(rows).toHaveLength(2)
      expect(rows[1]).toMatchObject({ kid, activate_at: new Date(activates_at), is_revoked: false })
      expect(Date.parse(activates_at)).toBeGreaterThanOrEqual(before + hourMs - 1000)
      expect(Date.parse(activates_at)).toBeLessThanOrEqual(Date.now() + hourMs)
      expect(await publishedIn(graph, environment)).toEqual(rows.map((row) => row.kid))
    }
  })

  test('is refused with the instant while a key is pending, in both environments; force overrides (docs/oauth-rules.md 112)', async (context) => {
    const graph = await newGraph(context)
    const [pending] = await rotate(graph, { environment: 'sandbox' })
    const at = pending?.activates_at

    await expect(rotate(graph)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(at ?? 'no instant'),
    })

    // The refused rotation has added no key to any ring.
    expect(await rowsOf(graph.database, 'live')).toHaveLength(1)
    expect(await rowsOf(graph.database, 'sandbox')).toHaveLength(2)
    const forced = await rotate(graph, { force: true })
    expect(forced.map(({ environment }) => environment)).toEqual(both)
    expect(await rowsOf(graph.database, 'live')).toHaveLength(2)
    expect(await rowsOf(graph.database, 'sandbox')).toHaveLength(3)
  })

  test('adds one key when it is called many times at once, and refuses the other calls (docs/oauth-rules.md 112)', async (context) => {
    const graph = await newGraph(context)

    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => rotate(graph, { environment: 'live' })),
    )

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'CONFLICT' })
    }
    expect(await rowsOf(graph.database)).toHaveLength(2)
  })

  test('with emergency revokes the active key, and the pending key signs at once (docs/oauth-rules.md 114)', async (context) => {
    const graph = await newGraph(context)
    const first = await sign(graph.database)
    const { kid: pending } = await rotateLive(graph)

    const next = await rotateLive(graph, { emergency: true })

    expect(next.kid).toBe(pending)
    expect(Date.parse(next.activates_at)).toBeLessThanOrEqual(Date.now() + 1000)
    expect(await publishedIn(graph)).toEqual([pending])
    expect(kidOf(await sign(graph.database))).toBe(pending)
    expect(await rowsOf(graph.database)).toMatchObject([
      { kid: kidOf(first), is_revoked: true },
      { kid: pending, is_revoked: false },
    ])
  })

  test('without a pending key signs with a new key at once, and never publishes the revoked one again (docs/oauth-rules.md 114)', async (context) => {
    const graph = await newGraph(context)
    const tokens = await Promise.all(both.map((environment) => sign(graph.database, environment)))

    const keys = await rotate(graph, { emergency: true })

    for (const [index, environment] of both.entries()) {
      const kid = keys[index]?.kid
      expect(kid).not.toBe(kidOf(tokens[index] ?? ''))
      expect(await publishedIn(graph, environment)).toEqual([kid])
      expect(kidOf(await sign(graph.database, environment))).toBe(kid)
    }
    await passTime(graph.database, '3 hours')
    const { kid } = await rotateLive(graph)
    expect(await publishedIn(graph)).toEqual([keys[0]?.kid, kid])
    expect(await rowsOf(graph.database)).toHaveLength(2)
  })

  test('with many emergencies at once leaves exactly one active key (docs/oauth-rules.md 114)', async (context) => {
    const graph = await newGraph(context)
    await sign(graph.database)

    await Promise.all(Array.from({ length: 6 }, () => rotateLive(graph, { emergency: true })))

    const rows = await rowsOf(graph.database)
    expect(rows.filter(({ is_revoked }) => !is_revoked)).toHaveLength(1)
    expect(rows).toHaveLength(7)
    expect(await publishedIn(graph)).toHaveLength(1)
  })

  test('with emergency replaces keys that cannot be opened after a change of GATEWAY_SECRET (docs/oauth-rules.md 114)', async (context) => {
    const graph = await newGraph(context)
    await rotateLive(graph)
    // Both keys look as if they had been sealed with another secret.
    await graph.database.query(
      `UPDATE oauth.signing_key SET private_sealed = reverse(private_sealed)`,
    )
    await expect(sign(graph.database)).rejects.toThrow(/another GATEWAY_SECRET/)

    const { kid } = await rotateLive(graph, { emergency: true })

    expect(kidOf(await sign(graph.database))).toBe(kid)
    expect(await publishedIn(graph)).toEqual([kid])
    await passTime(graph.database, '1 hour')
    expect(kidOf(await sign(graph.database))).toBe(kid)
  })

  test('leaves one line in the audit trail for each key and each refusal (docs/oauth-rules.md 118)', async (context) => {
    const graph = await newGraph(context)
    const first = await Promise.all(both.map((environment) => sign(graph.database, environment)))
    const keys = await rotate(graph)
    await rotate(graph).catch(() => {})
    const replaced = await rotate(graph, { environment: 'live', emergency: true })
    const worker = await graph.startWorker()

    const lines = () =>
      graph.database.query(
        `SELECT environment, account_id, actor_kind, action, resource_id, result, details
         FROM usage.audit_event WHERE action LIKE 'signing_key.%' ORDER BY id`,
      )
    await vi.waitFor(async () => expect(await lines()).toHaveLength(4), patience)
    await worker.stop()
    const base = { account_id: null, actor_kind: 'internal', result: 'succeeded' }
    const detailsOf = ({ environment, kid, activates_at }: NextKey) => ({
      environment,
      next_kid: kid,
      active_from: activates_at,
    })
    const rotations = keys.map((key) => ({
      ...base,
      environment: key.environment,
      action: 'signing_key.rotate',
      resource_id: key.kid,
      details: detailsOf(key),
    }))
    const refusal = { environment: 'live', action: 'signing_key.rotate', resource_id: null }
    const revocations = replaced.map((key) => ({
      ...base,
      environment: 'live',
      action: 'signing_key.revoke',
      resource_id: kidOf(first[0] ?? ''),
      details: detailsOf(key),
    }))
    expect(await lines()).toEqual([
      ...rotations,
      { ...base, ...refusal, result: 'CONFLICT', details: {} },
      ...revocations,
    ])
  })

  test('is for administrators and the gateway itself', async (context) => {
    const graph = await newGraph(context)
    const base = { environment: 'live', requestId: '', traceId: '', address: null } as const
    const strangers: Caller[] = [
      { ...base, kind: 'anonymous' },
      { ...base, kind: 'internal', role: 'support', tokenId: 'tok_1' },
      callerOf('acct_1'),
    ]

    for (const caller of strangers) {
      for (const operation of ['RotateSigningKeys', 'TurnSigningKeys'] as const) {
        const variables = { ...unforced, environment: 'live', kid: '' }
        await expect(graph.as<OperationName>(operation, variables, caller)).rejects.toMatchObject({
          code: 'FORBIDDEN',
        })
      }
    }
    expect(await rowsOf(graph.database)).toEqual([])
  })

  test('the service can delete a key and move its instants, and change nothing else', async (context) => {
    const graph = await newGraph(context)
    const rows = await graph.database.query(
      `SELECT column_name AS name FROM information_schema.column_privileges
       WHERE grantee = 'gateway_service' AND privilege_type = 'UPDATE'
         AND table_schema = 'oauth' AND table_name = 'signing_key' ORDER BY name`,
    )
    expect(rows).toEqual([{ name: 'activate_at' }, { name: 'revoked_at' }])
  })
})

describe('a scheduled rotation', () => {
  const jobsOf = (database: TestDatabase) =>
    database.query<{ data: object; state: string; days: number }>(
      `SELECT data, state::text, round(extract(epoch FROM start_after - now()) / 86400)::int AS days
       FROM jobs.job WHERE name = 'TurnSigningKeys' AND data->>'use' IS NULL ORDER BY start_after`,
    )

  /** Makes the jobs due of everything that is there. */
  const makeDue = (database: TestDatabase) =>
    database.query(`UPDATE jobs.job SET start_after = now() WHERE name = 'TurnSigningKeys'`)

  const untilDone = (database: TestDatabase, count: number) =>
    vi.waitFor(async () => {
      const done = (await jobsOf(database)).filter(({ state }) => state === 'completed')
      expect(done).toHaveLength(count)
    }, patience)

  test('adds the successor of each key by a job, once, however often it runs (docs/oauth-rules.md 112)', async (context) => {
    const graph = await newGraph(context)
    const kid = kidOf(await sign(graph.database))
    const variables = { environment: 'live', kid }
    expect(await jobsOf(graph.database)).toEqual([{ data: variables, state: 'created', days: 90 }])

    await makeDue(graph.database)
    const worker = await graph.startWorker()

    await untilDone(graph.database, 1)
    const rows = await rowsOf(graph.database)
    expect(rows).toHaveLength(2)
    expect(rows[0]?.kid).toBe(kid)
    const successor = { environment: 'live', kid: rows[1]?.kid }
    expect(await jobsOf(graph.database)).toContainEqual({
      data: successor,
      state: 'created',
      days: 90,
    })
    // Late, and once more.
    expect(await graph.asService('TurnSigningKeys', variables)).toBe(false)
    expect(await rowsOf(graph.database)).toEqual(rows)
    const lines = () =>
      graph.database.query(
        `SELECT actor_kind, environment, resource_id FROM usage.audit_event
         WHERE action = 'signing_key.rotate'`,
      )
    const line = { actor_kind: 'system', environment: 'live', resource_id: rows[1]?.kid }
    await vi.waitFor(async () => expect(await lines()).toEqual([line]), patience)
    await worker.stop()
  })

  test('adds one key when two jobs run at the same time, and none for a key with a successor (docs/oauth-rules.md 112)', async (context) => {
    const graph = await newGraph(context)
    const kid = kidOf(await sign(graph.database, 'sandbox'))
    const turn = () => graph.asService('TurnSigningKeys', { environment: 'sandbox', kid })

    const added = await Promise.all([turn(), turn(), turn()])

    expect(added.filter((isAdded) => isAdded)).toEqual([true])
    expect(await rowsOf(graph.database, 'sandbox')).toHaveLength(2)
    await rotate(graph, { environment: 'sandbox', emergency: true })
    expect(await turn()).toBe(false)
    expect(await rowsOf(graph.database, 'sandbox')).toHaveLength(2)
  })
})

describe('gateway keys rotate-signing', () => {
  test('rotates beside a running gateway, names the instant of a refusal, and accepts force and emergency (docs/oauth-rules.md 112, 114)', async ({
    onTestFinished,
  }) => {
    await compileProgram()
    const place = openWorkplace()
    onTestFinished(() => place.close())
    const help = await place.run(['keys', 'rotate-signing', '--help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toMatch(/^Usage: gateway keys rotate-signing\b.*--force.*--emergency/s)
    const { baseUrl, sandboxUrl } = await place.start()
    const kidsOf = async (url: string) => {
      const { keys }: JSONWebKeySet = Object(await (await fetch(url + jwksPath)).json())
      return keys.map(({ kid }) => kid)
    }
    const [live] = await kidsOf(baseUrl)
    const [sandbox] = await kidsOf(sandboxUrl)
    const run = (...options: string[]) => place.run(['keys', 'rotate-signing', ...options])

    const rotated = await run('--json')

    expect(rotated).toMatchObject({ code: 0, stderr: '' })
    const next = JSON.parse(rotated.stdout)
    const key = { kid: expect.stringMatching(/^[\w-]{43}$/), activates_at: expect.any(String) }
    expect(next).toEqual({ live: key, sandbox: key, backends: { live: key, sandbox: key } })
    expect(await kidsOf(baseUrl)).toEqual([live, next.live.kid])
    expect(await kidsOf(sandboxUrl)).toEqual([sandbox, next.sandbox.kid])

    const refused = await run('--json')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(next.live.activates_at)
    expect(refused.stderr).not.toMatch(/^\s+at /m)

    const forced = await run('--force')
    expect(forced).toMatchObject({ code: 0, stderr: '' })
    expect(forced.stdout).toMatch(/^live: \{.*\}\nsandbox: \{.*\}\nbackends: \{.*\}\n$/)
    expect(await kidsOf(baseUrl)).toHaveLength(3)

    const replaced = await run('--emergency', '--json')
    expect(JSON.parse(replaced.stdout).live.kid).toBe(next.live.kid)
    expect(await kidsOf(baseUrl)).not.toContain(live)
    expect(await kidsOf(sandboxUrl)).not.toContain(sandbox)

    const one = await run('--use', 'backends', '--emergency', '--json')
    expect(JSON.parse(one.stdout)).toEqual({ backends: { live: key, sandbox: key } })
    const other = await run('--use', 'openid', '--force', '--json')
    expect(JSON.parse(other.stdout)).toEqual({ live: key, sandbox: key })
  })
})
