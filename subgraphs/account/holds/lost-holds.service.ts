import type { AllTenantsDatabase, Statement } from '../../shared/database/database.ts'
import { type Placed, partition, pick } from './batch-columns.ts'
import { settleFreeFirst, unlessLocked } from './free-places.ts'
import { readSettlements } from './hold.statements.ts'
import { limitLockWait, limitLockWaitShortly, settleLost } from './hold-batch.statements.ts'
import type { SettleBatchInput } from './hold-batch.type.ts'
import { lockedSettlement, type Settled } from './hold-outcomes.ts'
import { hasBudgets, settleValues } from './hold-values.ts'
import { rememberLocked } from './locked-owners.ts'
import { settleLostSpending } from './spending.service.ts'

const maxUnknownSeconds = 1800

/**
 * Settles requests without an open hold; returns their outcomes by place. A hold that has ended keeps its
 * outcome. A hold that a crash has lost is charged, unless the oldest request of the batch has waited for its
 * outcome for half an hour: the mark of a hold that ran out is kept for an hour. All others are not charged. Where another transaction
 * keeps the balance, requests whose hold may be lost are answered as locked.
 */
export async function settleWithoutHold(
  database: AllTenantsDatabase,
  batch: SettleBatchInput,
  places: readonly number[],
): Promise<Settled[]> {
  const isTooLate = (batch.waitedSeconds ?? 0) > maxUnknownSeconds
  const [due, over] = partition(
    places,
    (place) => !isTooLate && ((batch.credits[place] ?? 0) > 0 || Boolean(batch.answers?.[place])),
  )
  const [spending, lost] = partition(due, (place) => hasBudgets(batch, place))
  const [settlements, ended] = await Promise.all([
    lost.length === 0
      ? []
      : settleFreeFirst(database, batch, lost, (at, lockWait) =>
          settleLostAt(database, batch, at, lockWait),
        ),
    over.length === 0 ? [] : readEnded(database, batch, over),
  ])
  for (const [index, settlement] of ended.entries()) settlements[over[index] ?? 0] = settlement
  return Object.assign(settlements, await settleAllLostSpending(database, batch, spending))
}

function readEnded(
  database: AllTenantsDatabase,
  { requestIds, accountIds, environments, keyHashes }: SettleBatchInput,
  places: readonly number[],
): Promise<Settled[]> {
  return database.query<Settled>(readSettlements, [
    ...[pick(requestIds, places), pick(accountIds, places), pick(environments, places)],
    places.map((place) => keyHashes?.[place] ?? null),
  ])
}

/**
 * Settles these requests, whose holds are gone. Null: another transaction has a balance, and
 * nothing was done.
 */
function settleLostAt(
  database: AllTenantsDatabase,
  batch: SettleBatchInput,
  places: readonly number[],
  lockWait: Statement,
): Promise<Settled[] | null> {
  return unlessLocked(
    database.transaction(async (tx) => {
      await tx.query(lockWait, [])
      const values = settleValues(batch, places, { areKeyed: true })
      const settlements: Settled[] = []
      for (const { place, ...settled } of await tx.query<Settled & Placed>(settleLost, values)) {
        settlements[places[place - 1] ?? 0] = settled
      }
      return settlements
    }),
  )
}

/**
 * Settles requests with budgets one after the other. Of the requests of a locked balance, not every
 * one waits for the lock.
 */
async function settleAllLostSpending(
  database: AllTenantsDatabase,
  batch: SettleBatchInput,
  places: readonly number[],
): Promise<Settled[]> {
  const lockWait = batch.isPatient ? limitLockWait : limitLockWaitShortly
  const settlements: Settled[] = []
  const locked = new Set<string>()
  for (const place of places) {
    const owner = `${batch.accountIds[place]} ${batch.environments[place]}`
    const settled = locked.has(owner)
      ? null
      : await unlessLocked(settleLostSpending(database, batch, place, lockWait))
    if (!settled) {
      locked.add(owner)
      rememberLocked(batch, [place])
    }
    settlements[place] = settled ?? lockedSettlement
  }
  return settlements
}
