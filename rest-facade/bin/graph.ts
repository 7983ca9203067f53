import type { Caller } from '../../schema/caller.ts'
import { deriveKey } from '../../schema/secrets.ts'
import { account } from '../../subgraphs/account/index.ts'
import { keys } from '../../subgraphs/keys/index.ts'
import { oauth } from '../../subgraphs/oauth/index.ts'
import type { InvalidationNotice } from '../../subgraphs/shared/context.ts'
import { type Database, migrate, openDatabase } from '../../subgraphs/shared/database.ts'
import { inProcessExecutor, type SubgraphExecutor } from '../../subgraphs/shared/in-process.ts'
import { usage } from '../../subgraphs/usage/index.ts'
import { createGraphClient, type GraphClient } from '../graph-client.ts'

const subgraphs = [account, keys, oauth, usage]

/** Connections of each subgraph; few, because its hot statements serve hundreds of requests each. */
const poolSize = 8

interface OpenGraphOptions {
  readonly serviceUrl: string
  readonly gatewaySecret: string
  readonly keyPrefix: string
  readonly baseUrls: { readonly live: string; readonly sandbox: string }
  readonly docsUrl: string
  readonly invalidate: (notice: InvalidationNotice) => void
  readonly warn: (message: string) => void
}

export interface OpenGraph extends GraphClient {
  close(): Promise<void>
}

/** All four subgraphs in this process, below one supergraph. */
export async function openGraph({
  serviceUrl,
  warn,
  ...options
}: OpenGraphOptions): Promise<OpenGraph> {
  const cursorKey = deriveKey(options.gatewaySecret, 'cursor')
  const hasAccount = async (id: string, caller: Caller) =>
    (await client.execute('HasAccount', { id }, caller)) !== null
  const databases: Database[] = []
  const executors = new Map<string, SubgraphExecutor>()
  for (const subgraph of subgraphs) {
    const database = await openDatabase(subgraph, { url: serviceUrl, poolSize, warn })
    const schema = await subgraph.buildSchema()
    databases.push(database)
    const context = { ...options, database, cursorKey, hasAccount }
    executors.set(subgraph.name, inProcessExecutor(schema, context))
  }
  const client = createGraphClient((name) => {
    const executor = executors.get(name)
    if (!executor) throw new Error(`No subgraph is named ${name}.`)
    return executor
  })
  return {
    ...client,
    async close() {
      await Promise.all(databases.map((database) => database.close()))
    },
  }
}

/** Brings the schemas of all subgraphs up to date, as the role that owns them. */
export function migrateAll(ownerUrl: string): Promise<void> {
  return migrate(subgraphs, ownerUrl)
}
