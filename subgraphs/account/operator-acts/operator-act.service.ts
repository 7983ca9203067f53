import type { Database, Statement } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import type { ActKeys, ClaimedAct } from '../../shared/graph/context.ts'

const claim: Statement = {
  name: 'claim-operator-act',
  text: `
    INSERT INTO account.operator_act AS a (reference, act_hash, expires_at)
    VALUES ($1, $2, now() + make_interval(secs => $3))
    ON CONFLICT (reference) DO UPDATE SET act_hash = excluded.act_hash, expires_at = excluded.expires_at,
      attempts = CASE WHEN a.act_hash = excluded.act_hash THEN a.attempts + 1 ELSE 1 END
    WHERE a.act_hash = excluded.act_hash OR a.attempts = 0 OR a.expires_at <= now()
    RETURNING 1`,
}

/** Whether the key belongs to this act: to none before, or to an earlier attempt of the same. */
export async function claimOperatorAct(
  database: Database,
  { reference, actHash, seconds }: ClaimedAct,
): Promise<boolean> {
  return (await database.query(claim, [reference, actHash, seconds])).length > 0
}

const release: Statement = {
  name: 'release-operator-act',
  text: `
    UPDATE account.operator_act SET attempts = attempts - 1
    WHERE reference = $1 AND act_hash = $2 AND attempts > 0`,
}

/**
 * Takes the claim of an attempt back that was refused. An attempt whose end nobody knows keeps its claim, and so does
 * one that has acted.
 */
export async function releaseOperatorAct(
  database: Database,
  { reference, actHash }: ClaimedAct,
): Promise<void> {
  await database.query(release, [reference, actHash])
}

/** The keys of acts where they are kept: this subgraph asks no other process for them. */
export function ownActKeys(database: Database): ActKeys {
  const all = database.as(allTenants)
  return {
    claim: (act) => claimOperatorAct(all, act),
    release: (act) => releaseOperatorAct(all, act),
  }
}
