import type { Owned, Owners } from './hold.batch.ts'
import type { ReserveCreditsInput, SettleHoldInput } from './hold.type.ts'

/** The account and environment of each item. */
export function ownedBy(items: readonly (ReserveCreditsInput | SettleHoldInput)[]): Owned {
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
