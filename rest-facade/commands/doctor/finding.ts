/**
 * `ok` is configured; `note` is worth knowing; `missing` is needed and not there; `wrong` cannot be used;
 * `unsafe` could be used, and would hurt somebody.
 */
export type Level = 'unsafe' | 'wrong' | 'missing' | 'note' | 'ok'

/** One thing that was looked at. It never repeats a value that could be secret. */
export interface Finding {
  readonly level: Level
  /** A variable, or what is asked. */
  readonly about: string
  readonly message: string
}

/** The worst first. */
export const levels: readonly Level[] = ['unsafe', 'wrong', 'missing', 'note', 'ok']

/** Whether somebody has to do something before the gateway serves anybody. */
export function isProblem({ level }: Finding): boolean {
  return level === 'unsafe' || level === 'wrong' || level === 'missing'
}

/** Names a finding's level first, as tables are read. */
export function found(level: Level, about: string, message: string): Finding {
  return { level, about, message }
}
