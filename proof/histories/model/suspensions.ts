import type { Call, History } from './history.ts'

type Moment = Pick<Call, 'accountId' | 'startMs' | 'endMs'>

/** Whether the account may have been suspended at some instant, or a cache may say so. */
export function mayBeSuspended(
  { accountId, startMs, endMs }: Moment,
  { suspensions, rules }: Pick<History, 'suspensions' | 'rules'>,
): boolean {
  const own = suspensions.filter((change) => change.accountId === accountId)
  return own.some(({ status, startMs: suspendedMs }, index) => {
    const next = own[index + 1]
    const untilMs = next ? next.endMs + rules.keyAllowanceMs : Number.POSITIVE_INFINITY
    return status === 'SUSPENDED' && suspendedMs <= endMs && startMs <= untilMs
  })
}

/** Whether it was suspended all the time, and every process knew. */
export function mustBeSuspended(
  { accountId, startMs, endMs }: Moment,
  { suspensions, rules }: Pick<History, 'suspensions' | 'rules'>,
): boolean {
  const own = suspensions.filter((change) => change.accountId === accountId)
  return own.some(({ status, endMs: suspendedMs }, index) => {
    const againMs = own[index + 1]?.startMs ?? Number.POSITIVE_INFINITY
    return status === 'SUSPENDED' && suspendedMs + rules.keyAllowanceMs < startMs && endMs < againMs
  })
}
