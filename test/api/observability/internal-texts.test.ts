import { GraphQLError, parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { documentExecutor } from '../../../gateway/internal/execute-document.ts'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { unavailable } from '../../../rest-facade/http/errors.ts'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import { serviceCaller } from '../../../schema/credentials/caller.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { DomainError } from '../../../subgraphs/shared/graph/errors.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { letKeyExpire } from '../../support/gateway/expire-key.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  authorize,
  expectFailure,
  introspect,
  newVerifier,
  registerApp,
  revoke,
  withoutMinuteLimits,
} from '../../support/oauth/oauth-flow.ts'
import type { TestResponse } from '../../support/requests/client.ts'

const line = z.object({ level: z.number(), msg: z.string(), requestId: z.string() }).loose()
const info = 30

describe.each([
  { form: 'in one process', hasRoles: false },
  { form: 'whose subgraphs are processes of their own', hasRoles: true },
])('the internal text of a refusal, in a gateway $form', ({ hasRoles }) => {
  const written: string[] = []
  let gateway: TestGateway
  beforeAll(async () => {
    const into = { write: (text: string) => void written.push(text) }
    const log = createLog({ level: 'info', format: 'json', into })
    gateway = await startTestGateway(withoutMinuteLimits, { log, hasRoles })
  })
  afterAll(() => gateway.close())

  const invalidKey = {
    status: 401,
    code: 'INVALID_API_KEY',
    message: 'This API key is not valid here.',
  }

  /** The lines of the request: one, which has the text beside code and message; the answer has it not. */
  function expectText(
    response: TestResponse,
    { code, message, internal }: Readonly<Record<'code' | 'message' | 'internal', string>>,
  ): void {
    const requestId = response.headers.get('x-request-id')
    const lines = written
      .map((text) => line.safeParse(JSON.parse(text)).data)
      .filter((one) => one?.requestId === requestId)
    expect(lines).toEqual([expect.objectContaining({ level: info, code, internal, msg: message })])
    expect(JSON.stringify(response)).not.toContain(internal)
  }

  function expectNoSecret(secret: string): void {
    const log = written.join('')
    expect(log).not.toContain(secret)
    expect(log).not.toContain(sha256(secret))
  }

  test('says why a key is refused; the answers are alike', async () => {
    const { id } = await gateway.createAccount()
    const [revoked, expired, elsewhere] = [
      await gateway.createKey(id),
      await gateway.createKey(id, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() }),
      await gateway.createKey(id, { ipAllowlist: ['203.0.113.0/24'] }),
    ]
    await gateway.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', {
      id: revoked.id,
    })
    await letKeyExpire(gateway.database, expired.id)
    const { plaintext: unknown } = newApiKey('svc', 'live')
    const cases = [
      ['nonsense', 'It has not the form of a key of this environment or a token.'],
      [unknown, 'No key or token has this secret.'],
      [revoked.plaintext, `The key ${revoked.id} of the account ${id} was revoked.`],
      [expired.plaintext, `The key ${expired.id} of the account ${id} has expired.`],
    ] as const

    for (const [key, internal] of cases) {
      const response = await gateway.live.get('/v1/account', key)

      expectError(gateway, response, invalidKey)
      expectText(response, { ...invalidKey, internal })
      expectNoSecret(key)
    }
    const response = await gateway.live.get('/v1/account', elsewhere.plaintext)

    const message = 'This API key may not be used from this address.'
    expectError(gateway, response, { status: 403, code: 'IP_NOT_ALLOWED', message })
    const internal = `The allowlist of the key ${elsewhere.id} does not have the address 127.0.0.1.`
    expectText(response, { code: 'IP_NOT_ALLOWED', message, internal })
    expectNoSecret(elsewhere.plaintext)
  })

  test('says why a token or an app is refused', async () => {
    const owner = await gateway.createAccount()
    const app = await registerApp(gateway)
    const verifier = newVerifier()
    const { accessToken } = await authorize(gateway, app, { owner, verifier })
    expect((await revoke(gateway.live, app, accessToken)).status).toBe(200)

    const refused = await gateway.live.get('/v1/account', accessToken)
    const guessed = await introspect(gateway.live, { ...app, secret: 'wrong' }, accessToken)

    expectError(gateway, refused, invalidKey)
    expectText(refused, {
      ...invalidKey,
      internal: `A token of the app ${app.clientId} for the account ${owner.id} was revoked.`,
    })
    const description = 'Client authentication failed.'
    const error = 'invalid_client'
    expectFailure(gateway, guessed, { error, description })
    expectText(guessed, {
      ...{ code: error, message: description },
      internal: `The app ${app.clientId} is unknown, suspended or of a closed account, or it has another secret.`,
    })
    for (const secret of [accessToken, app.secret ?? '']) expectNoSecret(secret)
  })

  test('says why a notification of a payment provider is refused, and is in no usage log', async () => {
    const headers = { 'simulated-signature': `t=1,v1=${'0'.repeat(64)}` }
    const path = '/v1/billing/notifications/simulated'

    const response = await gateway.live.post(path, '{}', undefined, headers)

    const message = 'does not sign this body, or is older than 300 s'
    const field = 'Simulated-Signature'
    expectError(gateway, response, {
      ...{ status: 422, code: 'INVALID_REQUEST', message: `${field}: ${message}` },
      details: [{ field, in: 'header', message }],
    })
    const text = written.find((one) => one.includes(String(response.headers.get('x-request-id'))))
    const { internal } = JSON.parse(String(text))
    expect(internal).toMatch(/^The signature is \d+ s old\.$/)
    const rows = await gateway.database.query('SELECT u::text AS row FROM usage.usage_log u')
    expect(JSON.stringify(rows)).not.toContain('The signature is')
  })
})

test('the internal text of a failure never reaches a client of GraphQL', async () => {
  const internal = `The balance of ${newId('acct')} is locked.`
  const failing = documentExecutor(
    () => async () => {
      throw unavailable('Try again.', { internal })
    },
    async () => {},
  )
  const { extensions } = new DomainError('CONFLICT', 'Taken.', { internal })

  const result = await failing(
    parse('{ accounts(first: 1) { nodes { id } } }'),
    {},
    serviceCaller(),
  )

  expect(result.errors).toHaveLength(1)
  const answer = JSON.stringify([result, new GraphQLError('Taken.', { extensions })])
  expect(answer).toContain('SERVICE_UNAVAILABLE')
  expect(answer).toContain('CONFLICT')
  expect(answer).not.toContain(internal)
})
