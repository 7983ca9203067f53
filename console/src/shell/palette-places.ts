import { type ApiKeyPage, GatewayError, type ListExternalIdsResponses } from 'credit-gateway-sdk'
import { gateway } from '../api.ts'
import { useRead } from '../data/read.ts'
import { useToolsAddress } from '../data/tools.ts'
import type { Session } from '../session/session.tsx'
import { screens } from './screens.ts'

/** Something that the search can open. */
export interface Place {
  readonly kind: 'screen' | 'key' | 'customer' | 'id'
  readonly id: string
  readonly label: string
}

/** What the router opens, or why nothing can be opened. */
type Target =
  | {
      readonly to: string
      readonly params?: Readonly<Record<string, string>>
      readonly search?: Readonly<Record<string, string>>
    }
  | { readonly problem: string }

const mostOfKind = 6
const anId = /^(req|key|evt|aud|pay|app|acct)_[0-9a-z]+$/

const idNames: Readonly<Record<string, string>> = {
  ...{ req: 'request', key: 'API key', evt: 'webhook event', aud: 'audit event' },
  ...{ pay: 'payment', app: 'app', acct: 'account' },
}

/** What fits the text. `typed` is the text once nobody types: only it is asked for. */
export function useMatches(
  text: string,
  typed: string,
): { readonly matches: readonly Place[]; readonly isLooking: boolean } {
  const { data: toolsAddress } = useToolsAddress()
  const [, prefix] = anId.exec(text) ?? []
  const isEnabled = typed !== '' && !anId.test(typed)
  const keys = useRead<ApiKeyPage>(
    ['keys', 'search', typed],
    (options) => gateway.keys.list({ q: typed, limit: mostOfKind }, options),
    { scopes: ['keys:read'], isEnabled },
  )
  const hasCustomers = detailOf('customers') !== null
  const customers = useRead<ListExternalIdsResponses[200]>(
    ['customers', 'search', typed],
    (options) => gateway.account.listExternalIds({ q: typed, limit: mostOfKind }, options),
    { scopes: ['keys:read'], isEnabled: isEnabled && hasCustomers },
  )
  if (prefix) {
    const label = `Open the ${idNames[prefix]} ${text}`
    return { matches: [{ kind: 'id', id: text, label }], isLooking: false }
  }
  const fits = (name: string) => name.toLowerCase().includes(text.toLowerCase())
  const shown = screens.filter(({ needsTools }) => !needsTools || toolsAddress)
  const ofScreens = shown
    .filter(({ label }) => fits(label))
    .map(({ path, label }): Place => ({ kind: 'screen', id: path, label }))
  const ofKeys = (keys.data?.items ?? []).map(
    ({ id, name, last4 }): Place => ({ kind: 'key', id, label: `${name} …${last4}` }),
  )
  const ofCustomers = (customers.data?.items ?? []).map(
    ({ external_id: id }): Place => ({ kind: 'customer', id, label: id }),
  )
  const isAsked = text === typed && isEnabled
  return {
    matches: [...ofScreens, ...(isAsked ? [...ofKeys, ...ofCustomers] : [])],
    isLooking: text !== typed || keys.isLoading || customers.isLoading,
  }
}

/** The address of a place. */
export async function placeOf({ kind, id }: Place, session: Session): Promise<Target> {
  if (kind === 'screen') return { to: `/${id}` }
  if (kind === 'key') return objectOn('keys', id)
  if (kind === 'customer') return objectOn('customers', id)
  switch (id.split('_')[0]) {
    case 'req':
      return { to: '/logs', search: { request: id } }
    case 'key':
      return objectOn('keys', id)
    case 'app':
      return appOf(id, session)
    case 'pay':
      return { to: '/billing/payment', search: { payment: id } }
    case 'aud':
      return { to: '/audit', search: { event: id, ...secondOf(id) } }
    case 'evt':
      return deliveryOf(id)
    default:
      return id === session.account_id
        ? { to: '/settings' }
        : { problem: 'This is another account. You are signed in to a different one.' }
  }
}

/** The page of one object; the screen with its list if it has no pages of its own. */
function objectOn(path: string, id: string): Target {
  const name = detailOf(path)
  return name === null ? { to: `/${path}` } : { to: `/${path}/$${name}`, params: { [name]: id } }
}

/** The name of the parameter of a screen's pages: `keyId`. */
function detailOf(path: string): string | null {
  const details = screens.find((screen) => screen.path === path)?.details ?? []
  return details.find((detail) => detail.path.startsWith('$'))?.path.slice(1) ?? null
}

const digits = '0123456789abcdefghjkmnpqrstvwxyz'

/** The second in which an id was made: its first ten digits are milliseconds. */
function secondOf(id: string): Readonly<Record<string, string>> {
  const made = id.split('_')[1]?.slice(0, 10) ?? ''
  const ms = Array.from(made).reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0)
  const at = (ms: number) => new Date(ms).toISOString()
  return ms > 0 && ms < 8e15 ? { from: at(ms - 1000), to: at(ms + 1000) } : {}
}

/** The page of an app of the account; the apps with access to it, if another account has registered the app. */
async function appOf(id: string, session: Session): Promise<Target> {
  if (!session.can('oauth:read')) return { to: '/apps' }
  const own = await gateway.oauthApps.get({ client_id: id }).catch(nullIfMissing)
  if (own) return objectOn('apps', id)
  const { data } = await gateway.oauthApps.listConsents({ limit: 200 })
  const isGranted = data.items.some(({ client_id }) => client_id === id)
  // Beyond the newest consents, the screen has further pages.
  if (isGranted || data.next_cursor !== null) return { to: '/apps' }
  return { problem: 'No app of this account has this ID, and none with it has access.' }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof GatewayError && error.code === 'NOT_FOUND') return null
  throw error
}

/** The newest delivery of an event. Where there are several, the page of the endpoint has a list. */
async function deliveryOf(eventId: string): Promise<Target> {
  const { data } = await gateway.account.getWebhookEvent({ event_id: eventId })
  const [delivery] = data.deliveries
  if (!delivery) return { problem: 'No webhook endpoint was told of this event.' }
  const target = objectOn('webhooks', delivery.endpoint_id)
  return 'problem' in target ? target : { ...target, search: { delivery: delivery.id } }
}
