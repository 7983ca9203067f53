import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  findBinaries,
  type PostgresBinaries,
} from '../../../gateway/trial/embedded-postgres/postgres-process.ts'

/** Debian's PostgreSQL 15: the oldest version that we run on. */
export const debianFolder = '/usr/lib/postgresql/15/bin'

/** False where Debian's PostgreSQL 15 is not installed: then its tests are skipped, and say so. */
export function hasDebianPostgres(): boolean {
  const isThere = existsSync(join(debianFolder, 'postgres'))
  if (!isThere) console.log(`skipped for PostgreSQL 15: ${debianFolder} does not exist`)
  return isThere
}

/** The binaries of this folder, otherwise of the embedded server. */
export async function binariesIn(folder = ''): Promise<PostgresBinaries> {
  const embedded = await findBinaries()
  if (folder === '') return embedded
  return { ...embedded, postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') }
}
