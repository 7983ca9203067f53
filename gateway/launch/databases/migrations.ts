import type { Storage } from '../../../subgraphs/shared/database/database.ts'
import {
  migrate,
  pendingSteps,
  requireCurrentSchema,
  SchemaBehind,
} from '../../../subgraphs/shared/migrating/migrate.ts'
import type { DatabaseUrls } from '../../config/database-urls.ts'
import { subgraphs } from '../supergraph/subgraphs.ts'

/** Migrates the schemas of all subgraphs, as the role that owns them. Returns the pending steps. */
export function migrateAll(ownerUrl: string): Promise<readonly string[]> {
  return migrate(subgraphs, ownerUrl)
}

/** Migrates every database, as the role that owns it. Returns the pending steps. */
export function migrateDatabases(
  databases: ReadonlyMap<string, DatabaseUrls>,
  warn: (message: string) => void,
): Promise<readonly string[]> {
  return inEach(databases, 'ownerUrl', (storages, url) => migrate(storages, url, { warn }))
}

/** Returns the pending steps without migrating. */
export function pendingOfDatabases(
  databases: ReadonlyMap<string, DatabaseUrls>,
): Promise<readonly string[]> {
  return inEach(databases, 'ownerUrl', pendingSteps)
}

/** Throws if one of these databases is older than this build. */
export async function requireCurrentDatabases(
  databases: ReadonlyMap<string, DatabaseUrls>,
): Promise<void> {
  await inEach(databases, 'serviceUrl', async (storages, url) => {
    await requireCurrentSchema(storages, url)
    return []
  })
}

/** Migrates if a step is pending; otherwise the login of the owner is not needed. */
export async function migrateWhereBehind(
  databases: ReadonlyMap<string, DatabaseUrls>,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await requireCurrentDatabases(databases)
  } catch (error) {
    if (!(error instanceof SchemaBehind)) throw error
    await migrateDatabases(databases, warn)
  }
}

/** Works on one database after the other, each with the subgraphs that it stores. */
async function inEach(
  databases: ReadonlyMap<string, DatabaseUrls>,
  urlName: keyof DatabaseUrls,
  work: (storages: readonly Storage[], url: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const url of new Set([...databases.values()].map((urls) => urls[urlName]))) {
    const storages = subgraphs.filter(({ name }) => databases.get(name)?.[urlName] === url)
    found.push(...(await work(storages, url)))
  }
  return found
}
