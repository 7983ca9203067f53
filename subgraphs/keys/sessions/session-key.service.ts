import { batched, type Placed } from '../../shared/database/batched.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { isUsable } from '../verification/verified-key.service.ts'

const namesOfKeys: Statement = {
  name: 'names-of-usable-keys',
  text: `
    SELECT i.place, k.name
    FROM unnest($1::text[]) WITH ORDINALITY AS i (id, place)
    JOIN keys.api_key k ON k.id = i.id AND ${isUsable}`,
}

/** One statement for all sessions of a list. The view of the database has the caller's keys alone. */
const findName = batched<string, NameRow & Placed>((database: Database, ids) =>
  database.query<NameRow & Placed>(namesOfKeys, [ids]),
)

interface NameRow {
  readonly name: string
}

interface SessionReference {
  readonly id: string
  readonly keyId: string | null
}

/** Names the key of a session, also a live key that was handed over to the sandbox. */
export async function nameKey(
  { database }: GraphContext,
  { id, keyId }: SessionReference,
): Promise<SessionReference & { readonly keyName: string | null }> {
  const row = keyId ? await findName(database, keyId) : null
  return { id, keyId, keyName: row?.name ?? null }
}
