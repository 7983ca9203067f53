import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { refuseUnsafeDatabases } from '../../../subgraphs/shared/database/unsafe-database.ts'
import type { Config } from '../../config/config.ts'
import type { DatabaseUrls } from '../../config/database-urls.ts'
import { subgraphNames } from '../../config/role-names.ts'
import { writeSecretFile } from '../../config/secret-file.ts'
import {
  type EmbeddedPostgres,
  findRunningServer,
  startEmbeddedPostgres,
} from '../../trial/embedded-postgres/embedded-postgres.ts'

/** The databases of a gateway, and the secret that seals their contents. */
export interface OpenStore {
  /** The database of each subgraph; all subgraphs may share one. */
  readonly databases: ReadonlyMap<string, DatabaseUrls>
  readonly gatewaySecret: string
  readonly isEmbedded: boolean
  /** Stops the server that was started for this store. */
  close(): Promise<void>
}

/**
 * The configured database, or the embedded one, which then belongs to this process alone. It takes
 * any free port by default.
 */
export async function openStore(config: Config, postgresPort?: number): Promise<OpenStore> {
  if (config.databases.size > 0) return configuredStore(config)
  const server = await startEmbeddedPostgres(config.DATA_DIR, undefined, postgresPort)
  return embeddedStore(config.DATA_DIR, server)
}

/**
 * Opens the store for a command: beside a running gateway its server is used, else one is started for the
 * command.
 */
export async function openStoreBeside(config: Config): Promise<OpenStore> {
  if (config.databases.size > 0) return configuredStore(config)
  const running = await findRunningServer(config.DATA_DIR)
  if (running) return embeddedStore(config.DATA_DIR, { ...running, stop: async () => {} })
  return openStore(config)
}

async function configuredStore({ databases, GATEWAY_SECRET }: Config): Promise<OpenStore> {
  await refuseUnsafeDatabases(serviceUrlsOf(databases))
  return {
    databases,
    gatewaySecret: GATEWAY_SECRET ?? '',
    isEmbedded: false,
    close: async () => {},
  }
}

/** The address of each database, once. */
export function serviceUrlsOf(databases: ReadonlyMap<string, DatabaseUrls>): readonly string[] {
  return [...new Set([...databases.values()].map(({ serviceUrl }) => serviceUrl))]
}

/** The address of each database, once, with the login that runs its jobs. */
export function workerUrlsOf(databases: ReadonlyMap<string, DatabaseUrls>): readonly string[] {
  return [...new Set([...databases.values()].map(({ workerUrl }) => workerUrl))]
}

function embeddedStore(
  dataDir: string,
  { stop, ...urls }: Pick<EmbeddedPostgres, keyof DatabaseUrls | 'stop'>,
): OpenStore {
  const gatewaySecret = loadGatewaySecret(dataDir)
  const { serviceUrl, workerUrl, ownerUrl } = urls
  const databases = new Map(
    subgraphNames.map((name) => [name, { serviceUrl, workerUrl, ownerUrl }]),
  )
  return { databases, gatewaySecret, isEmbedded: true, close: stop }
}

/**
 * The secret of an embedded gateway. It is made once, because without it neither cursors nor sealed
 * keys can be opened.
 */
function loadGatewaySecret(dataDir: string): string {
  const file = join(dataDir, 'gateway-secret')
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true })
    writeSecretFile(file, randomBytes(32).toString('hex'))
  }
  return readFileSync(file, 'utf8').trim()
}
