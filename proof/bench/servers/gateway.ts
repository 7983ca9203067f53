import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../../gateway/config/config.ts'
import type { OpenStore } from '../../../gateway/launch/databases/store.ts'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { startGateway } from '../../../gateway/processes/all-in-one.ts'
import { findRunningServer } from '../../../gateway/trial/embedded-postgres/embedded-postgres.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { countAllocations } from '../machine/allocations.ts'
import { makeWalSegments } from '../machine/wal-segments.ts'
import type { Served } from '../support/child.ts'
import { allocationsQuestion, type GatewayReady, gatewayOptions } from '../support/gateway.ts'
import { seedAccounts } from '../support/seed.ts'

/** The gateway as `npm start` runs it, with a new database. */
export async function serve(given: unknown): Promise<Served> {
  const { variables, ...seed } = gatewayOptions.parse(given)
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
  const { serviceUrl, workerUrl, ownerUrl } = databaseOf(gateway.store)
  const { execute } = gateway.graph
  const tiers = { tier: seed.tier, subscriptionTier: seed.subscriptionTier }
  const accounts = await seedAccounts(execute, { count: seed.accounts, ...tiers })
  const poor = { count: seed.poorAccounts, credits: 1, ...tiers }
  const poorAccounts = await seedAccounts(execute, poor)
  const superuserUrl = await superuserUrlOf(folder, ownerUrl)
  if (superuserUrl !== null) await makeWalSegments(superuserUrl)
  const ready: GatewayReady = {
    ...{ baseUrl: gateway.baseUrl, internalUrl: gateway.internalUrl },
    ...{ serviceUrl, workerUrl, ownerUrl, accounts, poorAccounts },
    superuserUrl,
    gatewaySecret: gateway.store.gatewaySecret,
  }
  let tellAllocated = () => 0
  return {
    ready,
    async answer(question) {
      const { allocations } = allocationsQuestion.parse(question)
      if (allocations === 'tell') return { bytes: tellAllocated() }
      tellAllocated = countAllocations()
      return { bytes: 0 }
    },
    async stop() {
      await gateway.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** For the gateway's database; null when its server is not the one of this folder. */
async function superuserUrlOf(folder: string, ownerUrl: string): Promise<string | null> {
  const server = await findRunningServer(folder)
  if (!server) return null
  const url = new URL(server.superuserUrl)
  url.pathname = new URL(ownerUrl).pathname
  return url.href
}

function databaseOf({ databases }: OpenStore) {
  const [database] = databases.values()
  if (!database) throw new Error('The gateway has no database.')
  return database
}
