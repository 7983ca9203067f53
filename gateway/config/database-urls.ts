import { subgraphNames } from './role-names.ts'
import { postgresUrl } from './variables/formats.ts'
import type { Variables } from './variables/variables.ts'

/** A PostgreSQL database, as its users and as the role that owns it. */
export interface DatabaseUrls {
  readonly serviceUrl: string
  /** The login of processes that run its jobs. */
  readonly workerUrl: string
  readonly ownerUrl: string
}

/** The databases of all subgraphs, or only of the subgraphs that have their own. */
export function readDatabases(
  given: Variables,
  problems: string[],
): ReadonlyMap<string, DatabaseUrls> {
  function read(name: string): string | undefined {
    const found = postgresUrl.optional().safeParse(given[name])
    if (!found.success) problems.push(`${name} must be a postgres:// URL`)
    return found.data
  }
  const databases = new Map<string, DatabaseUrls>()
  for (const subgraph of subgraphNames) {
    const prefix = subgraph.toUpperCase()
    const own = read(`${prefix}_DATABASE_URL`)
    const ownOwner = read(`${prefix}_MIGRATE_DATABASE_URL`)
    if (own === undefined && ownOwner !== undefined) {
      problems.push(`${prefix}_MIGRATE_DATABASE_URL needs ${prefix}_DATABASE_URL`)
    }
    const serviceUrl = own ?? given.DATABASE_URL
    if (serviceUrl === undefined) continue
    const ownerUrl = ownOwner ?? (own === undefined ? given.MIGRATE_DATABASE_URL : undefined)
    databases.set(subgraph, {
      serviceUrl,
      workerUrl: serviceUrl,
      ownerUrl: ownerUrl ?? serviceUrl,
    })
  }
  return databases
}
