import type { Environment } from '../../../schema/credentials/caller.ts'
import type { BudgetRefusal } from '../budgets/budget-refusal.type.ts'
import type { Owned, Owners } from './batch-columns.ts'
import { columnsAt } from './batch-columns.ts'
import type { ReservationVerdict, ReserveBatchInput, SettleBatchInput } from './hold-batch.type.ts'

/** A request of a batch whose requests are judged one by one. */
export interface ReserveItem {
  readonly requestId: string
  readonly accountId: string
  readonly environment: Environment
  readonly credits: number
  readonly ttlSeconds: number
  readonly endpoint: string
  readonly call: string
  readonly keyHash: string | null
  readonly requestHash: string | null
  readonly keyTtlSeconds: number | null
  readonly spenders: readonly string[]
  /** The credits that the budgets of the request count. */
  readonly counted: number
}

/** The verdict on a request of a batch. */
export interface Reservation {
  readonly verdict: ReservationVerdict
  readonly available: number
  readonly answer?: Record<string, unknown> | null
  readonly body?: string | null
  readonly reservedAt?: Date | null
  readonly budgetRemaining?: number | null
  readonly refusing?: BudgetRefusal[] | null
}

export function itemsOf(batch: ReserveBatchInput): ReserveItem[] {
  const { requestIds, accountIds, environments, credits, endpoints, calls, ttlSeconds } = batch
  return requestIds.map((requestId, place) => {
    const keyHash = batch.keyHashes?.[place] ?? null
    const amount = credits[place] ?? 0
    return {
      ...{ requestId, accountId: accountIds[place] ?? '', ttlSeconds, credits: amount },
      environment: environments[place] ?? 'live',
      endpoint: endpoints[place] ?? '',
      call: calls[place] ?? '',
      keyHash,
      requestHash: batch.requestHashes?.[place] ?? null,
      keyTtlSeconds: keyHash === null ? null : (batch.keyTtlSeconds ?? null),
      spenders: batch.spenders?.[place] ?? [],
      counted: batch.counts?.[place] ?? amount,
    }
  })
}

/** The account and environment of each item. */
export function ownedBy(items: readonly ReserveItem[]): Owned {
  return {
    accountIds: items.map(({ accountId }) => accountId),
    environments: items.map(({ environment }) => environment),
    credits: items.map(({ credits }) => credits),
  }
}

/** The parameters that both statements of reservations take for their items, after the balances. */
export function reserveValues(
  items: readonly ReserveItem[],
  { places }: Owners,
): readonly unknown[] {
  return [
    items.map((item) => item.requestId),
    places,
    items.map((item) => item.credits),
    items.map((item) => item.ttlSeconds),
    items.map((item) => item.endpoint),
    items.map((item) => item.call),
    items.map((item) => item.keyHash),
    items.map((item) => item.requestHash),
    items.map((item) => item.keyTtlSeconds),
  ]
}

/** Whether budgets count for the item at this place. */
export function hasBudgets(
  { spenders }: Pick<ReserveBatchInput, 'spenders'>,
  place: number,
): boolean {
  return (spenders?.[place]?.length ?? 0) > 0
}

/** Whether the item at this place has an idempotency key. */
export function isKeyed(
  { keyHashes }: Pick<ReserveBatchInput, 'keyHashes'>,
  place: number,
): boolean {
  return (keyHashes?.[place] ?? null) !== null
}

/** The values of a settling statement; keys are null for items without one. */
export function settleValues(
  batch: SettleBatchInput,
  places: readonly number[],
  { areKeyed }: { readonly areKeyed: boolean },
): readonly (readonly unknown[])[] {
  const of = columnsAt(batch.requestIds.length, places)
  const { keyHashes, answers, bodies } = batch
  const none = places.map(() => null)
  const keys = [keyHashes, answers, bodies].map((list) => (list ? of<unknown>(list) : none))
  return [
    ...[of(batch.requestIds), of(batch.accountIds), of(batch.environments)],
    ...[of(batch.credits), of(batch.endpoints), of(batch.calls)],
    ...(areKeyed ? keys : []),
  ]
}
