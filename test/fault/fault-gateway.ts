import { startGateway } from '../../rest-facade/bin/all-in-one.ts'
import { readConfig } from '../../rest-facade/bin/config.ts'
import { createLog } from '../../rest-facade/bin/log.ts'
import { loadCatalog } from '../../rest-facade/catalog/load-catalog.ts'
import { mintInternalToken } from '../../rest-facade/internal/internal-token.ts'
import { deriveKey } from '../../schema/secrets.ts'
import { createClient } from '../support/client.ts'
import type { TestDatabase } from '../support/database.ts'
import type { TestGateway } from '../support/gateway.ts'

const gatewaySecret = 'a secret for tests, long enough to pass'

type Variables = Readonly<Record<string, string>>

interface Addresses {
  readonly baseUrl: string
  readonly sandboxUrl: string
  readonly internalUrl: string
}

/** What a gateway on this database is started with. */
export function variablesFor({ serviceUrl, ownerUrl }: TestDatabase): Variables {
  return {
    PORT: '0',
    SANDBOX_PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_URL: serviceUrl,
    MIGRATE_DATABASE_URL: ownerUrl,
    GATEWAY_SECRET: gatewaySecret,
    DRAIN_TIMEOUT_SECONDS: '1',
    ANONYMOUS_RPS: '100000',
  }
}

/** A gateway in this process on a database that it may share, or reach by way of a proxy. */
export async function startGatewayOn(
  database: TestDatabase,
  variables: Variables = {},
): Promise<TestGateway> {
  const catalog = loadCatalog()
  const modules = catalog.services.map(({ backendModule }) => backendModule)
  const config = readConfig({ ...variablesFor(database), ...variables }, modules)
  const log = createLog({ level: variables.LOG_LEVEL ?? 'silent', format: 'json' })
  const gateway = await startGateway(config, catalog, log)
  return asTestGateway(gateway, database, () => gateway.close())
}

/** What tests ask of a gateway, wherever it runs. Closing it leaves its database alone. */
export function asTestGateway(
  { baseUrl, sandboxUrl, internalUrl }: Addresses,
  database: TestDatabase,
  close: () => Promise<void>,
): TestGateway {
  const internal = createClient(internalUrl)
  const tokenKey = deriveKey(gatewaySecret, 'internal-token')

  async function internalToken(role: 'admin' | 'support' | 'readonly'): Promise<string> {
    return (await mintInternalToken(tokenKey, role, 600)).token
  }

  async function graphql(query: string, variables: object = {}) {
    const { body } = await internal.post(
      '/graphql',
      { query, variables },
      await internalToken('admin'),
    )
    const { data, errors } = Object(body)
    if (errors) throw new Error(JSON.stringify(errors))
    return data
  }

  return {
    live: createClient(baseUrl),
    sandbox: createClient(sandboxUrl),
    internal,
    baseUrl,
    database,
    internalToken,
    graphql,
    close,
    async createAccount({
      tier = 'SCALE',
      subscriptionTier = 'enterprise_sub',
      credits = 1000,
    } = {}) {
      const input = { name: 'Test', email: 'test@example.com', tier, subscriptionTier, credits }
      const { createAccount } = Object(
        await graphql(
          `mutation ($input: CreateAccountInput!) {
            createAccount(input: $input) { account { id } liveKey sandboxKey }
          }`,
          { input },
        ),
      )
      const { account, liveKey, sandboxKey } = createAccount
      return { id: account.id, liveKey, sandboxKey }
    },
    async createKey(accountId, { environment = 'LIVE', ...options } = {}) {
      const { createApiKey } = Object(
        await graphql(
          `mutation ($input: CreateApiKeyInput!) {
            createApiKey(input: $input) { apiKey { id } plaintext }
          }`,
          { input: { accountId, environment, name: 'Test', ...options } },
        ),
      )
      return { id: createApiKey.apiKey.id, plaintext: createApiKey.plaintext }
    },
  }
}
