import type { Database, Statement } from '../../shared/database/database.ts'
import { isText, requireAll } from '../../shared/graph/checks.ts'

/** The most accounts that one look-up finds. */
const maxFound = 50

const byShownKey: Statement = {
  name: 'accounts-of-shown-key',
  text: `SELECT DISTINCT account_id AS id FROM keys.api_key WHERE last4 = $2 AND prefix = $1
    ORDER BY id DESC LIMIT ${maxFound}`,
}

const byExternalId: Statement = {
  name: 'accounts-of-external-id',
  text: `SELECT DISTINCT account_id AS id FROM keys.api_key WHERE external_id = $1
    ORDER BY id DESC LIMIT ${maxFound}`,
}

interface Found {
  readonly id: string
}

/** A key as people see it: its first characters, dots or nothing, and its last four. */
const shownKey = /^(.*_)(?:…|\.{3})?([0-9A-Za-z]{4})$/

/**
 * Accounts with a key that lists show as this text, in any environment and state of the key. All keys of an environment
 * have the same first characters, so these alone are no key, and find nothing.
 */
export async function accountsOfKeyPrefix(database: Database, shown: string): Promise<Found[]> {
  requireAll([['prefix', isText(shown, 100), 'must have 1 to 100 characters']])
  const [, prefix, last4] = shownKey.exec(shown) ?? []
  return last4 === undefined ? [] : database.query<Found>(byShownKey, [prefix, last4])
}

/** Accounts with a key that carries exactly this external id. */
export function accountsOfExternalId(database: Database, externalId: string): Promise<Found[]> {
  requireAll([['externalId', isText(externalId, 200), 'must have 1 to 200 characters']])
  return database.query<Found>(byExternalId, [externalId])
}
