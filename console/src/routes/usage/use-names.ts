import type { ApiKeyPage, GrantedConsentPage } from 'credit-gateway-sdk'
import { useMemo } from 'react'
import { gateway } from '../../api.ts'
import { useRead } from '../../data/read.ts'
import type { Group } from './groups.ts'

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
