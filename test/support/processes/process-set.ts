import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type ProcessSet,
  type RoleProcess,
  startProcesses,
} from '../../../gateway/processes/distributed/processes.ts'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { startSimulator } from '../../../gateway/trial/simulator/simulator.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { createTestDatabase, type TestDatabase } from '../database/database.ts'
import { asTestGateway, type TestGateway, variablesFor } from '../gateway/gateway.ts'
import { gatewayKeys } from '../gateway/gateway-keys.ts'
import { compileProgram } from './program.ts'

/** A gateway of real processes, with two facades. */
export interface TestProcessSet {
  readonly set: ProcessSet
  /** One for each facade: the same gateway, through another door. */
  readonly doors: readonly [TestGateway, TestGateway]
  readonly database: TestDatabase
  /** One that ended, where it was. */
  startAgain(ended: RoleProcess): Promise<RoleProcess>
  close(): Promise<void>
}

interface ProcessSetOptions {
  readonly variables?: Readonly<Record<string, string>>
  /** The instances of each subgraph; one unless told. */
  readonly instances?: number
  /** The database of a server of one's own. */
  readonly database?: TestDatabase
}

export async function startTestProcesses({
  variables = {},
  instances,
  database: given,
}: ProcessSetOptions = {}): Promise<TestProcessSet> {
  await compileProgram()
  const database = given ?? (await createTestDatabase())
  const catalog = loadCatalog()
  const { keys, know } = gatewayKeys()
  const simulator = await startSimulator(catalog, { keys })
  const folder = mkdtempSync(join(tmpdir(), 'gateway-roles-'))
  const ports = await Promise.all(Array.from({ length: 4 }, freePort))
  const [live = '', sandbox = '', live2 = '', sandbox2 = ''] = ports.map(
    (port) => `http://127.0.0.1:${port}`,
  )
  const set = await startProcesses({
    variables: {
      ...variablesFor(database),
      ...Object.fromEntries(
        catalog.services.map(({ backendModule }) => [
          `BACKEND_${backendModule.toUpperCase().replaceAll('-', '_')}_URL`,
          simulator.urlOf(backendModule),
        ]),
      ),
      ...{ BASE_URL: live, SANDBOX_BASE_URL: sandbox, EXPORT_DIR: folder, LOG_LEVEL: 'warn' },
      ...variables,
    },
    facades: [
      { PORT: portOf(live), SANDBOX_PORT: portOf(sandbox) },
      { PORT: portOf(live2), SANDBOX_PORT: portOf(sandbox2) },
    ],
    instances,
  })
  know(() => set.of('facade').flatMap(({ urls }) => urls.internal ?? []))
  const [supergraph] = set.of('supergraph')
  const internalUrl = supergraph?.urls.internal ?? ''
  return {
    set,
    database,
    doors: [
      asTestGateway({ baseUrl: live, sandboxUrl: sandbox, internalUrl }, database),
      asTestGateway({ baseUrl: live2, sandboxUrl: sandbox2, internalUrl }, database),
    ],
    startAgain: ({ role, variables, urls }) =>
      set.start(role, { ...variables, INTERNAL_PORT: portOf(urls.internal ?? '') }),
    async close() {
      await set.stop()
      await simulator.close()
      rmSync(folder, { recursive: true, force: true })
      if (!given) await database.drop()
    },
  }
}

function portOf(url: string): string {
  return new URL(url).port
}
