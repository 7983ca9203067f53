import type { Logger } from 'pino'
import type { Catalog } from '../../schema/catalog/load-catalog.ts'
import type { Config } from '../config/config.ts'
import { type ProcessOptions, startProcess } from '../launch/process/process-context.ts'
import { startFacadeRole } from './roles/facade-role.ts'
import type { Role, RoleAddresses } from './roles/role.ts'
import { startSimulatorRole } from './roles/simulator-role.ts'
import { startSubgraphRole } from './roles/subgraph-role.ts'
import { startSupergraphRole } from './roles/supergraph-role.ts'
import { startWorkerRole } from './roles/worker-role.ts'

/** One process of a gateway whose roles are processes of their own. */
export interface RunningRole extends RoleAddresses {
  readonly close: () => Promise<void>
}

/** The other roles are subgraphs. */
const roles: ReadonlyMap<string, Role> = new Map([
  ['facade', startFacadeRole],
  ['supergraph', startSupergraphRole],
  ['worker', startWorkerRole],
  ['simulator', startSimulatorRole],
])

/** Starts one role, with the configuration that `readConfig` has read for it. */
export function startRole(
  role: string,
  config: Config,
  catalog: Catalog,
  log: Logger,
  { warmsUp }: Pick<ProcessOptions, 'warmsUp'> = {},
): Promise<RunningRole> {
  const options = { role, config, catalog, log, warmsUp }
  return startProcess(options, roles.get(role) ?? startSubgraphRole)
}
