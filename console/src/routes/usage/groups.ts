import type { UsagePoint } from 'credit-gateway-sdk'
import type { Filters } from '../../data/search.ts'
import { restId, restName } from '../../data/series.ts'
import { type Names, serviceName, services, shortName } from '../../format/names.ts'

/** What usage is grouped by, with the name that the API has for it. */
export const groupNames = {
  ...{ service: 'service', endpoint: 'endpoint', key: 'key' },
  ...{ customer: 'external_id', app: 'client' },
} as const

export type Group = keyof typeof groupNames

export const groupLabels: Readonly<Record<Group, string>> = {
  ...{ service: 'Service', endpoint: 'Endpoint', key: 'API key', customer: 'Customer', app: 'App' },
}

/** What a point belongs to: the id of a key, customer or app; null: to none. */
export function idOf(group: Group, point: UsagePoint): string | null {
  if (group === 'key') return point.key_id ?? null
  if (group === 'customer') return point.external_id ?? null
  if (group === 'app') return point.client_id ?? null
  return point[group] ?? 'Other'
}

/** The label of a part of the usage. */
export function labelOf(group: Group, id: string | null, names: Names) {
  if (id === null) return `Without ${articles[group]} ${group}`
  if (group === 'service') return serviceName(id)
  if (isCaller(group) && id === restId) return restName
  // Customers and endpoints are called by what they are.
  const hasName = group === 'key' || group === 'app'
  return names.get(id) ?? (hasName ? shortName(groupLabels[group], id) : id)
}

const articles = { service: 'a', endpoint: 'an', key: 'a', customer: 'a', app: 'an' } as const

/** The filter of Logs for a part of the usage. Parts that are no single one have none. */
export function filterOf(group: Group, id: string | null): Filters {
  if (id === null || (isCaller(group) && id === restId)) return {}
  if (group === 'service' && !services.some(({ value }) => value === id)) return {}
  return { [group]: id }
}

/** Of callers, the API has one point for all but those that spend most. */
function isCaller(group: Group): boolean {
  return group !== 'service' && group !== 'endpoint'
}
