import type { Call, History, Read } from './history.ts'

type Moment = Pick<Call | Read, 'accountId' | 'apiKey' | 'startMs' | 'endMs'>

/** Whether the API key may have ended at some instant. */
export function mayHaveEnded(
  { accountId, apiKey, endMs }: Moment,
  { rotations }: Pick<History, 'rotations'>,
): boolean {
  return rotations.some(
    (one) => one.accountId === accountId && one.ended === apiKey && one.startMs <= endMs,
  )
}

/** Whether it had ended before, and every process knew. */
export function mustHaveEnded(
  { accountId, apiKey, startMs }: Moment,
  { rotations, rules }: Pick<History, 'rotations' | 'rules'>,
): boolean {
  return rotations.some(
    (one) =>
      one.accountId === accountId &&
      one.ended === apiKey &&
      one.endMs + rules.keyAllowanceMs < startMs,
  )
}
