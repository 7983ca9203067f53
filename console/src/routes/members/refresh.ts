import { queries } from '../../api.ts'

/** Reads the members again after a change. */
export function refresh(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ['members'] })
}
