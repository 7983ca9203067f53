import { gateway } from '../../api.ts'
import { useGrantedApps, useNewestKeys, useOwnApps } from '../../data/names.ts'
import { useRead } from '../../data/read.ts'
import { nameOf } from '../../format/app-name.ts'
import type { Names } from '../../format/names.ts'

/** One page of each is asked for, never one for each row. */
export function useNames(): Names {
  const keys = useNewestKeys()
  const apps = useOwnApps()
  const consents = useGrantedApps()
  const endpoints = useRead(
    ['webhooks', 'endpoints', 'all'],
    (options) => gateway.webhooks.listEndpoints({ limit: 200 }, options),
    { scopes: ['webhooks:read'] },
  )
  const members = useRead(
    ['members', 'names'],
    (options) => gateway.account.listMembers({ limit: 200 }, options),
    { scopes: ['members:read'] },
  )
  return new Map([
    ...(members.data?.items ?? []).map((one) => [one.id, one.name ?? one.email] as const),
    ...(consents.data?.items ?? []).map((one) => [one.client_id, nameOf(one)] as const),
    ...(apps.data?.items ?? []).map((one) => [one.client_id, one.client_name] as const),
    ...(keys.data?.items ?? []).map((one) => [one.id, one.name] as const),
    ...(endpoints.data?.items ?? []).map(
      (one) => [one.id, one.description ?? new URL(one.url).host] as const,
    ),
  ])
}
