/**
 * `ok`: configured; `note`: worth knowing; `missing`: needed and not set; `wrong`: cannot be used;
 * `unsafe`: could be used, with harm.
 */
export type Level = 'unsafe' | 'wrong' | 'missing' | 'note' | 'ok'

/** One result. It never repeats a value that could be secret. */
export interface Finding {
  readonly level: Level
  /** A variable, or the service that was probed. */
  readonly about: string
  readonly message: string
}

/** From the worst to the best. */
export const levels: readonly Level[] = ['unsafe', 'wrong', 'missing', 'note', 'ok']

/** Whether the operator must act before the gateway can serve requests safely. */
export function isProblem({ level }: Finding): boolean {
  return level === 'unsafe' || level === 'wrong' || level === 'missing'
}

/** Makes a finding; the level comes first, so that lists of findings read like tables. */
export function found(level: Level, about: string, message: string): Finding {
  return { level, about, message }
}
