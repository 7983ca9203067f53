import type { Logger } from 'pino'
import { readConfig } from '../../../gateway/config/config.ts'
import { type RunningRole, startRole } from '../../../gateway/processes/roles.ts'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import type { Catalog } from '../../../schema/catalog/load-catalog.ts'

interface RolesOptions {
  readonly modules: readonly string[]
  readonly catalog: Catalog
  readonly log: Logger
}

interface RunningRoles {
  readonly baseUrl: string
  readonly sandboxUrl: string
  readonly internalUrl: string
  /** The address of the internal listener of the facade; the other one is the supergraph's. */
  readonly facadeInternalUrl: string
  close(): Promise<void>
}

/** One of each role in this process, which reach each other as processes do. */
export async function startRoles(
  variables: Readonly<Record<string, string>>,
  { modules, catalog, log }: RolesOptions,
): Promise<RunningRoles> {
  const [port, sandboxPort] = [String(await freePort()), String(await freePort())]
  const baseUrl = `http://127.0.0.1:${port}`
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`
  const running: RunningRole[] = []
  const found: Record<string, string> = {}
  async function start(role: string, more: Readonly<Record<string, string>> = {}) {
    const own = { BASE_URL: baseUrl, SANDBOX_BASE_URL: sandboxUrl, ...variables, ...found, ...more }
    const local = { FACADE_URL: baseUrl, SANDBOX_FACADE_URL: sandboxUrl }
    const started = await startRole(
      role,
      readConfig({ ...local, ...own }, modules, role),
      catalog,
      log,
      { warmsUp: false },
    )
    running.push(started)
    return started.urls.internal ?? ''
  }
  async function close(): Promise<void> {
    // The facade was the last.
    for (const role of running.toReversed()) await role.close()
  }
  try {
    for (const name of ['account', 'keys', 'usage', 'oauth']) {
      found[`${name.toUpperCase()}_SUBGRAPH_URL`] = await start(name)
    }
    await start('worker')
    const internalUrl = await start('supergraph')
    const facadeInternalUrl = await start('facade', { PORT: port, SANDBOX_PORT: sandboxPort })
    return { baseUrl, sandboxUrl, internalUrl, facadeInternalUrl, close }
  } catch (error) {
    await close()
    throw error
  }
}
