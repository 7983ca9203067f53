import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadCatalog } from '../../../rest-facade/catalog/load-catalog.ts'
import { readConfig } from '../../../rest-facade/config/config.ts'
import { findRunningServer } from '../../../rest-facade/embedded-postgres/embedded-postgres.ts'
import { startGateway } from '../../../rest-facade/launch/all-in-one.ts'
import type { OpenStore } from '../../../rest-facade/launch/databases/store.ts'
import { createLog } from '../../../rest-facade/launch/process/log.ts'
import type { Served } from '../support/child.ts'
import { type GatewayReady, gatewayOptions } from '../support/gateway.ts'
import { seedAccounts } from '../support/seed.ts'

/** The gateway as `npm start` runs it, with a new database. */
export async function serve(given: unknown): Promise<Served> {
  const { accounts: count, tier, subscriptionTier, variables } = gatewayOptions.parse(given)
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
  const catalog = loadCatalog()
  const config = readConfig(
    {
      ...{ PORT: '0', SANDBOX_PORT: '0', INTERNAL_PORT: '0' },
      ...{ DATA_DIR: folder, DRAIN_TIMEOUT_SECONDS: '5', LOG_LEVEL: 'info' },
      ...variables,
    },
    catalog.services.map(({ backendModule }) => backendModule),
  )
  const log = createLog({ level: config.LOG_LEVEL, format: 'json' })
  const gateway = await startGateway(config, catalog, log)
  const { serviceUrl, ownerUrl } = databaseOf(gateway.store)
  const { execute } = gateway.graph
  const accounts = await seedAccounts(execute, { count, tier, subscriptionTier })
  const ready: GatewayReady = {
    ...{ baseUrl: gateway.baseUrl, internalUrl: gateway.internalUrl },
    ...{ serviceUrl, ownerUrl, accounts },
    superuserUrl: (await findRunningServer(folder))?.superuserUrl ?? null,
  }
  return {
    ready,
    async stop() {
      await gateway.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function databaseOf({ databases }: OpenStore) {
  const [database] = databases.values()
  if (!database) throw new Error('The gateway has no database.')
  return database
}
