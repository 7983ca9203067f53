import pg from 'pg'
import { onOwnConnection } from './own-connection.ts'
import { serviceRole, workerRole } from './sessions.ts'

/** The database cannot be used as configured. Its message has a line for each reason. */
export class UnsafeDatabase extends Error {
  override readonly name = 'UnsafeDatabase'
}

interface UnsafeRole {
  readonly isLogin: boolean
}

interface UnsafeSetting {
  readonly name: string
}

/** Throws UnsafeDatabase with every reason against serving from these databases (docs/promises.md P6). */
export async function refuseUnsafeDatabases(urls: readonly string[]): Promise<void> {
  const reasons = await Promise.all(urls.map(reasonsAgainst))
  const different = [...new Set(reasons.flat())]
  if (different.length > 0) throw new UnsafeDatabase(different.join('\n'))
}

/** Every reason against serving from this database; throws when it does not answer. */
export async function reasonsAgainst(url: string): Promise<string[]> {
  return onOwnConnection(url, { query_timeout: answerMs }, async (client) => {
    const roles = await client.query<UnsafeRole>(rolesQuery, [serviceRole])
    const settings = await client.query<UnsafeSetting>(settingsQuery)
    return [
      ...roles.rows.map(({ isLogin }) => problemOfRole(isLogin)),
      ...settings.rows.map(({ name }) => problemOfSetting(name)),
    ]
  })
}

/** Whether this login may become the role of the workers. It tries, which changes nothing. */
export async function mayWork(url: string): Promise<boolean> {
  return onOwnConnection(url, { query_timeout: answerMs }, async (client) => {
    try {
      // SET LOCAL affects this transaction alone, also behind a connection pooler.
      await client.query(`BEGIN; SET LOCAL ROLE ${workerRole}; ROLLBACK`)
      return true
    } catch (error) {
      // The login may not become the role, or the role is missing.
      if (error instanceof pg.DatabaseError && /^(42501|22023)$/.test(error.code ?? ''))
        return false
      throw error
    }
  })
}

/** How long to wait for the answer of a database. */
const answerMs = 5000

/**
 * A superuser could rewrite the ledger whatever its privileges say; and a role that bypasses row-level
 * security would see every tenant's rows (docs/promises.md S6).
 */
const rolesQuery = `
  SELECT rolname = session_user AND rolsuper AS "isLogin" FROM pg_roles
  WHERE rolname = session_user AND rolsuper
    OR rolname = $1 AND (rolsuper OR rolbypassrls)
  ORDER BY "isLogin" DESC`

/** The settings of a session of this login, from whichever source they come. */
const settingsQuery = `
  SELECT name FROM pg_settings
  WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
  ORDER BY name`

function problemOfRole(isLogin: boolean): string {
  return isLogin
    ? `DATABASE_URL logs in as a superuser. Give requests a login that is a member of ${serviceRole}, and the owner's to MIGRATE_DATABASE_URL.`
    : `The role ${serviceRole} must be neither SUPERUSER nor BYPASSRLS.`
}

function problemOfSetting(name: string): string {
  return `The database has ${name} = off: a crash could lose charges that were confirmed. Turn it on.`
}
