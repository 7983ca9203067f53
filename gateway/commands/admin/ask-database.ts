import { randomUUID } from 'node:crypto'
import type { InternalCaller } from '../../../schema/credentials/caller.ts'
import type { BodyOf, OperationName, VariablesOf } from '../../../schema/generated/operations.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Ask } from '../../books/compare-with-ledger.ts'
import { type Addresses, addressesOf, localUrl } from '../../config/addresses.ts'
import type { Config } from '../../config/config.ts'
import { subgraphSettings } from '../../config/subgraph-settings.ts'
import { migrateWhereBehind } from '../../launch/databases/migrations.ts'
import { type OpenStore, openStoreBeside } from '../../launch/databases/store.ts'
import { openBriefGraph } from '../../launch/supergraph/graph.ts'
import { runningUrls } from '../../trial/demo/running-gateway.ts'

export interface Output {
  readonly json?: boolean
}

/** Prints a result as JSON, or as `name: value` lines. */
export function print(result: object, { json }: Output): void {
  const text = json ? JSON.stringify(result) : Object.entries(result).map(toLine).join('\n')
  process.stdout.write(`${text}\n`)
}

function toLine([name, value]: [string, unknown]): string {
  return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
}

/** Who acts, why, and which attempt it is. */
export interface Act extends Output {
  readonly reason: string
  /** The name in the audit trail; without it, `cli`. */
  readonly by?: string
  readonly idempotencyKey?: string
}

/** What a mutation is told of an act. By default each run of a command is an attempt of its own. */
export function toldOf<Reason>({
  reason,
  idempotencyKey = `command:${randomUUID()}`,
}: Pick<Act, 'idempotencyKey'> & { readonly reason: Reason }) {
  return { reason, idempotencyKey }
}

export function warn(message: string): void {
  process.stderr.write(`${message}\n`)
}

export async function withStore<Result>(
  config: Config,
  work: (store: OpenStore) => Promise<Result>,
): Promise<Result> {
  const store = await openStoreBeside(config)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Runs one persisted operation as an administrator, on the database itself. */
export function execute<Name extends OperationName>(
  config: Config,
  operation: Name,
  variables: VariablesOf<Name>,
  by?: string,
): Promise<BodyOf<Name>> {
  return withGraph(config, (ask) => ask(operation, variables), by)
}

/**
 * The addresses of the running gateway; without one, those that a gateway with the same variables
 * would have.
 */
export async function gatewayAddresses(config: Config): Promise<Addresses> {
  const { databases, DATA_DIR, HOST, PORT, SANDBOX_PORT } = config
  const own = { live: localUrl(HOST, PORT), sandbox: localUrl(HOST, SANDBOX_PORT) }
  const running = databases.size === 0 ? await runningUrls(DATA_DIR) : null
  return addressesOf(config, running ?? own)
}

/** Runs persisted operations as an administrator, on the database itself. */
export async function withGraph<Result>(
  config: Config,
  work: (ask: Ask, gatewaySecret: string) => Promise<Result>,
  by?: string,
): Promise<Result> {
  // The addresses are read before the store is opened, because the command may start the database
  // itself.
  const addresses = await gatewayAddresses(config)
  return withStore(config, async (store) => {
    await migrateWhereBehind(store.databases, warn)
    const graph = await openBriefGraph({
      ...subgraphSettings(config, store.gatewaySecret, addresses),
      serviceUrl: (subgraph) => store.databases.get(subgraph)?.serviceUrl ?? '',
      databaseTimeoutMs: config.DATABASE_TIMEOUT_MS,
      warn,
      // The database notifies a running gateway of the change.
      invalidate: () => {},
    })
    const caller: InternalCaller = {
      kind: 'internal',
      role: 'admin',
      environment: 'live',
      requestId: newId('req'),
      traceId: '',
      address: null,
      tokenId: 'cli',
      operator: by,
    }
    try {
      const ask: Ask = (operation, variables) => graph.execute(operation, variables, caller)
      return await work(ask, store.gatewaySecret)
    } finally {
      await graph.close()
    }
  })
}
