import type { Config } from '../../config/config.ts'
import { migrateDatabases, pendingOfDatabases } from '../../launch/databases/migrations.ts'
import { type Output, print, warn, withStore } from './ask-database.ts'

/** Migrates; with `check` it only lists the pending steps, and fails if there are any. */
export async function runMigrate(
  config: Config,
  { check, ...output }: Output & { check?: boolean },
): Promise<void> {
  if (check) return checkMigrations(config, output)
  const applied = await withStore(config, ({ databases }) => migrateDatabases(databases, warn))
  print({ status: 'up to date', applied }, output)
}

async function checkMigrations(config: Config, output: Output): Promise<void> {
  const pending = await withStore(config, ({ databases }) => pendingOfDatabases(databases))
  print({ status: pending.length > 0 ? 'behind' : 'up to date', pending }, output)
  if (pending.length > 0) process.exitCode = 1
}
