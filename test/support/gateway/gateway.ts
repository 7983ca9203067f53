import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { readConfig } from '../../../gateway/config/config.ts'
import { mintInternalToken } from '../../../gateway/internal/internal-token.ts'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { startGateway } from '../../../gateway/processes/all-in-one.ts'
import { startSimulator } from '../../../gateway/trial/simulator/simulator.ts'
import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import { isOutage } from '../../../rest-facade/http/errors.ts'
import { type Catalog, loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import type { InternalCaller } from '../../../schema/credentials/caller.ts'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import type { OperationName } from '../../../schema/generated/operations.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { requireConformity } from '../conformity/conformity.ts'
import { leaveAnswers } from '../conformity/watch-answers.ts'
import { createTestDatabase, type TestDatabase } from '../database/database.ts'
import { keepServers } from '../left-open/left-open.ts'
import { createClient, type TestClient } from '../requests/client.ts'
import { until } from '../time/until.ts'
import { gatewayKeys } from './gateway-keys.ts'
import { startRoles } from './roles.ts'

export interface TestAccount {
  readonly id: string
  readonly liveKey: string
  readonly sandboxKey: string
}

interface AccountOptions {
  readonly tier?: string
  readonly subscriptionTier?: string
  readonly credits?: number
}

interface KeyOptions {
  readonly name?: string
  readonly scopes?: readonly string[]
  readonly ipAllowlist?: readonly string[]
  readonly expiresAt?: string
  readonly environment?: 'LIVE' | 'SANDBOX'
}

/** A whole gateway in this process: real HTTP, real PostgreSQL, its own database. */
export interface TestGateway {
  readonly live: TestClient
  readonly sandbox: TestClient
  readonly internal: TestClient
  readonly baseUrl: string
  readonly database: TestDatabase
  /** Creates an unused account; by default with the highest rate limit and 1000 credits. */
  createAccount(options?: AccountOptions): Promise<TestAccount>
  /** A key of an account, made by an administrator. */
  createKey(accountId: string, options?: KeyOptions): Promise<{ id: string; plaintext: string }>
  /** Runs internal GraphQL as an administrator; throws on errors. */
  graphql(query: string, variables?: object): Promise<Record<string, unknown>>
  /** A token for the internal listener. */
  internalToken(role: 'admin' | 'support' | 'readonly'): Promise<string>
  /** From now on a test fails if it gets an answer that the document does not describe. */
  requireConformity(): void
  close(): Promise<void>
}

type Variables = Readonly<Record<string, string>>

interface GatewayOptions {
  /**
   * One that others use too, or that is reached by way of a proxy: closing the gateway leaves it
   * alone.
   */
  readonly database?: TestDatabase
  /** Where its log goes; by default nowhere, unless LOG_LEVEL says otherwise. */
  readonly log?: Logger
  /** Others than the product services that come along. */
  readonly catalog?: Catalog
  /** Whether its roles speak HTTP to each other, whatever TEST_ROLES says. */
  readonly hasRoles?: boolean
}

interface Addresses {
  readonly baseUrl: string
  readonly sandboxUrl: string
  readonly internalUrl: string
  /** Whether what its product operations answer may be a test's invention; unless told, it may. */
  readonly hasStubs?: boolean
  /**
   * Runs operations of a gateway in this process: accounts and keys are made without its internal listener,
   * which costs less.
   */
  readonly execute?: Execute
}

export const gatewaySecret = 'a secret for tests, long enough to pass'

/** The folder of exports: one for each database, however many gateways it has; removed with the database. */
function exportFolderOf(serviceUrl: string): string {
  return join(tmpdir(), `gateway-exports${new URL(serviceUrl).pathname.replace('/', '-')}`)
}

/** A database that a test disturbs is waited for as long as in production. */
function databaseVariables({ serviceUrl, isDisturbed }: TestDatabase): Variables {
  const isPatient = !isDisturbed && new URL(serviceUrl).searchParams.has('connect_timeout')
  const timeoutMs = isPatient ? '30000' : '5000'
  return {
    DATABASE_URL: serviceUrl,
    DATABASE_TIMEOUT_MS: timeoutMs,
  }
}

/** The variables of a gateway on this database, wherever it runs. */
export function variablesFor(database: TestDatabase): Variables {
  const { serviceUrl, ownerUrl } = database
  return {
    PORT: '0',
    SANDBOX_PORT: '0',
    INTERNAL_PORT: '0',
    ...databaseVariables(database),
    MIGRATE_DATABASE_URL: ownerUrl,
    GATEWAY_SECRET: gatewaySecret,
    PAYMENTS: 'simulated',
    // Where no deadline is under test, a loaded machine must not meet one.
    BACKEND_TIMEOUT_MS: '60000',
    HOLD_TTL_SECONDS: '120',
    DRAIN_TIMEOUT_SECONDS: '1',
    ANONYMOUS_RPS: '100000',
    // Where overload is not under test, a loaded machine must not be one.
    MAX_QUEUE_DELAY_MS: '0',
    // Where the time of accounts is not under test, a loaded machine must not use it up.
    ACCOUNT_WORK_MS: '0',
    // All tests come from one address.
    MAX_CONNECTIONS_PER_ADDRESS: '0',
    OAUTH_LIMITS: 'token=0,authorize=0,introspect=0,revoke=0,register=0,dcr=0,failures=0',
    EXPORT_DIR: exportFolderOf(serviceUrl),
  }
}

/** `TEST_ROLES=1 npm test` runs the tests of one gateway on its roles, which then speak HTTP. */
export const isOfRoles = process.env.TEST_ROLES === '1'

/**
 * Starts a gateway on a database of its own, unless told; `variables` are environment variables,
 * such as `BACKEND_CONTACT_FINDER_URL`.
 */
export async function startTestGateway(
  variables: Variables = {},
  options: GatewayOptions = {},
): Promise<TestGateway> {
  const database = options.database ?? (await createTestDatabase())
  const catalog = options.catalog ?? loadCatalog()
  const { keys, know } = gatewayKeys()
  const simulator = await startSimulator(catalog, { keys })
  const modules = catalog.services.map(({ backendModule }) => backendModule)
  const backendUrls = modules.map((module) => [
    `BACKEND_${module.toUpperCase().replaceAll('-', '_')}_URL`,
    simulator.urlOf(module),
  ])
  const given = {
    ...variablesFor({ ...database, serviceUrl: variables.DATABASE_URL ?? database.serviceUrl }),
    ...Object.fromEntries(backendUrls),
    ...variables,
  }
  const level = variables.LOG_LEVEL ?? 'silent'
  const log = options.log ?? createLog({ level, format: 'json' })
  const gateway =
    (options.hasRoles ?? isOfRoles)
      ? await startRoles({ ...given, REDIS_URL: given.REDIS_URL ?? '' }, { modules, catalog, log })
      : await startAll(given, { modules, catalog, log })
  know(() => [gateway.facadeInternalUrl])
  const hasStubs = Object.keys(variables).some((name) => /^BACKEND_.+_URL$/.test(name))
  return asTestGateway({ ...gateway, hasStubs }, database, async () => {
    await gateway.close()
    await simulator.close()
    if (options.database) return
    await database.drop()
    rmSync(exportFolderOf(database.serviceUrl), { recursive: true, force: true })
  })
}

const shared = new Map<string, Promise<TestGateway>>()

/**
 * The gateway with these variables that all test files of one worker share. A file that uses it
 * changes only what belongs to accounts that it made, and plants nothing that their books do not
 * explain. It says nothing about settings, the schema, or all rows of a table. Closing the gateway
 * does nothing: it ends with the worker.
 */
export async function sharedGateway(variables: Variables = {}): Promise<TestGateway> {
  const name = JSON.stringify(variables)
  const starting = shared.get(name) ?? keepServers(() => startTestGateway(variables))
  shared.set(name, starting)
  const gateway = await starting
  // The file before has ended its checks of answers.
  gateway.requireConformity()
  return { ...gateway, close: async () => {} }
}

async function startAll(
  variables: Variables,
  { modules, catalog, log }: { modules: readonly string[]; catalog: Catalog; log: Logger },
) {
  // Tests start many gateways, and call each a few times.
  const options = { warmsUp: false }
  const gateway = await startGateway(readConfig(variables, modules), catalog, log, options)
  const { execute } = gateway.graph
  return { ...gateway, execute, facadeInternalUrl: gateway.internalUrl }
}

/** The means of tests to use a gateway that was started with `variablesFor` this database. */
export function asTestGateway(
  { baseUrl, sandboxUrl, internalUrl, hasStubs = true, execute }: Addresses,
  database: TestDatabase,
  close: () => Promise<void> = async () => {},
): TestGateway {
  function checkAnswers() {
    // The internal port of this gateway may have been the live one of a gateway that is no more.
    leaveAnswers(internalUrl)
    requireConformity({ live: baseUrl, sandbox: sandboxUrl, hasStubs })
  }
  checkAnswers()
  const internal = createClient(internalUrl)
  const tokenKey = deriveKey(gatewaySecret, 'internal-token')

  async function internalToken(role: 'admin' | 'support' | 'readonly'): Promise<string> {
    return (await mintInternalToken(tokenKey, role, 600)).token
  }

  async function graphql(query: string, variables: object = {}) {
    const token = await internalToken('admin')
    const { status, body } = await internal.post('/graphql', { query, variables }, token)
    const { data, errors } = Object(body)
    if (errors || status !== 200) throw new GraphError(errors ?? body)
    return data
  }

  /** The result of a change that a test needs before it begins. */
  async function change({ operation, document }: AdminChange, input: object): Promise<unknown> {
    if (execute) return execute(operation, { input }, adminCaller())
    return (await graphql(document, { input })).result
  }

  /**
   * Makes a change as `change` does, but asks again while it is refused: a gateway that reaches its database
   * by way of a proxy opens connections with little patience, so on a loaded machine it may refuse at first.
   */
  async function changeOnceServed(made: AdminChange, input: object): Promise<unknown> {
    let result: unknown
    await until(async () => {
      try {
        result = await change(made, input)
        return true
      } catch (error) {
        if (isOutage(error) || (error instanceof GraphError && error.isUnavailable)) return false
        throw error
      }
    })
    return result
  }

  return {
    live: createClient(baseUrl),
    sandbox: createClient(sandboxUrl),
    internal,
    baseUrl,
    database,
    internalToken,
    graphql,
    requireConformity: checkAnswers,
    async close() {
      await close()
      leaveAnswers(baseUrl, sandboxUrl)
    },
    async createAccount({
      tier = 'SCALE',
      subscriptionTier = 'enterprise_sub',
      credits = 1000,
    } = {}) {
      const input = { name: 'Test', email: 'test@example.com', tier, subscriptionTier, credits }
      const created = await changeOnceServed(accountCreation, input)
      const { account, liveKey, sandboxKey } = Object(created)
      return { id: account.id, liveKey, sandboxKey }
    },
    async createKey(accountId, { environment = 'LIVE', ...options } = {}) {
      const input = { accountId, environment, name: 'Test', ...options }
      const { apiKey, plaintext } = Object(await change(keyCreation, input))
      return { id: apiKey.id, plaintext }
    },
  }
}

/** A persisted operation of administrators, and the document that does the same. */
interface AdminChange {
  readonly operation: OperationName
  readonly document: string
}

const accountCreation: AdminChange = {
  operation: 'CreateAccount',
  document: `mutation ($input: CreateAccountInput!) {
    result: createAccount(input: $input) { account { id } liveKey sandboxKey }
  }`,
}

const keyCreation: AdminChange = {
  operation: 'CreateApiKey',
  document: `mutation ($input: CreateApiKeyInput!) {
    result: createApiKey(input: $input) { apiKey { id } plaintext }
  }`,
}

function adminCaller(): InternalCaller {
  const requestId = newId('req')
  const about = { environment: 'live', requestId, traceId: '', address: null } as const
  return { ...about, kind: 'internal', role: 'admin', tokenId: newId('tok') }
}

class GraphError extends Error {
  readonly isUnavailable: boolean

  /** The errors of a graph, or the envelope of a listener that could not check the token. */
  constructor(errors: unknown) {
    super(JSON.stringify(errors))
    const code = Array.isArray(errors)
      ? errors[0]?.extensions?.code
      : Object(Object(errors).error).code
    this.isUnavailable = code === 'SERVICE_UNAVAILABLE'
  }
}
