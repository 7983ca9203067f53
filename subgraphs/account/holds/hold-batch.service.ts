import type {
  AllTenantsDatabase,
  Database,
  ServiceStatement,
  Statement,
} from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import {
  columnsAt,
  ownersOf,
  type Placed,
  partition,
  pick,
  placesByOwner,
} from './batch-columns.ts'
import { freeAmong, placesToTry, settleFreeFirst } from './free-places.ts'
import { behindOthers, reserveApart } from './hold.service.ts'
import {
  limitLockWait,
  reserveKeyed,
  reservePlain,
  settlementOf,
  standingHolds,
} from './hold-batch.statements.ts'
import {
  BatchOutcome,
  type ReservationBatch,
  ReservationVerdict,
  type ReserveBatchInput,
  type SettleBatchInput,
  type SettlementBatch,
} from './hold-batch.type.ts'
import { hasCode, isLocked, lockedAt, lockedSettlement, type Settled } from './hold-outcomes.ts'
import { hasBudgets, isKeyed, settleValues } from './hold-values.ts'
import { rememberLocked } from './locked-owners.ts'
import { settleWithoutHold } from './lost-holds.service.ts'
import { settleSpending } from './spending.service.ts'

/**
 * One verdict for each item, in order. A hold with a key is durable when it returns. A crash may lose
 * one without a key. Nothing was charged then, and the settlement charges the call if the balance covers it.
 */
export async function reserveBatch(
  database: Database,
  batch: ReserveBatchInput,
): Promise<ReservationBatch> {
  const { requestIds, accountIds, environments, credits, endpoints, calls } = batch
  const { keyHashes, requestHashes, spenders } = batch
  requireLengths(requestIds.length, [accountIds, environments, credits, endpoints, calls])
  requireLengths(requestIds.length, [keyHashes, requestHashes, spenders, batch.counts])
  const claims = [keyHashes, requestHashes, batch.keyTtlSeconds]
  if (claims.some(Boolean) && !claims.every(Boolean)) {
    throw new DomainError(
      'INVALID_REQUEST',
      'keyHashes, requestHashes and keyTtlSeconds go together.',
    )
  }
  if (batch.isApart) return reserveApart(database, batch)
  const result: ReservationBatch = {
    verdicts: requestIds.map(() => ReservationVerdict.again),
    available: requestIds.map(() => 0),
  }
  const view = database.as(allTenants)
  const atOnce = placesAtOnce(batch)
  const tried = placesToTry(batch, atOnce, batch.isPatient)
  if (tried.length < atOnce.length) {
    for (const place of atOnce) result.verdicts[place] = ReservationVerdict.locked
    for (const place of tried) result.verdicts[place] = ReservationVerdict.again
  }
  const [keyed, plain] = partition(tried, (place) => isKeyed(batch, place))
  if (plain.length > 0) await reserveAt(view, batch, plain, result)
  if (keyed.length > 0) {
    const reserving = reserveAt(view, batch, keyed, result)
    await (plain.length > 0 ? behindOthers(reserving) : reserving)
  }
  return result
}

/**
 * The items that a statement can judge with others: budgets are judged one by one, and so is all but the
 * first use of a key.
 */
function placesAtOnce(batch: ReserveBatchInput) {
  const { requestIds, accountIds, environments, keyHashes } = batch
  const keys = new Set<string>()
  return [...requestIds.keys()].filter((place) => {
    if (hasBudgets(batch, place)) return false
    if (!isKeyed(batch, place)) return true
    const key = `${accountIds[place]} ${environments[place]} ${keyHashes?.[place]}`
    return keys.size < keys.add(key).size
  })
}

interface ReservedRow {
  readonly places: readonly number[] | null
  readonly availables: readonly number[] | null
}

/** Reserves for items of which all have a key or none has. */
async function reserveAt(
  database: AllTenantsDatabase,
  batch: ReserveBatchInput,
  places: readonly number[],
  result: ReservationBatch,
  areFree = false,
): Promise<void> {
  const of = columnsAt(batch.requestIds.length, places)
  const { keyHashes, requestHashes, keyTtlSeconds } = batch
  const amounts = of(batch.credits)
  const accountIds = of(batch.accountIds)
  const environments = of(batch.environments)
  const owners = ownersOf({ accountIds, environments, credits: amounts })
  const values = [
    ...[owners.accountIds, owners.environments, owners.credits],
    ...[of(batch.requestIds), owners.places, amounts, of(batch.endpoints), of(batch.calls)],
    batch.ttlSeconds,
  ]
  const areKeyed = keyHashes && requestHashes && isKeyed(batch, places[0] ?? 0)
  const keys = areKeyed && [of(keyHashes), of(requestHashes), keyTtlSeconds]
  try {
    const [row] = keys
      ? await database.query<ReservedRow>(reserveKeyed, [...values, ...keys])
      : await database.query<ReservedRow>(reservePlain, values)
    const available = new Map(
      row?.places?.map((place, index) => [place, row.availables?.[index] ?? 0]),
    )
    places.forEach((place, index) => {
      const left = available.get(owners.places[index] ?? 0)
      if (left !== undefined) accept(result, place, left)
    })
  } catch (error) {
    if (hasCode(error, duplicate)) await acceptStanding(database, batch, places, result)
    else if (isLocked(error)) {
      for (const place of places) result.verdicts[place] = ReservationVerdict.locked
      const free = areFree ? [] : await freeAmong(database, batch, places)
      if (free.length === 0) return
      for (const place of free) result.verdicts[place] = ReservationVerdict.again
      await reserveAt(database, batch, free, result, true)
    } else if (!hasCode(error, refused)) throw error
  }
}

/** Accepts the requests that hold credits since an earlier attempt; all others stay `again`. */
async function acceptStanding(
  database: AllTenantsDatabase,
  { requestIds, accountIds, environments }: ReserveBatchInput,
  places: readonly number[],
  result: ReservationBatch,
): Promise<void> {
  const rows = await database.query<Placed & { readonly available: number }>(standingHolds, [
    pick(requestIds, places),
    pick(accountIds, places),
    pick(environments, places),
  ])
  for (const { place, available } of rows) accept(result, places[place - 1] ?? 0, available)
}

function accept({ verdicts, available }: ReservationBatch, place: number, left: number): void {
  verdicts[place] = ReservationVerdict.accepted
  available[place] = left
}

interface SettledRow extends Placed {
  readonly charged: number
  readonly available: number
}

/** One outcome for each item, in order; durable when it returns. Safe to repeat. */
export async function settleBatch(
  database: Database,
  batch: SettleBatchInput,
): Promise<SettlementBatch> {
  const { requestIds, accountIds, environments, credits, endpoints, calls } = batch
  const { keyHashes, answers, bodies, spenders, reservedAts } = batch
  requireLengths(requestIds.length, [accountIds, environments, credits, endpoints, calls])
  requireLengths(requestIds.length, [keyHashes, answers, bodies, spenders, reservedAts])
  requireLengths(requestIds.length, [batch.counts])
  if (!keyHashes && (answers || bodies)) {
    throw new DomainError('INVALID_REQUEST', 'Answers are kept by keyHashes only.')
  }
  const view = database.as(allTenants)
  const places = inOrderOf(requestIds)
  const tried = placesToTry(batch, places, batch.isPatient)
  const [spending, others] = spenders
    ? partition(tried, (place) => hasBudgets(batch, place))
    : [[], tried]
  const settlements = others.length > 0 ? await settleAt(view, batch, others) : []
  if (spending.length > 0) {
    const ofSpending = await settleFreeFirst(view, batch, spending, (at, lockWait) =>
      settleSpending(view, batch, at, lockWait),
    )
    Object.assign(settlements, ofSpending)
  }
  const missing = tried.filter((place) => settlements[place] === undefined)
  if (missing.length > 0) {
    Object.assign(settlements, await settleWithoutHold(view, batch, missing))
  }
  if (tried.length < places.length) {
    for (const place of places) settlements[place] ??= lockedSettlement
  }
  return {
    outcomes: settlements.map(({ outcome }) => outcome),
    credits: settlements.map((settlement) => settlement.credits),
    available: settlements.map(({ available }) => available),
    budgetRemaining: spenders
      ? settlements.map(({ budgetRemaining }) => budgetRemaining ?? null)
      : null,
  }
}

/**
 * Settles the items that have an open hold; returns their outcomes by place. If another transaction has
 * locked some balances, one more statement settles the items of all others. A patient batch then waits for
 * the locked ones; any other batch answers them as locked.
 */
async function settleAt(
  database: AllTenantsDatabase,
  batch: SettleBatchInput,
  places: readonly number[],
  areFree = false,
): Promise<Settled[]> {
  const { statement, values } = settlementFor(batch, places)
  try {
    const rows = await database.query<SettledRow>(statement, values)
    return settlementsAt(places, rows)
  } catch (error) {
    // A hold ran out while the statement waited; at the next attempt it has no open hold.
    if (hasCode(error, refused)) return settleAt(database, batch, places, areFree)
    if (!isLocked(error)) throw error
    if (areFree) return lockedAt(places)
    const free = await freeAmong(database, batch, places)
    const isFree = new Set(free)
    const locked = places.filter((place) => !isFree.has(place))
    const settled = free.length > 0 ? await settleAt(database, batch, free, true) : []
    if (locked.length === 0) return settled
    const others = batch.isPatient
      ? await settlePatiently(database, batch, locked)
      : lockedAt(locked)
    return Object.assign([], settled, others)
  }
}

/**
 * Settles items whose balances are locked. It waits for locks for a second, on a connection that other
 * statements need too, so all items are in one statement.
 */
async function settlePatiently(
  database: AllTenantsDatabase,
  batch: SettleBatchInput,
  places: readonly number[],
): Promise<Settled[]> {
  const { statement, values } = settlementFor(batch, places)
  try {
    const rows = await database.transaction(async (tx) => {
      await tx.query(limitLockWait, [])
      return tx.query<SettledRow>(patient(statement), values)
    })
    return settlementsAt(places, rows)
  } catch (error) {
    if (isLocked(error)) rememberLocked(batch, places)
    else if (!hasCode(error, refused)) throw error
    return lockedAt(places)
  }
}

/** The statement that settles these items, and its values. */
function settlementFor(batch: SettleBatchInput, places: readonly number[]) {
  const of = columnsAt(batch.requestIds.length, places)
  const accountIds = of(batch.accountIds)
  const environments = of(batch.environments)
  const isOneOfEach = placesByOwner({ accountIds, environments }).length === places.length
  const areKeyed = places.some((place) => isKeyed(batch, place))
  return {
    statement: settlementOf({ isOneOfEach, isKeyed: areKeyed }),
    values: settleValues(batch, places, { areKeyed }),
  }
}

function settlementsAt(places: readonly number[], rows: readonly SettledRow[]): Settled[] {
  const settlements: Settled[] = []
  for (const { place, charged, available } of rows) {
    const outcome = charged > 0 ? BatchOutcome.captured : BatchOutcome.voided
    settlements[places[place - 1] ?? 0] = { outcome, credits: charged, available }
  }
  return settlements
}

/** The same statement for a connection of the pool, which does not give up a lock after 100 ms. */
function patient({ name, text, parameters }: ServiceStatement): Statement {
  return { name: `${name}-patiently`, text, parameters }
}

/** The places of these ids in the order of their code units, which is that of collation "C". */
function inOrderOf(ids: readonly string[]): readonly number[] {
  return [...ids.keys()].sort((a, b) => ((ids[a] ?? '') < (ids[b] ?? '') ? -1 : 1))
}

/** The code of the error when a unique index has the row already. */
const duplicate = '23505'
/** The code of an error that `account.refuse` raises. */
const refused = 'GW001'

function requireLengths(
  count: number,
  lists: readonly (readonly unknown[] | null | undefined)[],
): void {
  if (lists.every((list) => !list || list.length === count)) return
  throw new DomainError('INVALID_REQUEST', 'All lists of a batch must be as long.')
}
