import type { Database } from '../../shared/database/database.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { requestOf } from './hold.call.ts'
import { reserve, settle } from './hold.service.ts'
import {
  BatchVerdict,
  type ReservationBatch,
  type ReserveBatchInput,
  type SettleBatchInput,
  type SettlementBatch,
} from './hold-batch.type.ts'

/** One verdict for each item, in order. */
export async function reserveBatch(
  database: Database,
  batch: ReserveBatchInput,
): Promise<ReservationBatch> {
  const { requestIds, accountIds, environments, credits, endpoints, calls, ttlSeconds } = batch
  const { keyHashes, requestHashes, keyTtlSeconds, spenders } = batch
  requireLengths(requestIds.length, [accountIds, environments, credits, endpoints, calls])
  requireLengths(requestIds.length, [keyHashes, requestHashes, spenders])
  const rows = await reserve(
    database,
    requestIds.map((requestId, index) => ({
      requestId,
      accountId: accountIds[index] ?? '',
      environment: environments[index] ?? EnvironmentValue.live,
      credits: credits[index] ?? 0,
      ttlSeconds,
      request: requestOf(endpoints[index] ?? '', calls[index] ?? ''),
      idempotency:
        keyHashes && requestHashes
          ? {
              keyHash: keyHashes[index] ?? '',
              requestHash: requestHashes[index] ?? '',
              ttlSeconds: keyTtlSeconds ?? 0,
            }
          : null,
    })),
  )
  const isAccepted = rows.map(({ verdict }) => String(verdict) === 'accepted')
  return {
    verdicts: isAccepted.map((is) => (is ? BatchVerdict.accepted : BatchVerdict.again)),
    available: rows.map(({ available }) => available),
  }
}

/** One outcome for each item, in order; durable when it returns. Safe to repeat. */
export async function settleBatch(
  database: Database,
  batch: SettleBatchInput,
): Promise<SettlementBatch> {
  const { requestIds, accountIds, environments, credits, endpoints, calls } = batch
  const { keyHashes, answers, bodies } = batch
  requireLengths(requestIds.length, [accountIds, environments, credits, endpoints, calls])
  requireLengths(requestIds.length, [keyHashes, answers, bodies])
  const rows = await settle(
    database,
    requestIds.map((requestId, index) => ({
      requestId,
      accountId: accountIds[index] ?? '',
      environment: environments[index] ?? EnvironmentValue.live,
      credits: credits[index] ?? 0,
      keyHash: keyHashes?.[index] ?? null,
      answer: answers?.[index] ? JSON.parse(answers[index]) : null,
      body: bodies?.[index] ?? null,
    })),
  )
  return {
    outcomes: rows.map(({ outcome }) => outcome),
    credits: rows.map((row) => row.credits),
    available: rows.map(({ available }) => available),
  }
}

function requireLengths(
  count: number,
  lists: readonly (readonly unknown[] | null | undefined)[],
): void {
  if (lists.every((list) => !list || list.length === count)) return
  throw new DomainError('INVALID_REQUEST', 'All lists of a batch must be as long.')
}
