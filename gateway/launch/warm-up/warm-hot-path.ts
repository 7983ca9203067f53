import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { orNullAfter } from '../../../rest-facade/charge/batching/or-null-after.ts'
import { callLine, type Hold } from '../../../rest-facade/charge/hold.ts'
import { reserveBatchOf, settleBatchOf } from '../../../rest-facade/charge/ledger-batches.ts'
import { type CallEntry, usageBatchOf } from '../../../rest-facade/charge/usage-log/usage-batch.ts'
import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import { serviceCaller } from '../../../schema/credentials/caller.ts'
import { accountBudgetOwner } from '../../../schema/vocabulary/budget-owners.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'

interface WarmUpOptions {
  readonly execute: Execute
  readonly log: Logger
}

/**
 * The number of operations that run together: a database has at most three connections of each kind,
 * and each connection prepares its own statements.
 */
const together = 4
const maxRounds = 25
/** The time after which no further round begins. */
const enoughMs = 300
/** A database that does not answer must not keep a process from its start. */
const patienceMs = 3000

/** The number of an epoch that was never open: epochs of databases have no negative numbers. */
const noEpoch = -1

/**
 * Runs the operations of a charged call, before the process is ready, so that its first calls find
 * compiled code, open connections and prepared statements. They are about accounts and keys that
 * do not exist, and therefore change nothing. A failure is logged and does not stop the start.
 */
export async function warmHotPath({ execute, log }: WarmUpOptions) {
  const startedMs = performance.now()
  async function runRounds(): Promise<true> {
    for (let round = 0; round < maxRounds; round += 1) {
      if (performance.now() - startedMs > enoughMs) break
      for (const operation of hotOperations(execute)) {
        await Promise.all(Array.from({ length: together }, operation))
      }
      await nextTurn()
    }
    return true
  }
  try {
    const isDone = await orNullAfter(patienceMs, runRounds())
    if (!isDone) log.warn('The warm-up takes too long; the start goes on without it')
  } catch (error) {
    log.warn({ err: error }, 'The warm-up failed; the start goes on without it')
  }
}

const caller = serviceCaller()

/** The operations of a call, in their order. Each form of a batch has a statement of its own. */
function hotOperations(execute: Execute): (() => Promise<unknown>)[] {
  const operations: (() => Promise<unknown>)[] = [
    () => execute('VerifyApiKey', { secretHash: randomBytes(32).toString('hex') }, caller),
    () => {
      const owner = { accountId: newId('acct'), environment: 'live' } as const
      return execute('FindBudgetedSpenders', { ...owner, spenders: [accountBudgetOwner] }, caller)
    },
  ]
  for (const isKeyed of [false, true]) {
    operations.push(() =>
      execute('ReserveBatch', { batch: reserveBatchOf([unknownHold(isKeyed)]) }, caller),
    )
    for (const perOwner of [1, 2]) {
      operations.push(() => {
        const hold = unknownHold(isKeyed)
        const items = Array.from({ length: perOwner }, () => ({
          hold: { ...hold, requestId: newId('req') },
          credits: 0,
          reservedAt: null,
          kept: null,
        }))
        return execute('SettleBatch', { batch: settleBatchOf(items, false) }, caller)
      })
    }
  }
  operations.push(() =>
    execute('RecordUsageBatch', { epoch: noEpoch, batch: usageBatchOf([unknownEntry()]) }, caller),
  )
  return operations
}

const path = '/v1/warm-up'

function unknownHold(isKeyed: boolean): Hold {
  const hash = randomBytes(32).toString('hex')
  return {
    requestId: newId('req'),
    accountId: newId('acct'),
    environment: 'live',
    credits: 1,
    ttlSeconds: 1,
    endpoint: path,
    call: callLine({
      ...{ processId: newId('proc'), ts: new Date().toISOString(), method: 'POST', route: path },
      ...{ service: 'account', traceId: '', backendModule: '', keyId: null },
    }),
    budgetOwners: null,
    idempotency: isKeyed ? { keyHash: hash, requestHash: hash, ttlSeconds: 1 } : null,
  }
}

function unknownEntry(): CallEntry {
  return {
    ...{ accountId: newId('acct'), environment: 'live', requestId: newId('req') },
    ...{ arrivedAtMs: Date.now(), method: 'POST', endpoint: path, service: 'account', status: 200 },
    ...{ credits: 0, latencyMs: 0, traceId: '', backendModule: '', keyId: null },
  }
}
