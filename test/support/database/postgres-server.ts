import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../../../gateway/trial/embedded-postgres/embedded-postgres.ts'
import { account } from '../../../subgraphs/account/index.ts'
import { keys } from '../../../subgraphs/keys/index.ts'
import { oauth } from '../../../subgraphs/oauth/index.ts'
import { migrate } from '../../../subgraphs/shared/migrating/migrate.ts'
import { usage } from '../../../subgraphs/usage/index.ts'
import { binariesIn } from './postgres-binaries.ts'
import { scratchFolder } from './scratch-folder.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The superuser's URL of the run's PostgreSQL server. */
    readonly superuserUrl: string
    readonly ownerUrl: string
    /** The address of a login that works as the service and works off jobs. */
    readonly serviceUrl: string
  }
}

/**
 * One real PostgreSQL server for the whole run; its migrated database is the template of every test
 * file's own.
 */
export default async function startPostgresServer(project: TestProject) {
  const folder = mkdtempSync(join(scratchFolder(), 'gateway-test-'))
  const binaries = await binariesIn(project.config.env.TEST_POSTGRES)
  const server = await startEmbeddedPostgres(folder, binaries)
  // A run that is interrupted leaves nothing in memory.
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', removeFolder)
  await migrate([account, keys, oauth, usage], server.ownerUrl)
  project.provide('superuserUrl', server.superuserUrl)
  project.provide('ownerUrl', besideTemplate(server.ownerUrl))
  project.provide('serviceUrl', besideTemplate(server.workerUrl))
  return async () => {
    await server.stop()
    removeFolder()
    process.off('exit', removeFolder)
  }
}

/** A database is not cloned while somebody has a connection to it, so the tests get no URL of it. */
function besideTemplate(url: string): string {
  const changed = new URL(url)
  changed.pathname = '/postgres'
  return changed.href
}
