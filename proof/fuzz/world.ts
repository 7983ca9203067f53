import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { loadCatalog } from '../../schema/catalog/load-catalog.ts'
import { newId } from '../../schema/vocabulary/ids.ts'
import type { Answer } from '../../test/support/conformity/answers-conform.ts'
import type { ApiOperation } from '../../test/support/conformity/api-document.ts'
import type { TestGateway } from '../../test/support/gateway/gateway.ts'
import { newIds, plantOfParam, plants } from '../../test/support/gateway/plants.ts'
import { plantGrant } from '../../test/support/oauth/oauth.ts'
import { type FuzzRequest, known, type PathValue } from './requests.ts'

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly environment: 'live' | 'sandbox'
  readonly method: string
  /** With its query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** A running gateway, and accounts whose things are there to be found and to be spent. */
export interface World {
  /** Fills the placeholders of a request with values of the account whose turn it is. */
  prepare(operation: ApiOperation, request: FuzzRequest): WireRequest
  /** Asks again while the second of the account is used up. */
  send(request: WireRequest): Promise<Answer>
  /** The request as a command of curl; the key stands for itself. */
  curl(request: WireRequest): string
  origin(environment: 'live' | 'sandbox'): string
  /** The sum of X-Credits-Charged of all answers. */
  charged(): number
  readonly accountIds: readonly string[]
  close(): Promise<void>
}

type Environment = FuzzRequest['environment']
const environments: readonly Environment[] = ['live', 'sandbox']

interface Tenant {
  readonly id: string
  readonly keys: Readonly<Record<Environment, string>>
  readonly ids: Readonly<Record<Environment, Readonly<Record<string, readonly string[]>>>>
  readonly known: Readonly<Record<Environment, Readonly<Record<string, string>>>>
}

/** Operations that end the key with which they are sent, so they have an account of their own. */
const lonely: ReadonlySet<string> = new Set(['/v1/account/sandbox/reset'])
/** Only pages of the gateway may ask these. */
const ofOwnPages: ReadonlySet<string> = new Set(['openProvenSession', 'getSignInPreview'])
const sharedAccounts = 10
const idsOfEach = 40
const connections = 8
const answerPatienceMs = 60_000

export async function openWorld(gateway: TestGateway): Promise<World> {
  const tenants: Tenant[] = []
  for (let count = 0; count < sharedAccounts; count += 1) tenants.push(await newTenant(gateway))
  let alone = await newTenant(gateway)
  const urls = { live: gateway.live.url, sandbox: gateway.sandbox.url }
  const pools = { live: newPool(urls.live), sandbox: newPool(urls.sandbox) }
  let turn = 0
  let creditsCharged = 0

  function prepare(operation: ApiOperation, request: FuzzRequest): WireRequest {
    turn += 1
    const tenant = lonely.has(operation.path) ? alone : (tenants[turn % tenants.length] ?? alone)
    const other = tenants[(turn + 1) % tenants.length] ?? alone
    return wireRequest(operation, request, { tenant, other })
  }

  /** A reset of the sandbox ends the key that asks for it, and shows the next one. */
  function learnKey({ target }: WireRequest, { status, body }: Answer): void {
    if (status !== 200 || !lonely.has(target.split('?', 1)[0] ?? '')) return
    const { plaintext } = JSON.parse(body)
    alone = { ...alone, keys: { ...alone.keys, sandbox: String(plaintext) } }
  }

  async function send(request: WireRequest): Promise<Answer> {
    for (;;) {
      const answer = await sendOnce(request)
      learnKey(request, answer)
      if (answer.status !== 429 || isMeant(request, answer)) return answer
      await sleep(1005 - (Date.now() % 1000))
    }
  }

  async function sendOnce({ environment, method, target, headers, body }: WireRequest) {
    const response = await pools[environment].request({ method, path: target, headers, body })
    const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
    const answer: Answer = {
      method,
      path: target,
      status: response.statusCode,
      headers: Object.fromEntries(received),
      body: await response.body.text(),
    }
    // A replay says what the first answer said.
    const isReplay = answer.headers['idempotent-replayed'] !== undefined
    if (!isReplay) creditsCharged += Number(answer.headers['x-credits-charged'] ?? 0)
    return answer
  }

  return {
    prepare,
    send,
    curl: (request) => curlOf(request, urls[request.environment]),
    origin: (environment) => urls[environment],
    charged: () => creditsCharged,
    accountIds: [...tenants, alone].map(({ id }) => id),
    async close() {
      await Promise.all([pools.live.close(), pools.sandbox.close()])
    },
  }
}

/** Whether asking again would not help: a limit of minutes or hours, or a refusal that was asked for. */
function isMeant({ headers }: WireRequest, answer: Answer): boolean {
  if (Number(answer.headers['retry-after']) > 1) return true
  return headers['X-Sandbox-Scenario'] === 'rate_limited'
}

function newPool(url: string): Pool {
  const patience = { headersTimeout: answerPatienceMs, bodyTimeout: answerPatienceMs }
  return new Pool(url, { connections, ...patience })
}

async function newTenant(gateway: TestGateway): Promise<Tenant> {
  const { id, liveKey, sandboxKey } = await gateway.createAccount({ credits: 1_000_000_000 })
  const packageId = await firstPackageOf(gateway, liveKey)
  const keys = { live: liveKey, sandbox: sandboxKey }
  const things = environments.map(async (environment) => {
    const ids: Record<string, readonly string[]> = {}
    for (const plant of plants) {
      const { prefix, param } = plant
      if (param === null) continue
      ids[param] = newIds(prefix, idsOfEach)
      const canary = 'Planted'
      await plant.put(gateway.database, { accountId: id, environment, ids: ids[param], canary })
    }
    const scopes = ['openid', 'account:read']
    const granted = await plantGrant(gateway, { ownerId: id, accountId: id, scopes, environment })
    const meaning = {
      [known.clientId]: granted.clientId,
      [known.clientSecret]: granted.clientSecret,
      [known.accessToken]: granted.accessToken,
      [known.redirectUri]: 'https://app.example/callback',
      [known.packageId]: packageId,
    }
    return [environment, { ids, meaning }] as const
  })
  const { live, sandbox } = Object.fromEntries(await Promise.all(things))
  if (!live || !sandbox) throw new Error('An account has two environments.')
  return {
    id,
    keys,
    ids: { live: live.ids, sandbox: sandbox.ids },
    known: { live: live.meaning, sandbox: sandbox.meaning },
  }
}

async function firstPackageOf({ live }: TestGateway, key: string): Promise<string> {
  const { body } = await live.get('/v1/account/billing', key)
  return String(Object(body).credit_packages[0].id)
}

interface Parties {
  readonly tenant: Tenant
  /** Somebody else. */
  readonly other: Tenant
}

function wireRequest(
  operation: ApiOperation,
  { environment, path, query, body, headers }: FuzzRequest,
  { tenant, other }: Parties,
): WireRequest {
  const known = tenant.known[environment]
  const fill = (text: string) => fillIn(text, known)
  const idOf = (name: string, value: PathValue) =>
    pathText(name, value, { tenant, other }, environment)
  const filled = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const value = path[name]
    return value ? encodeURIComponent(idOf(name, value).toWellFormed()) : ''
  })
  const pairs = query.map(([name, value]) => `${encode(name)}=${encode(fill(value))}`)
  const sent = bodyText(body, fill)
  return {
    environment,
    method: operation.method,
    target: filled + (pairs.length > 0 ? `?${pairs.join('&')}` : ''),
    headers: {
      ...authorization(operation, tenant, environment),
      ...(ofOwnPages.has(operation.id) ? { 'sec-fetch-site': 'same-origin' } : {}),
      ...(sent === null ? {} : { 'content-type': sent.type }),
      ...headers,
    },
    body: sent?.text ?? null,
  }
}

/** Apps prove who they are where no key is asked for. */
function authorization(
  { path, isProtected }: ApiOperation,
  { keys, known: all }: Tenant,
  environment: Environment,
): Record<string, string> {
  const ofApp = /^\/v1\/oauth\/(token|revoke|introspect)$/.test(path)
  if (!ofApp) return isProtected ? { authorization: `Bearer ${keys[environment]}` } : {}
  const { [known.clientId]: id, [known.clientSecret]: secret } = all[environment]
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

const exampleIds = new Map(
  loadCatalog().services.flatMap(({ operations }) =>
    operations.flatMap(({ request }) =>
      Object.entries(Object(request.schemas.path?.properties)).map(
        ([name, schema]): [string, string] => [name, String(Object(schema).examples?.[0])],
      ),
    ),
  ),
)

function pathText(
  name: string,
  value: PathValue,
  { tenant, other }: Parties,
  environment: Environment,
): string {
  if (value.kind === 'text') return value.text
  const whose = value.kind === 'own' ? tenant : other
  const ids = whose.ids[environment][name]
  // Every account of the simulator has the example of the catalog among what backend modules keep.
  if (!ids && value.kind === 'own') return exampleIds.get(name) ?? 'nobodys'
  if (!ids || value.kind === 'nobodys') return ids ? newId(plantOfParam(name).prefix) : 'nobodys'
  return ids[value.index % ids.length] ?? ''
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return Object.hasOwn(values, text) ? (values[text] ?? text) : text
}

function bodyText(body: FuzzRequest['body'], fill: (text: string) => string) {
  switch (body.kind) {
    case 'none':
      return null
    case 'raw':
      return body
    case 'form': {
      const pairs = body.fields.map(([name, value]) => `${encode(name)}=${encode(fill(value))}`)
      return { type: 'application/x-www-form-urlencoded', text: pairs.join('&') }
    }
    case 'json': {
      const text = JSON.stringify(body.value, (_, member: unknown) =>
        typeof member === 'string' ? fill(member) : member,
      )
      return { type: 'application/json', text }
    }
  }
}

function curlOf({ method, target, headers, body }: WireRequest, url: string): string {
  const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  const data = body === null ? [] : [`--data-binary ${quote(body)}`]
  return [`curl -isS -X ${method} ${quote(url + target)}`, ...lines, ...data].join(' ')
}
