import { hash } from 'node:crypto'
import { expect } from 'vitest'
import { expectExactBooks } from '../gateway/books.ts'
import type { TestGateway } from '../gateway/gateway.ts'
import { type Fulfilment, type Load, wishCredits } from './load.ts'

/** The violations that a fault test counts: each must be 0. */
export interface Damage {
  /** Charges beyond the first of each key. */
  readonly doubleCharges: number
  /** Answers with 200 without a charge. */
  readonly lostCharges: number
  /** Credits that were spent beyond the granted ones. */
  readonly overspend: number
}

interface KeyRow {
  readonly account_id: string
  readonly key_hash: string
  readonly request_id: string
}

interface ChargeRow {
  readonly account_id: string
  readonly ref: string
  readonly delta: string
}

/** Compares the answers of clients with the ledger, each entry by its idempotency key. */
export async function assessDamage(
  { database }: TestGateway,
  fulfilments: readonly Fulfilment[],
): Promise<Damage> {
  const keys = await database.query<KeyRow>(
    'SELECT account_id, key_hash, request_id FROM account.idempotency_key',
  )
  const charges = await database.query<ChargeRow>(
    "SELECT account_id, ref, delta FROM account.ledger_audit WHERE kind = 'charge'",
  )
  const requestByKey = new Map(
    keys.map(({ account_id, key_hash, request_id }) => [`${account_id} ${key_hash}`, request_id]),
  )
  const owners = new Set(requestByKey.values())
  const priced = charges.filter(({ delta }) => Number(delta) === -wishCredits)
  const charged = new Set(priced.map(({ ref }) => ref))
  const [worst] = await database.query<{ overspend: string }>(`
    SELECT coalesce(sum(greatest(0, -total)), 0) AS overspend
    FROM (SELECT sum(delta) AS total FROM account.ledger_audit GROUP BY account_id) a`)
  return {
    doubleCharges: charges.filter(({ ref }) => !owners.has(ref)).length,
    lostCharges: fulfilments.filter(({ account, key, body }) => {
      const requestId = requestByKey.get(`${account.id} ${hash('sha256', key)}`)
      return body !== null && !(requestId !== undefined && charged.has(requestId))
    }).length,
    overspend: Number(worst?.overspend),
  }
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

export const noDamage: Damage = { doubleCharges: 0, lostCharges: 0, overspend: 0 }

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
