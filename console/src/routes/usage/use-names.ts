import type { UsagePoint } from 'credit-gateway-sdk'
import { useAppNames, useKeyNames } from '../../data/names.ts'
import { restId } from '../../data/series.ts'
import type { Names } from '../../format/names.ts'
import { type Group, idOf } from './groups.ts'
import { totalsOf } from './totals.ts'

const none = ''

/** The names of the keys or apps of some points, first of those that spend most. */
export function useNames(group: Group, points: readonly UsagePoint[] = []): Names {
  const ids = group === 'key' ? totalsOf(points, (point) => idOf(group, point) ?? none).parts : []
  const keys = useKeyNames(ids.map(({ name }) => name).filter((id) => id !== none && id !== restId))
  const apps = useAppNames(group === 'app')
  return group === 'app' ? apps : keys
}
