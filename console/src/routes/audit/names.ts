import type { AuditEvent } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { useRead } from '../../data/read.ts'

/** The names of keys, apps and webhook endpoints by their ids, as far as the session may read them. */
export type Names = ReadonlyMap<string, string>

/** One page of each is asked for, never one for each row. */
export function useNames(): Names {
  const keys = useRead(['keys', 'names'], (options) => gateway.keys.list({ limit: 200 }, options), {
    scopes: ['keys:read'],
  })
  const apps = useRead(
    ['apps', 'names'],
    (options) => gateway.oauthApps.list({ limit: 200 }, options),
    { scopes: ['oauth:read'] },
  )
  const consents = useRead(
    ['consents', 'names'],
    (options) => gateway.oauthApps.listConsents({ limit: 200 }, options),
    { scopes: ['oauth:read'] },
  )
  const endpoints = useRead(
    ['webhooks', 'endpoints', 'all'],
    (options) => gateway.webhooks.listEndpoints({ limit: 200 }, options),
    { scopes: ['webhooks:read'] },
  )
  return new Map([
    ...(consents.data?.items ?? []).map((one) => [one.client_id, one.client_name] as const),
    ...(apps.data?.items ?? []).map((one) => [one.client_id, one.client_name] as const),
    ...(keys.data?.items ?? []).map((one) => [one.id, one.name] as const),
    ...(endpoints.data?.items ?? []).map(
      (one) => [one.id, one.description ?? new URL(one.url).host] as const,
    ),
  ])
}

/** Who has done it: a person by name, a key or an app by its name. */
export function whoOf({ action, actor_kind, actor_id }: AuditEvent, names: Names): string {
  if (action === 'account.looked_at') return 'Support'
  if (actor_kind === 'session') return actor_id
  if (actor_kind === 'internal') return 'The provider'
  if (actor_kind === 'system') return 'The gateway'
  if (actor_kind === 'anonymous') return 'Somebody unknown'
  const noun = actor_kind === 'key' ? 'The key' : 'The app'
  const name = names.get(actor_id)
  return name === undefined ? `${noun} ${shortOf(actor_id)}` : `${noun} “${name}”`
}

/** The object by its name: that of today, or that which the event tells. */
export function nameOf({ resource_id, details }: AuditEvent, names: Names): string | null {
  const told = [details.name, details.client_name, details.clientName, details.external_id].find(
    (one) => typeof one === 'string',
  )
  if (!resource_id) return typeof told === 'string' ? `“${told}”` : null
  const name = names.get(resource_id) ?? told
  if (typeof name === 'string') return `“${name}”`
  // There is one account, and nobody knows a session by its id.
  return /^(?:acct|ses)_/.test(resource_id) ? null : shortOf(resource_id)
}

function shortOf(id: string): string {
  return id.length > 12 ? `…${id.slice(-6)}` : id
}
