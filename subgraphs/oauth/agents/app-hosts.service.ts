import { makeChange, recordChange } from '../../shared/changes/change.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { endGrantsOf } from '../apps/app.service.ts'
import { hostNameOf } from '../apps/checks/app-hosts.ts'

const deniedHosts: Statement = {
  name: 'denied-app-hosts',
  text: 'SELECT host FROM oauth.denied_app_host WHERE host = ANY ($1::text[])',
}

/** Whether an operator denies one of the hosts. */
export async function isDenied(database: Database, hosts: readonly string[]): Promise<boolean> {
  if (hosts.length === 0) return false
  return (await database.as(allTenants).query(deniedHosts, [hosts])).length > 0
}

const shareHosts: Statement = {
  name: 'share-app-hosts',
  text: `
    SELECT pg_advisory_xact_lock_shared(hashtextextended('oauth-app-host/' || host, 0))
    FROM unnest($1::text[]) AS host ORDER BY host`,
}

const lockHost: Statement = {
  name: 'lock-app-host',
  text: "SELECT pg_advisory_xact_lock(hashtextextended('oauth-app-host/' || $1, 0))",
}

/**
 * Whether no operator denies the hosts. A denial at the same time waits for the transaction, and ends what it stores.
 */
export async function holdHosts(tx: Transaction, hosts: readonly string[]): Promise<boolean> {
  if (hosts.length === 0) return true
  await tx.query(shareHosts, [hosts])
  return (await tx.query(deniedHosts, [hosts])).length === 0
}

const insertDenied: Statement = {
  name: 'deny-app-host',
  text: `INSERT INTO oauth.denied_app_host (host) VALUES ($1)
    ON CONFLICT (host) DO NOTHING RETURNING host`,
}

const appsOfHost: Statement = {
  name: 'apps-of-host',
  text: `SELECT client_id, client_name FROM oauth.app
    WHERE origin <> 'account' AND $1 = ANY (hosts) ORDER BY client_id FOR UPDATE`,
}

interface NamedApp {
  readonly client_id: string
  readonly client_name: string
}

/** What a denial has ended. */
interface Denial {
  readonly isNews: boolean
  readonly accountIds: readonly string[]
}

/**
 * Refuses all apps of a host that nobody has registered by hand, in both environments, and ends what was granted to
 * them. A repetition changes nothing.
 */
export async function denyHost(context: GraphContext, written: string): Promise<Denial> {
  const host = hostNamed(written)
  const change = {
    ...{ owner: null, action: 'app_host.deny', resourceId: host },
    note: ({ isNews, accountIds }: Denial) =>
      isNews ? { details: { accounts_affected: accountIds.length } } : null,
  }
  return makeChange(context, change, async (tx): Promise<Denial> => {
    await tx.query(lockHost, [host])
    const isNews = (await tx.query(insertDenied, [host])).length > 0
    if (!isNews) return { isNews, accountIds: [] }
    const ended: string[] = []
    for (const app of await tx.query<NamedApp>(appsOfHost, [host])) {
      ended.push(...(await endGrantsOf(tx, app, 'app_suspended')))
    }
    return { isNews, accountIds: [...new Set(ended)] }
  })
}

const deleteDenied: Statement = {
  name: 'allow-app-host',
  text: 'DELETE FROM oauth.denied_app_host WHERE host = $1 RETURNING host',
}

/** Accepts the apps of a host again; what was granted to them does not come back. Returns whether it was denied. */
export async function allowHost(context: GraphContext, written: string): Promise<boolean> {
  const host = hostNamed(written)
  return context.database.transaction(async (tx) => {
    const wasDenied = (await tx.query(deleteDenied, [host])).length > 0
    const change = { owner: null, action: 'app_host.allow', resourceId: host }
    if (wasDenied) await recordChange(tx, context, change)
    return wasDenied
  })
}

const maxListedHosts = 1000

const allDenied: Statement = {
  name: 'all-denied-app-hosts',
  text: `SELECT host FROM oauth.denied_app_host ORDER BY host LIMIT ${maxListedHosts}`,
}

/** The first thousand hosts that are denied, in alphabetical order. */
export async function listDeniedHosts(database: Database): Promise<string[]> {
  const rows = await database.query<{ host: string }>(allDenied, [])
  return rows.map(({ host }) => host)
}

/** The host as apps have it. Throws INVALID_REQUEST for anything else. */
function hostNamed(written: string): string {
  const url = URL.parse(`https://${written}/`)
  const host = url ? hostNameOf(url) : ''
  const isHost = host !== '' && written.length <= 253 && !/[/@:?#\s]/.test(written)
  requireAll([['host', isHost, 'must be the name of a host, without a port']])
  return host
}
