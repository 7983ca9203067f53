import type { ApiKeyPage, GrantedConsentPage, UsagePoint } from 'credit-gateway-sdk'
import { useMemo } from 'react'
import { gateway } from '../../api.ts'
import { useRead } from '../../data/read.ts'
import { serviceName } from '../../format/names.ts'

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

/** The names of keys and apps by their ids, as far as the session may read them. */
export function useNames(group: Group): ReadonlyMap<string, string> {
  const keys = useRead<ApiKeyPage>(
    ['keys', 'names'],
    (options) => gateway.keys.list({ limit: 100 }, options),
    { scopes: ['keys:read'], isEnabled: group === 'key' },
  ).data
  const apps = useRead<GrantedConsentPage>(
    ['consents', 'names'],
    (options) => gateway.oauthApps.listConsents({ limit: 100 }, options),
    { scopes: ['oauth:read'], isEnabled: group === 'app' },
  ).data
  return useMemo(
    () =>
      new Map([
        ...(keys?.items ?? []).map(({ id, name, last4 }) => [id, `${name} …${last4}`] as const),
        ...(apps?.items ?? []).map(({ client_id: id, client_name: name }) => [id, name] as const),
      ]),
    [keys, apps],
  )
}

/** The label of a part of the usage. */
export function labelOf(group: Group, id: string | null, names: ReadonlyMap<string, string>) {
  if (id === null) return `Without ${articles[group]} ${group}`
  return group === 'service' ? serviceName(id) : (names.get(id) ?? id)
}

const articles = { service: 'a', endpoint: 'an', key: 'a', customer: 'a', app: 'an' } as const
