import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { refuseUnsafeRoles } from '../../subgraphs/shared/database.ts'
import {
  type EmbeddedPostgres,
  runningServerUrls,
  startEmbeddedPostgres,
} from '../../subgraphs/shared/embedded-postgres.ts'
import { writeSecretFile } from '../../subgraphs/shared/secret-file.ts'
import type { Config } from './config.ts'

/** A database to work with, and the secret that its contents are sealed with. */
export interface OpenStore {
  readonly serviceUrl: string
  readonly ownerUrl: string
  readonly gatewaySecret: string
  readonly isEmbedded: boolean
  /** Stops what was started for this store. */
  close(): Promise<void>
}

/** The configured database, or the embedded one, which then belongs to this process alone. */
export async function openStore(config: Config): Promise<OpenStore> {
  if (config.DATABASE_URL) return configuredStore(config, config.DATABASE_URL)
  return embeddedStore(config.DATA_DIR, await startEmbeddedPostgres(config.DATA_DIR))
}

/** For commands: beside a running gateway its server is used, else one is started for the command. */
export async function openStoreBeside(config: Config): Promise<OpenStore> {
  if (config.DATABASE_URL) return configuredStore(config, config.DATABASE_URL)
  const running = await runningServerUrls(config.DATA_DIR)
  if (running) return embeddedStore(config.DATA_DIR, { ...running, stop: async () => {} })
  return openStore(config)
}

async function configuredStore(config: Config, serviceUrl: string): Promise<OpenStore> {
  await refuseUnsafeRoles(serviceUrl)
  return {
    serviceUrl,
    ownerUrl: config.MIGRATE_DATABASE_URL ?? serviceUrl,
    gatewaySecret: config.GATEWAY_SECRET ?? '',
    isEmbedded: false,
    close: async () => {},
  }
}

function embeddedStore(
  dataDir: string,
  { serviceUrl, ownerUrl, stop }: Pick<EmbeddedPostgres, 'serviceUrl' | 'ownerUrl' | 'stop'>,
): OpenStore {
  const gatewaySecret = loadGatewaySecret(dataDir)
  return { serviceUrl, ownerUrl, gatewaySecret, isEmbedded: true, close: stop }
}

/** Made once: whoever loses it can open neither cursors nor sealed keys. */
function loadGatewaySecret(dataDir: string): string {
  const file = join(dataDir, 'gateway-secret')
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true })
    writeSecretFile(file, randomBytes(32).toString('hex'))
  }
  return readFileSync(file, 'utf8').trim()
}
