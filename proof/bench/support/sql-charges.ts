import pg from 'pg'
import { newId } from '../../../schema/vocabulary/ids.ts'

/** Charges an account once; durable when it resolves. */
export type Charge = (accountId: string) => Promise<void>

const credits = 5
const openingCredits = 1_000_000_000

/** The smallest possible tables of a ledger, so that the floor is not slowed down. */
export async function createTables(ownerUrl: string, accountIds: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query(`
      CREATE SCHEMA bench;
      CREATE TABLE bench.balance (
        account_id text PRIMARY KEY,
        balance bigint NOT NULL CHECK (balance >= 0)
      ) WITH (fillfactor = 50);
      CREATE TABLE bench.ledger (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        account_id text NOT NULL,
        request_id text NOT NULL UNIQUE,
        credits bigint NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`)
    const insert = 'INSERT INTO bench.balance SELECT unnest($1::text[]), $2'
    await client.query(insert, [[...accountIds], openingCredits])
  } finally {
    await client.end()
  }
}

const lockBalance = {
  name: 'lock-balance',
  text: 'SELECT balance FROM bench.balance WHERE account_id = $1 FOR UPDATE',
}

const insertEntry = {
  name: 'insert-entry',
  text: 'INSERT INTO bench.ledger (account_id, request_id, credits) VALUES ($1, $2, $3)',
}

const updateBalance = {
  name: 'update-balance',
  text: 'UPDATE bench.balance SET balance = $2 WHERE account_id = $1',
}

/** A transaction as written by hand: lock the balance, check it, write ledger and balance, commit. */
export function chargeInTransaction(pool: pg.Pool): Charge {
  return async (accountId) => {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      const { rows } = await client.query({ ...lockBalance, values: [accountId] })
      const balance = Number(rows[0]?.balance) - credits
      if (!(balance >= 0)) throw new Error('The balance does not cover it.')
      await client.query({ ...insertEntry, values: [accountId, newId('req'), -credits] })
      await client.query({ ...updateBalance, values: [accountId, balance] })
      await client.query('COMMIT')
    } finally {
      client.release()
    }
  }
}

const chargeAtOnce = {
  name: 'charge-at-once',
  text: `WITH charged AS (
      UPDATE bench.balance SET balance = balance - $2
      WHERE account_id = $1 AND balance >= $2 RETURNING account_id
    )
    INSERT INTO bench.ledger (account_id, request_id, credits)
    SELECT account_id, $3, -$2::bigint FROM charged`,
}

/** Charges in a single statement, which saves four round trips and most of the time under lock. */
export function chargeInStatement(pool: pg.Pool): Charge {
  return async (accountId) => {
    const values = [accountId, credits, newId('req')]
    const { rowCount } = await pool.query({ ...chargeAtOnce, values })
    if (rowCount !== 1) throw new Error('The balance does not cover it.')
  }
}
