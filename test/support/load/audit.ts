import { hash } from 'node:crypto'
import { expect } from 'vitest'
import { expectExactBooks } from '../gateway/books.ts'
import type { TestGateway } from '../gateway/gateway.ts'
import { until } from '../time/until.ts'
import { type Fulfilment, type Load, wishCredits } from './load.ts'

/** The violations that a fault test counts: each must be 0. */
export interface Damage {
  /** Charges beyond the first of each key, and those of calls without a key that no success explains. */
  readonly doubleCharges: number
  /** Answers with 200 without a charge. */
  readonly lostCharges: number
  /** Credits that were spent beyond the granted ones. */
  readonly overspend: number
  /** Balances that hold something else than their open holds add up to. */
  readonly heldDrifts: number
}

/** What a load knows of calls without a key that were no success. */
type Unfulfilled = Pick<Load, 'refused' | 'unseen'>

interface KeyRow {
  readonly account_id: string
  readonly key_hash: string
  readonly request_id: string
}

interface ChargeRow {
  readonly account_id: string
  readonly ref: string
  readonly credits: number
  /** Whether it was refunded. */
  readonly is_returned: boolean
}

interface Ledger {
  readonly keys: readonly KeyRow[]
  readonly charges: readonly ChargeRow[]
  readonly overspend: string
  readonly held_drifts: string
}

/** Compares the answers of clients with the ledger, each entry by its idempotency key or request. */
export async function assessDamage(
  gateway: TestGateway,
  fulfilments: readonly Fulfilment[],
  loads: readonly Unfulfilled[] = [],
): Promise<Damage> {
  const ledger = await readLedger(gateway)
  return damageOf(ledger, { acknowledged: fulfilments, explaining: fulfilments, loads })
}

/**
 * While the loads run, in one snapshot: each acknowledged charge is there, none is doubled, and what balances
 * hold are their open holds. Charges of refused calls may still be refunded.
 */
export async function expectNoDamageSoFar(
  gateway: TestGateway,
  loads: readonly Load[],
): Promise<void> {
  const soFar = () => loads.flatMap((load) => load.soFar())
  const acknowledged = soFar()
  const ledger = await readLedger(gateway)
  const refused = new Set(loads.flatMap((load) => [...load.refused]))
  const charges = ledger.charges.filter(({ ref }) => !refused.has(ref))
  // Successes that are younger than the snapshot may explain charges in it.
  const answers = { acknowledged, explaining: soFar(), loads }
  expect(damageOf({ ...ledger, charges }, answers)).toEqual(noDamage)
}

/** Resolves when every hold that is open now has ended, by its settlement or by the sweeper. */
export async function untilSwept({ database }: TestGateway): Promise<void> {
  const holds = async () => {
    const rows = await database.query<{ id: string }>('SELECT request_id AS id FROM account.hold')
    return rows.map(({ id }) => id)
  }
  const left = new Set(await holds())
  await until(async () => !(await holds()).some((id) => left.has(id)))
}

/** One statement, so that all of it is of one moment. */
async function readLedger({ database }: TestGateway): Promise<Ledger> {
  const [ledger] = await database.query<Ledger>(`
    SELECT
      (SELECT coalesce(json_agg(k), '[]') FROM (
        SELECT account_id, key_hash, request_id FROM account.idempotency_key) k) AS keys,
      (SELECT coalesce(json_agg(c), '[]') FROM (
        SELECT account_id, ref, -delta AS credits, (account_id, ref) IN (
            SELECT account_id, ref FROM account.ledger_audit WHERE kind = 'refund') AS is_returned
          FROM account.ledger_audit WHERE kind = 'charge') c) AS charges,
      (SELECT coalesce(sum(greatest(0, -total)), 0)
        FROM (SELECT sum(delta) AS total FROM account.ledger_audit GROUP BY account_id) a) AS overspend,
      (SELECT count(*) FROM account.balance b WHERE b.held <> (
        SELECT coalesce(sum(h.credits), 0) FROM account.hold h
        WHERE h.account_id = b.account_id AND h.environment = b.environment)) AS held_drifts`)
  if (!ledger) throw new Error('A statement without FROM has a row.')
  return ledger
}

interface Answers {
  /** Whose charges must be there. */
  readonly acknowledged: readonly Fulfilment[]
  /** Whose charges may be there. */
  readonly explaining: readonly Fulfilment[]
  readonly loads: readonly Unfulfilled[]
}

function damageOf(
  { keys, charges, overspend, held_drifts }: Ledger,
  { acknowledged, explaining, loads }: Answers,
): Damage {
  const requestByKey = new Map(
    keys.map(({ account_id, key_hash, request_id }) => [`${account_id} ${key_hash}`, request_id]),
  )
  const requestOf = ({ account, key, requestId }: Fulfilment) =>
    requestId ?? requestByKey.get(`${account.id} ${hash('sha256', key)}`)
  const priced = charges.filter((one) => one.credits === wishCredits && !one.is_returned)
  const charged = new Set(priced.map(({ ref }) => ref))
  const owners = new Set([...requestByKey.values(), ...explaining.map(requestOf)])
  const refused = new Set(loads.flatMap((load) => [...load.refused]))

  const unowned = charges.filter(({ ref }) => !owners.has(ref))
  const [ofRefused, unexplained] = partition(unowned, ({ ref }) => refused.has(ref))
  const repeated = charges.length - new Set(charges.map(({ ref }) => ref)).size
  let doubleCharges = repeated + ofRefused.filter((one) => !one.is_returned).length
  for (const [accountId, ofAccount] of Map.groupBy(unexplained, ({ account_id: id }) => id)) {
    const unseen = loads.reduce((sum, load) => sum + (load.unseen.get(accountId) ?? 0), 0)
    doubleCharges += Math.max(0, ofAccount.length - unseen)
  }
  return {
    doubleCharges,
    lostCharges: acknowledged.filter(
      (fulfilment) => fulfilment.body !== null && !charged.has(requestOf(fulfilment) ?? ''),
    ).length,
    overspend: Number(overspend),
    heldDrifts: Number(held_drifts),
  }
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean) {
  const first = items.filter(isFirst)
  return [first, items.filter((item) => !isFirst(item))] as const
}

/** Prints the figures of one fault test on a line of their own. */
export function report(
  name: string,
  injections: number,
  { doubleCharges, lostCharges, overspend }: Damage,
  load?: Load,
): void {
  const answers = load ? ` | ${[...load.answers].map(([a, n]) => `${n} × ${a}`).join(', ')}` : ''
  console.log(
    `${name}: ${injections} injections, ${doubleCharges} double charges, ` +
      `${lostCharges} lost charges, overspend ${overspend}${answers}`,
  )
}

export const noDamage: Damage = {
  doubleCharges: 0,
  lostCharges: 0,
  overspend: 0,
  heldDrifts: 0,
}

/** The books of every account, entry by entry: `gateway ledger verify`. */
async function expectNoDrift(gateway: TestGateway): Promise<void> {
  const { ledgerAudit } = Object(
    await gateway.graphql('{ ledgerAudit { entries drifts { accountId seq problem } } }'),
  )
  expect(ledgerAudit).toEqual({ entries: expect.any(Number), drifts: [] })
}

/** After any fault: nothing is lost or doubled, and the books are exact without repair. */
export async function expectNoDamage(gateway: TestGateway, damage: Damage): Promise<void> {
  expect(damage).toEqual(noDamage)
  await expectExactBooks(gateway)
  await expectNoDrift(gateway)
}
