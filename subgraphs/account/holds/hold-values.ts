import type { Owned, Owners } from './batch-columns.ts'
import { columnsAt } from './batch-columns.ts'
import type { ReserveCreditsInput } from './hold.type.ts'
import type { ReserveBatchInput, SettleBatchInput } from './hold-batch.type.ts'

/** The account and environment of each item. */
export function ownedBy(items: readonly ReserveCreditsInput[]): Owned {
  return {
    accountIds: items.map(({ accountId }) => accountId),
    environments: items.map(({ environment }) => environment),
    credits: items.map(({ credits }) => credits),
  }
}

/** The parameters that both statements of reservations take for their items, after the balances. */
export function reserveValues(
  items: readonly ReserveCreditsInput[],
  { places }: Owners,
): readonly unknown[] {
  return [
    items.map((item) => item.requestId),
    places,
    items.map((item) => item.credits),
    items.map((item) => item.ttlSeconds),
    items.map((item) => JSON.stringify(item.request)),
    items.map((item) => item.idempotency?.keyHash ?? null),
    items.map((item) => item.idempotency?.requestHash ?? null),
    items.map((item) => item.idempotency?.ttlSeconds ?? null),
  ]
}

/** Whether budgets count for the item at this place. */
export function hasBudgets(
  { spenders }: Pick<ReserveBatchInput, 'spenders'>,
  place: number,
): boolean {
  return (spenders?.[place]?.length ?? 0) > 0
}

/** The values of a settling statement; with `isWhole`, also the keys that the batch does not have. */
export function settleValues(
  batch: SettleBatchInput,
  places: readonly number[],
  isWhole = false,
): readonly (readonly unknown[])[] {
  const of = columnsAt(batch.requestIds.length, places)
  const { keyHashes, answers, bodies } = batch
  const none = places.map(() => null)
  const keys = [keyHashes, answers, bodies].map((list) => (list ? of<unknown>(list) : none))
  return [
    ...[of(batch.requestIds), of(batch.accountIds), of(batch.environments)],
    ...[of(batch.credits), of(batch.endpoints), of(batch.calls)],
    ...(keyHashes || isWhole ? keys : []),
  ]
}
