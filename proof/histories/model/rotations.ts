import type { Call, History, Read } from './history.ts'

type Moment = Pick<Call | Read, 'accountId' | 'credential' | 'startMs' | 'endMs'>

/** Whether the credential may have ended at some instant. */
export function mayHaveEnded(
  { accountId, credential, endMs }: Moment,
  { rotations }: Pick<History, 'rotations'>,
): boolean {
  return rotations.some(
    (one) => one.accountId === accountId && one.ended === credential && one.startMs <= endMs,
  )
}

/** Whether it had ended before, and every process knew. */
export function mustHaveEnded(
  { accountId, credential, startMs }: Moment,
  { rotations, rules }: Pick<History, 'rotations' | 'rules'>,
): boolean {
  return rotations.some(
    (one) =>
      one.accountId === accountId &&
      one.ended === credential &&
      one.endMs + rules.keyAllowanceMs < startMs,
  )
}
