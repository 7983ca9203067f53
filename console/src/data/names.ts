import { useQueries } from '@tanstack/react-query'
import type { ApiKey, ApiKeyPage, GrantedConsentPage, OAuthAppPage } from 'credit-gateway-sdk'
import { useMemo } from 'react'
import { gateway } from '../api.ts'
import { nameOf } from '../format/app-name.ts'
import { keyLabel, type Names } from '../format/names.ts'
import { useSession } from '../session/session.tsx'
import { type Read, useRead } from './read.ts'

/** The most that one page of a list has. */
const limit = 200
/** The most keys that are asked for one by one, because they are not among the newest. */
const mostAlone = 20
/** Names change seldom. */
const freshMs = 60_000

/** The newest keys, whose names the screens share. */
export function useNewestKeys(isEnabled = true): Read<ApiKeyPage> {
  return useRead(['keys', 'names'], (options) => gateway.keys.list({ limit }, options), {
    ...{ scopes: ['keys:read'], isEnabled, freshMs },
  })
}

/** The apps that may act for the account. */
export function useGrantedApps(isEnabled = true): Read<GrantedConsentPage> {
  return useRead(
    ['consents', 'names'],
    (options) => gateway.oauthApps.listConsents({ limit }, options),
    { scopes: ['oauth:read'], isEnabled, freshMs },
  )
}

/** The apps of the account. */
export function useOwnApps(isEnabled = true): Read<OAuthAppPage> {
  return useRead(['apps', 'names'], (options) => gateway.oauthApps.list({ limit }, options), {
    ...{ scopes: ['oauth:read'], isEnabled, freshMs },
  })
}

function readKey(id: string) {
  return {
    queryKey: ['keys', 'one', id] as const,
    call: (options: { readonly signal?: AbortSignal }) => gateway.keys.get({ key_id: id }, options),
  }
}

/** One key; undefined: none is asked for. */
export function useKey(id: string | undefined): Read<ApiKey> {
  const { queryKey, call } = readKey(id ?? '')
  return useRead<ApiKey>(queryKey, call, {
    ...{ scopes: ['keys:read'], isEnabled: id !== undefined, freshMs },
  })
}

/** The names of keys: of the newest, and of the first ones beyond them. */
export function useKeyNames(ids: readonly string[]): Names {
  const session = useSession()
  const { data } = useNewestKeys(ids.length > 0)
  const newest = useMemo(() => new Map(data?.items.map((key) => [key.id, keyLabel(key)])), [data])
  const isRead = data !== undefined && session.can('keys:read')
  const alone = isRead ? ids.filter((id) => !newest.has(id)).slice(0, mostAlone) : []
  const older = useQueries({
    queries: alone.map((id) => {
      const { queryKey, call } = readKey(id)
      const queryFn = async ({ signal }: { readonly signal: AbortSignal }) =>
        (await call({ signal })).data
      return { queryKey, queryFn, staleTime: freshMs }
    }),
    combine: (reads) => reads.flatMap(({ data: key }) => (key ? [[key.id, keyLabel(key)]] : [])),
  })
  return useMemo(() => new Map([...newest, ...(older as [string, string][])]), [newest, older])
}

/** The names of apps: of those of the account, and of those that may act for it. */
export function useAppNames(isEnabled: boolean): Names {
  const granted = useGrantedApps(isEnabled).data
  const own = useOwnApps(isEnabled).data
  return useMemo(
    () =>
      new Map([
        ...(granted?.items ?? []).map((one) => [one.client_id, nameOf(one)] as const),
        ...(own?.items ?? []).map((one) => [one.client_id, one.client_name] as const),
      ]),
    [granted, own],
  )
}
