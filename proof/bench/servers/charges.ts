import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { z } from 'zod'
import { migrateAll } from '../../../gateway/launch/databases/migrations.ts'
import { openGraph } from '../../../gateway/launch/supergraph/graph.ts'
import { startEmbeddedPostgres } from '../../../gateway/trial/embedded-postgres/embedded-postgres.ts'
import {
  callLine,
  type Hold,
  type Reservation,
  type Settlement,
} from '../../../rest-facade/charge/hold.ts'
import { createLedger, type Ledger } from '../../../rest-facade/charge/ledger.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Served } from '../support/child.ts'
import { seedAccounts } from '../support/seed.ts'
import {
  type Charge,
  chargeInStatement,
  chargeInTransaction,
  createTables,
} from '../support/sql-charges.ts'
import { graphOptions } from './graph-options.ts'

const chargesOptions = z.object({ accounts: z.int() })

const question = z.object({
  how: z.enum(['batched', 'transaction', 'statement']),
  accounts: z.int(),
  /** How many charges wait at any moment. */
  waiting: z.int(),
  seconds: z.number(),
})

const connections = 20
const creditsPerCharge = 5

/** P4: charges durably, as fast as one process can. */
export async function serve(given: unknown): Promise<Served> {
  const { accounts: count } = chargesOptions.parse(given)
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
  const postgres = await startEmbeddedPostgres(folder)
  await migrateAll(postgres.ownerUrl)
  const graph = await openGraph({ ...graphOptions, serviceUrl: postgres.serviceUrl })
  for (const operation of graph.operations) await graph.warmUp(operation)
  const tiers = { tier: 'SCALE', subscriptionTier: 'enterprise_sub' } as const
  const seeded = await seedAccounts(graph.execute, { count, ...tiers })
  const ids = seeded.map(({ id }) => id)
  await createTables(postgres.ownerUrl, ids)
  const pool = new pg.Pool({ connectionString: postgres.ownerUrl, max: connections })
  // A connection that ends while it is idle must not end the process.
  pool.on('error', () => {})
  const charges = {
    batched: chargeBatched(createLedger(graph.execute)),
    transaction: chargeInTransaction(pool),
    statement: chargeInStatement(pool),
  }
  return {
    ready: null,
    async answer(asked) {
      const { how, accounts, waiting, seconds } = question.parse(asked)
      const work = { ids: ids.slice(0, accounts), waiting, seconds }
      return { perSecond: await chargesPerSecond(charges[how], work) }
    },
    async stop() {
      await pool.end()
      await graph.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Charges as the metered call does: a hold, then its durable capture. */
function chargeBatched(ledger: Ledger): Charge {
  const call = callLine({
    ...{ processId: 'bench', ts: new Date().toISOString(), method: 'POST', traceId: '' },
    ...{ route: '/v1/contacts/reveal', service: 'contacts', backendModule: '', keyId: null },
  })
  return async (accountId) => {
    const hold: Hold = {
      ...{ requestId: newId('req'), accountId, environment: 'live', credits: creditsPerCharge },
      ...{
        ttlSeconds: 60,
        endpoint: '/v1/contacts/reveal',
        call,
        idempotency: null,
        budgetOwners: null,
      },
    }
    await charged(ledger, hold)
  }
}

/** Resolves when the hold is captured. */
function charged(ledger: Ledger, hold: Hold): Promise<void> {
  return new Promise((resolve, failed) => {
    const call = {
      ...{ hold, credits: creditsPerCharge, reservedAt: null, kept: null },
      ...{ queuedAtMs: 0, asker: null, failed },
      reserved({ verdict }: Reservation) {
        if (verdict === 'accepted') ledger.end(call)
        else failed(new Error(`A reservation was ${verdict}.`))
      },
      settled({ outcome }: Settlement) {
        if (outcome === 'captured') resolve()
        else failed(new Error(`A hold was ${outcome}.`))
      },
    }
    ledger.begin(call)
  })
}

interface Run {
  readonly ids: readonly string[]
  readonly waiting: number
  readonly seconds: number
}

async function chargesPerSecond(charge: Charge, { ids, waiting, seconds }: Run): Promise<number> {
  const startedAtMs = performance.now()
  const endsAtMs = startedAtMs + seconds * 1000
  let started = 0
  let done = 0
  async function keepCharging(): Promise<void> {
    while (performance.now() < endsAtMs) {
      const id = ids[started % ids.length]
      started += 1
      if (id === undefined) throw new Error('There is no account to charge.')
      await charge(id)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: waiting }, keepCharging))
  return done / ((performance.now() - startedAtMs) / 1000)
}
