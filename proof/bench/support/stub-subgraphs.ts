import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, type GraphQLSchema, isObjectType } from 'graphql'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { account } from '../../../subgraphs/account/index.ts'
import { keys } from '../../../subgraphs/keys/index.ts'
import { oauth } from '../../../subgraphs/oauth/index.ts'
import type { AllTenantsDatabase } from '../../../subgraphs/shared/database/database.ts'
import type { SubgraphOptions } from '../../../subgraphs/shared/graph/context.ts'
import { usage } from '../../../subgraphs/usage/index.ts'

interface StubSubgraphs {
  readonly subgraphs: ReadonlyMap<string, GraphQLSchema>
  readonly options: SubgraphOptions
}

const accountRows = JSON.stringify([
  {
    ...{ id: 'acct_1', name: 'Acme', email: 'a@acme.example', status: 'ACTIVE', tier: 'SCALE' },
    ...{ subscriptionTier: null, balance: 42, held: 2, available: 40 },
    ...{ asOf: '2026-01-01T00:00:00.000Z', createdAt: '2026-01-01T00:00:00.000Z' },
  },
])

const usageRows = JSON.stringify(
  Array.from({ length: 5 }, (_, index) => ({
    ...{ requestId: `req_${index}`, ts: '2026-01-01T00:00:00.000Z', method: 'GET', status: 200 },
    ...{ endpoint: '/v1/x', service: 'account', credits: 1, latencyMs: 3, traceId: 't' },
    backendModule: 'm',
  })),
)

const apiKeys = [{ id: 'key_1', name: 'First key', last4: 'abcd' }]

/** The real subgraphs with their real resolvers; only what would ask the database answers at once. */
export async function openStubSubgraphs(): Promise<StubSubgraphs> {
  const refuse = () => Promise.reject(new Error('There is no database.'))
  const database: AllTenantsDatabase = {
    schema: 'none',
    as: () => database,
    transaction: refuse,
    readLong: refuse,
    runLong: refuse,
    async query({ name }) {
      return JSON.parse(name === 'usage-log-page' ? usageRows : accountRows)
    },
  }
  const subgraphs = new Map<string, GraphQLSchema>()
  for (const subgraph of [account, keys, oauth, usage]) {
    subgraphs.set(subgraph.name, await subgraph.buildSchema())
  }
  stub(subgraphs.get('keys'), 'Account', 'apiKeys', async () => apiKeys)
  const options = {
    ...{ database, gatewaySecret: '', cursorKey: new Uint8Array(32), keyPrefix: 'svc' },
    billing: { period: 'P1M', lowCreditsThresholds: [] },
    oauth: {
      refreshGraceSeconds: 0,
      sessionHours: 12,
      stepUpMinutes: 30,
    },
    ...{ baseUrls: { live: '', sandbox: '' }, docsUrl: '', invalidate: () => {} },
  }
  return { subgraphs, options }
}

function stub(
  schema: GraphQLSchema | undefined,
  typeName: string,
  fieldName: string,
  resolve: () => Promise<unknown>,
): void {
  const type = schema?.getType(typeName)
  const field = isObjectType(type) ? type.getFields()[fieldName] : undefined
  if (!field) throw new Error(`${typeName} has no field ${fieldName}.`)
  field.resolve = resolve
}

/** All subgraphs as one schema without federation, with the very same resolvers. */
export function mergedSchema(subgraphs: readonly GraphQLSchema[]): GraphQLSchema {
  const sdl = readFileSync(join(projectRoot, 'schema/generated/api.graphql'), 'utf8')
  const merged = buildSchema(sdl, { assumeValidSDL: true })
  for (const type of Object.values(merged.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const resolve = resolverOf(subgraphs, type.name, field.name)
      if (resolve) field.resolve = resolve
    }
  }
  return merged
}

function resolverOf(subgraphs: readonly GraphQLSchema[], typeName: string, fieldName: string) {
  for (const schema of subgraphs) {
    const type = schema.getType(typeName)
    const resolve = isObjectType(type) ? type.getFields()[fieldName]?.resolve : undefined
    if (resolve) return resolve
  }
  return undefined
}
