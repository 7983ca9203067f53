import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { deriveKey, open } from '../../../schema/credentials/secrets.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { dumpDatabase, restingVariables } from '../../support/database/database-dump.ts'
import {
  asTestGateway,
  type TestAccount,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import { newIds, plantOfParam } from '../../support/gateway/plants.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import { admitted } from '../../support/requests/admitted.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { findForms } from '../../support/requests/needles.ts'
import {
  pathWith,
  productRequests,
  routeRequests,
  type ValidRequest,
} from '../../support/requests/valid-requests.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let place: Workplace
let database: TestDatabase
let backend: StubBackend
let program: StartedGateway
let gateway: TestGateway
let cases = 0
let gatewaySecret = ''

/** By what it is, in the order in which it came up. */
const secrets = new Map<string, string | Uint8Array>()
/** Every answer as text, but for those whose purpose is to show a secret. */
const answers: string[] = []

beforeAll(async () => {
  await compileProgram()
  place = openWorkplace()
  database = await createTestDatabase()
  backend = await startStubBackend()
  const variables = variablesFor(database)
  gatewaySecret = variables.GATEWAY_SECRET ?? ''
  program = await place.start({
    ...variables,
    ...restingVariables,
    BACKEND_CONTACT_FINDER_URL: backend.url,
    LOG_LEVEL: 'trace',
    LOG_FORMAT: 'json',
  })
  gateway = asTestGateway(program, database)
  await keepOwnSecrets()
  await issueAndUseEverything()
  await provokeFailures()
})
afterAll(async () => {
  await place.close()
  await backend.close()
  await database.drop()
  console.info(`secrets: ${secrets.size} of them, ${cases} searches`)
})

/** The secrets of the gateway itself. */
async function keepOwnSecrets(): Promise<void> {
  secrets.set('the gateway secret', gatewaySecret)
  for (const purpose of [
    'cursor',
    'signing-key',
    'backend-signing-key',
    'internal-token',
    'backend-idempotency',
    'stored-answer',
  ] as const) {
    secrets.set(`the ${purpose} key`, deriveKey(gatewaySecret, purpose))
  }
  for (const url of [database.serviceUrl, database.ownerUrl]) {
    const { username, password } = new URL(url)
    secrets.set(`the password of ${username}`, password)
  }
  // Made when they are asked for.
  await gateway.live.get('/v1/.well-known/jwks.json')
  await gateway.sandbox.get('/v1/.well-known/jwks.json')
  const sealedKeys = await database.query<{ kid: string; private_sealed: string }>(
    'SELECT kid, private_sealed FROM oauth.signing_key',
  )
  const privateJwk = z.object({ d: z.string(), p: z.string(), q: z.string() })
  for (const { kid, private_sealed } of sealedKeys) {
    const text = open(deriveKey(gatewaySecret, 'signing-key'), private_sealed, kid)
    const members = privateJwk.parse(JSON.parse(text ?? ''))
    for (const [name, value] of Object.entries(members)) {
      secrets.set(`${name} of signing key ${kid}`, value)
      secrets.set(`${name} of signing key ${kid}, as bytes`, Buffer.from(value, 'base64url'))
    }
  }
  const backendKeys = await database.query<{ kid: string; private_sealed: string }>(
    'SELECT kid, private_sealed FROM oauth.backend_signing_key',
  )
  for (const { kid, private_sealed } of backendKeys) {
    const text = open(deriveKey(gatewaySecret, 'backend-signing-key'), private_sealed, kid)
    const { d } = z.object({ d: z.string() }).parse(JSON.parse(text ?? ''))
    secrets.set(`d of backend signing key ${kid}`, d)
    secrets.set(`d of backend signing key ${kid}, as bytes`, Buffer.from(d, 'base64url'))
  }
}

function keep(response: TestResponse): TestResponse {
  answers.push(JSON.stringify([[...response.headers], response.body]))
  return response
}

/** Takes the secret out of an answer that may show one; such an answer is not searched. */
function keepSecret(label: string, response: TestResponse): void {
  const { plaintext, client_secret, secret } = Object(response.body)
  const shown = plaintext ?? client_secret ?? secret
  if (typeof shown === 'string') secrets.set(`${label} ${secrets.size}`, shown)
  else keep(response)
}

interface Use {
  readonly environment: Environment
  readonly account: TestAccount
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string
}

async function newAccount(): Promise<TestAccount> {
  const account = await gateway.createAccount()
  secrets.set(`a first live key ${secrets.size}`, account.liveKey)
  secrets.set(`a first sandbox key ${secrets.size}`, account.sandboxKey)
  return account
}

async function use(request: ValidRequest, { environment, account, ...sent }: Use) {
  const { method, path, params, body } = request
  const ids: Record<string, string> = {}
  for (const param of params) {
    const plant = plantOfParam(param)
    const [id = ''] = newIds(plant.prefix, 1)
    const owner = { accountId: account.id, environment, canary: 'own' }
    await plant.put(database, { ...owner, ids: [id] })
    ids[param] = id
  }
  const key = sent.key ?? (environment === 'live' ? account.liveKey : account.sandboxKey)
  const options = { method, key, body, headers: sent.headers }
  return () => admitted(() => gateway[environment].request(pathWith(path, ids), options))
}

async function issueAndUseEverything(): Promise<void> {
  for (const environment of ['live', 'sandbox'] as const) {
    for (const request of routeRequests().filter(({ revealsSecret }) => revealsSecret)) {
      await reveal(request, environment)
    }
    const account = await newAccount()
    for (const request of [...routeRequests(), ...productRequests()]) {
      if (request.revealsSecret) continue
      keep(await (await use(request, { environment, account }))())
    }
  }
  await useInternally()
  await misuse()
}

/** Shows a secret once, then with an idempotency key: replayed, and asked for with another key. */
async function reveal(request: ValidRequest, environment: Environment): Promise<void> {
  const { title } = request
  keepSecret(title, await (await use(request, { environment, account: await newAccount() }))())

  const account = await newAccount()
  const other = { scopes: ['*'], environment: environment === 'live' ? 'LIVE' : 'SANDBOX' } as const
  const { plaintext } = await gateway.createKey(account.id, other)
  secrets.set(`another key ${secrets.size}`, plaintext)
  const headers = { 'idempotency-key': randomUUID() }
  const once = await use(request, { environment, account, headers })
  keepSecret(`${title}, once`, await once())
  keepSecret(`${title}, replayed`, await once())
  keep(await (await use(request, { environment, account, headers, key: plaintext }))())
}

async function useInternally(): Promise<void> {
  const query = '{ accounts(first: 100) { nodes { id name email apiKeys { id name last4 } } } }'
  for (const role of ['admin', 'support', 'readonly'] as const) {
    const token = await gateway.internalToken(role)
    secrets.set(`the ${role} token`, token)
    secrets.set(`the signature of the ${role} token`, token.split('.')[2] ?? '')
    for (const sent of [token, `${token}x`]) {
      keep(await gateway.internal.post('/graphql', { query }, sent))
      keep(await gateway.internal.post('/graphql', { query: `{ ${sent} }` }, token.slice(1)))
      keep(await gateway.internal.get(`/graphql?token=${sent}`, sent))
    }
  }
  keep(await gateway.internal.get('/ready'))
}

/** Secrets in every place where they do not belong. */
async function misuse(): Promise<void> {
  const { liveKey, sandboxKey } = await newAccount()
  const unknown = newApiKey('svc', 'live').plaintext
  secrets.set('a key that nobody has', unknown)
  for (const key of [liveKey, sandboxKey, unknown]) {
    const { live } = gateway
    keep(await live.get('/v1/account', key))
    keep(await live.get('/v1/account', undefined, { authorization: `Basic ${btoa(`${key}:`)}` }))
    keep(await live.get('/v1/account', undefined, { authorization: `Bearer ${key} ${key}` }))
    keep(await live.get(`/v1/account?access_token=${key}`, liveKey, { cookie: `key=${key}` }))
    keep(await live.get(`/v1/account/keys/${key}`, liveKey))
    keep(await live.get(`/v1/contacts/${key}`, liveKey))
    keep(await live.get(`/v1/account/usage/log?service=${key}`, liveKey))
    keep(await live.get(`/v1/account/usage/log?cursor=${key}`, liveKey))
    keep(await live.post('/v1/contacts/reveal', { contact_id: [key] }, liveKey))
    keep(await live.post('/v1/contacts/reveal', `{"contact_id":${key}}`, liveKey))
    const headers = { 'idempotency-key': key, traceparent: key, 'x-request-id': key }
    keep(await live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey, headers))
    keep(await live.get('/v1/account/usage/log', liveKey))
  }
}

/** The database and the backend fail in the middle of things, and the log tells of it. */
async function provokeFailures(): Promise<void> {
  const account = await newAccount()
  const tables = ['keys.api_key', 'account.key_claim', 'usage.usage_service', 'account.balance']
  for (const table of tables) {
    const [schema, name] = table.split('.')
    await database.query(`ALTER TABLE ${table} RENAME TO gone_${name}`)
    try {
      for (const request of routeRequests().filter(({ params }) => params.length === 0)) {
        const headers = { 'idempotency-key': `${table} ${request.title}` }
        const { method, path, body } = request
        const options = { method, key: account.liveKey, body, headers }
        keepSecret(request.title, await admitted(() => gateway.live.request(path, options)))
      }
      keep(await gateway.live.get('/v1/account', newApiKey('svc', 'live').plaintext))
    } finally {
      await database.query(`ALTER TABLE ${schema}.gone_${name} RENAME TO ${name}`)
    }
  }
  for (const status of [400, 500]) {
    backend.answer(({ headers }, res) => sendBackendJson(res, status, { message: headers }))
    const body = { contact_id: 'con_1' }
    keep(await gateway.live.post('/v1/contacts/reveal', body, account.liveKey))
  }
}

/** The secrets in a text, each with its encoding; there should be none. */
function search(where: string, text: string): string[] {
  const found: string[] = []
  for (const [label, secret] of secrets) {
    for (const form of findForms(text, secret)) found.push(`${label} in ${where} as ${form}`)
    cases += 1
  }
  return found
}

describe('the secrets', () => {
  test('of every kind are issued', () => {
    const kinds = [...secrets.keys()].join('\n')

    for (const { title } of routeRequests().filter(({ revealsSecret }) => revealsSecret)) {
      expect(kinds).toContain(`${title} `)
      expect(kinds).toContain(`${title}, replayed`)
    }
    expect(kinds).toContain('signing key')
    expect(new Set([...secrets.values()].map((secret) => secret.length > 12))).toEqual(
      new Set([true]),
    )
  })

  test('appear in no table', async () => {
    const dump = await dumpDatabase(database)
    const text = [...dump].flatMap(([table, rows]) => [table, ...rows]).join('\n')

    expect(text).toContain('account.key_answer')
    expect(text).toContain('"endpoint": "/v1/account/keys"')
    expect(search('the database', text)).toEqual([])
  })

  test('appear in no line of the log', async () => {
    const { headers } = await gateway.live.get('/v1/health')
    const requestId = headers.get('x-request-id') ?? 'none'
    await vi.waitUntil(() => program.stderr().includes(requestId), patience)

    const text = program.stderr() + program.stdout()
    // The log does tell of every request, and of what failed.
    expect(text).toContain('"endpoint":"/v1/account/keys"')
    expect(text).toMatch(/"level":50/)
    expect(search('the log', text)).toEqual([])
  })

  test('appear in no answer except the one that shows it', () => {
    expect(answers.length).toBeGreaterThan(100)
    expect(search('the answers', answers.join('\n'))).toEqual([])
  })

  test('reach no backend', () => {
    // A path is the caller's own words to the backend.
    const text = JSON.stringify(backend.received.map(({ headers, body }) => [headers, body]))

    expect(backend.received.length).toBeGreaterThan(0)
    expect(search('what backends were sent', text)).toEqual([])
  })
})
