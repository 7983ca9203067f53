import type { GraphQLSchema } from 'graphql'
import type { AccountCache } from '../../../rest-facade/callers/account-cache.ts'
import {
  createGraphClient,
  type Execute,
  type GraphClient,
  warmUpCaller,
} from '../../../rest-facade/graph/graph-client.ts'
import { isOutage } from '../../../rest-facade/http/errors.ts'
import { whenNeeded } from '../../../rest-facade/pages/when-needed.ts'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import {
  type Connections,
  openConnections,
  type PoolSize,
} from '../../../subgraphs/shared/database/connections.ts'
import { type ConnectionUse, databaseOn } from '../../../subgraphs/shared/database/database.ts'
import type { InvalidationNotice, KnownAccount } from '../../../subgraphs/shared/graph/context.ts'
import { DomainError } from '../../../subgraphs/shared/graph/errors.ts'
import type { SubgraphExecutor } from '../../../subgraphs/shared/graph/in-process.ts'
import type { Subgraph } from '../../../subgraphs/shared/graph/subgraph.ts'
import type { ExportOptions, PaymentOptions } from '../../config/subgraph-settings.ts'
import { documentExecutor, type ExecuteDocument } from '../../internal/execute-document.ts'
import { createOperatorReads } from '../../internal/operator-reads.ts'
import { createAppSpending } from './app-spending.ts'
import { createBudgetBook } from './budget-book.ts'
import { dividedPool, ownPool } from './pool-sizes.ts'
import { type AllSettings, subgraphs, workerCaller } from './subgraphs.ts'

export interface RememberedAccount extends KnownAccount {
  readonly accountId: string
}

interface SubgraphSettings extends Omit<AllSettings, 'payments' | 'exports'> {
  readonly gatewaySecret: string
  readonly keyPrefix: string
  readonly baseUrls: { readonly live: string; readonly sandbox: string }
  readonly docsUrl: string
  readonly payments?: PaymentOptions
  /** The cache of accounts, if the subgraphs have one. */
  readonly accounts?: AccountCache<RememberedAccount>
  readonly exports?: ExportOptions
  readonly invalidate: (notice: InvalidationNotice) => void
  readonly warn: (message: string) => void
}

interface DatabaseOptions {
  /** One database for all subgraphs, or a function that returns the database of each. */
  readonly serviceUrl: string | ((subgraph: string) => string)
  /** The connections to all databases together, by default as many as if one subgraph were alone. */
  readonly pool?: PoolSize
  /** How long to wait for the answer to a statement; by default five seconds. */
  readonly databaseTimeoutMs?: number
}

type OpenGraphOptions = SubgraphSettings & DatabaseOptions

export interface OpenGraph extends GraphClient {
  readonly executeDocument: ExecuteDocument
  readonly subgraphs: ReadonlyMap<string, OpenSubgraph>
  /** Interrupts long work, which another process, or this one after its next start, does again. */
  interrupt(): void
  close(): Promise<void>
}

/** All four subgraphs in this process, below one supergraph; those that have one database share connections. */
export async function openGraph({
  serviceUrl,
  pool,
  databaseTimeoutMs,
  ...settings
}: OpenGraphOptions): Promise<OpenGraph> {
  const { warn } = settings
  const connected = await connectSubgraphs({ serviceUrl, pool, databaseTimeoutMs, warn })
  // The subgraphs call this only after all of them are open.
  const execute: Execute = (...asked) => client.execute(...asked)
  const opened = new Map<string, OpenSubgraph>()
  for (const [name, connections] of connected) {
    opened.set(name, await openSubgraph(name, { ...settings, execute, connections }))
  }
  const executorOf = (name: string): SubgraphExecutor => {
    const subgraph = opened.get(name)
    if (!subgraph) throw new Error(`No subgraph is named ${name}.`)
    return subgraph.execute
  }
  const client = createGraphClient((name) => {
    const execute = executorOf(name)
    return (request) =>
      execute({ ...request, isOwn: true, isRehearsal: request.caller === warmUpCaller })
  })
  return {
    ...client,
    executeDocument: documentExecutor(executorOf, createOperatorReads(execute)),
    subgraphs: opened,
    interrupt() {
      for (const subgraph of opened.values()) subgraph.interrupt()
    },
    async close() {
      await Promise.all([...opened.values()].map((subgraph) => subgraph.close()))
      await closeAll(connected)
    },
  }
}

/**
 * Like `openGraph`, for a process that asks little and ends: a subgraph is opened when it is asked first, because to
 * build its schema takes longer than most answers.
 */
export async function openBriefGraph({
  serviceUrl,
  pool,
  databaseTimeoutMs,
  ...settings
}: OpenGraphOptions): Promise<Pick<OpenGraph, 'execute' | 'close'>> {
  const { warn } = settings
  const connected = await connectSubgraphs({ serviceUrl, pool, databaseTimeoutMs, warn })
  const execute: Execute = (...asked) => client.execute(...asked)
  const needed = new Map(
    [...connected].map(([name, connections]) => [
      name,
      whenNeeded(() => openSubgraph(name, { ...settings, execute, connections })),
    ]),
  )
  const client = createGraphClient((name) => async (request) => {
    const subgraph = await needed.get(name)?.get()
    if (!subgraph) throw new Error(`No subgraph is named ${name}.`)
    return subgraph.execute(request)
  })
  return {
    execute,
    async close() {
      for (const subgraph of needed.values()) await (await subgraph.opened())?.close()
      await closeAll(connected)
    },
  }
}

/** The connections of each subgraph to its database. */
type Connected = ReadonlyMap<string, Connections>

async function connectSubgraphs({
  serviceUrl,
  pool = ownPool,
  databaseTimeoutMs: timeoutMs,
  warn,
}: DatabaseOptions & Pick<SubgraphSettings, 'warn'>): Promise<Connected> {
  const urlOf = typeof serviceUrl === 'string' ? () => serviceUrl : serviceUrl
  const byUrl = Map.groupBy(subgraphs, ({ name }) => urlOf(name))
  const size = dividedPool(pool, byUrl.size)
  const connected = new Map<string, Connections>()
  for (const [url, sharing] of byUrl) {
    const names = sharing.map(({ name }) => name)
    const together = names.join('+')
    const connections = await openConnections({ url, ...size, name: together, timeoutMs, warn })
    for (const name of names) connected.set(name, connections)
  }
  return connected
}

async function closeAll(connected: Connected): Promise<void> {
  await Promise.all([...new Set(connected.values())].map((connections) => connections.close()))
}

interface OpenSubgraphOptions extends SubgraphSettings {
  /** The connections to the database of the subgraph. Closing the subgraph leaves them open. */
  readonly connections: Connections
  /** The supergraph, for questions to other subgraphs. */
  readonly execute: Execute
}

export interface OpenSubgraph {
  readonly schema: GraphQLSchema
  readonly execute: SubgraphExecutor
  /**
   * The use of the connections to the database of the subgraph, by other subgraphs too if they
   * share them.
   */
  readonly connections: () => ConnectionUse
  /** Interrupts long work. */
  interrupt(): void
  close(): Promise<void>
}

/** One subgraph in this process, on its database. */
export async function openSubgraph(
  name: string,
  { connections, warn, accounts, execute: ask, ...options }: OpenSubgraphOptions,
): Promise<OpenSubgraph> {
  const subgraph = subgraphs.find((one) => one.name === name)
  if (!subgraph) throw new Error(`No subgraph is named ${name}.`)
  async function lookUpAccount(accountId: string): Promise<RememberedAccount | null> {
    const found = await ask('FindAccount', { id: accountId }, workerCaller).catch(asDomainError)
    return found && { ...found, accountId, isActive: found.status === 'ACTIVE' }
  }
  const stop = new AbortController()
  const database = databaseOn(connections, subgraph)
  const schema = await schemaOf(subgraph)
  const execute = subgraph.executor(schema, {
    ...options,
    payments: { ...options.payments, warn },
    exports: options.exports && { ...options.exports, warn },
    database,
    cursorKey: deriveKey(options.gatewaySecret, 'cursor'),
    findAccount: (id) =>
      accounts ? accounts.find(id, () => lookUpAccount(id)) : lookUpAccount(id),
    isInvitationOpen: (id) => ask('FindInvitation', { id }, workerCaller).catch(asDomainError),
    acts: {
      claim: (act) => ask('ClaimOperatorAct', { input: act }, workerCaller).catch(asDomainError),
      async release(act) {
        await ask('ReleaseOperatorAct', { input: act }, workerCaller)
      },
    },
    budgets: createBudgetBook(ask),
    appSpending: createAppSpending(ask),
    stopping: stop.signal,
  })
  return {
    schema,
    execute,
    connections: database.connections,
    interrupt: () => stop.abort(new Error('This process stops.')),
    close: () => database.close(),
  }
}

const schemas = new Map<string, Promise<GraphQLSchema>>()

/** Schemas know nothing of a database or settings, so all gateways of a process share them. */
function schemaOf(subgraph: Subgraph<AllSettings>): Promise<GraphQLSchema> {
  const schema = schemas.get(subgraph.name) ?? subgraph.buildSchema()
  schemas.set(subgraph.name, schema)
  return schema
}

/** Makes an outage behind a subgraph an outage for the caller of the subgraph. */
function asDomainError(error: unknown): never {
  if (!isOutage(error)) throw error
  const message = 'Another part of the gateway cannot be asked for the moment.'
  const internal = error instanceof Error ? error.message : String(error)
  throw new DomainError('SERVICE_UNAVAILABLE', message, { cause: error, internal })
}
