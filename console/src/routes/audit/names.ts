import type { AuditEvent } from 'credit-gateway-sdk'
import type { Names } from '../../format/names.ts'

/** Who has done it: a person by name, a key or an app by its name. */
export function whoOf({ action, actor_kind, actor_id }: AuditEvent, names: Names): string {
  if (action === 'account.looked_at') return 'Support'
  // Whoever has used the copy has not disabled it.
  if (action === 'passkey.disable') return 'The gateway'
  if (actor_kind === 'session') return actor_id
  if (actor_kind === 'internal') return 'The operator'
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
  // There is one account, also as the owner of budgets, and nobody knows a session by its id.
  if (/^(?:acct_|ses_|account$)/.test(resource_id)) return null
  return isMadeId.test(resource_id) ? shortOf(resource_id) : `“${resource_id}”`
}

/** Ids that the gateway makes; those of customers and hosts are names. */
const isMadeId = /^[a-z]+_[0-9a-z]{26}$/

function shortOf(id: string): string {
  return id.length > 12 ? `…${id.slice(-6)}` : id
}
