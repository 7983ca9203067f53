import { type Answer, GatewayError } from 'credit-gateway-sdk'
import { gatewayUrl } from '../place.ts'

/** A session of a browser. */
export interface ConsoleSession {
  readonly id: string
  readonly environment: 'live' | 'sandbox'
  readonly is_current: boolean
  readonly key_id: string | null
  readonly key_name: string | null
  readonly role: string | null
  readonly actor: string | null
  readonly return_url: string | null
  readonly parent_id: string | null
  readonly address: string | null
  readonly created_at: string
  readonly proven_at: string
  readonly expires_at: string
}

/** The session of this page. */
export interface CurrentSession extends ConsoleSession {
  readonly account_id: string
  readonly account_name: string
  readonly scopes: readonly string[]
  /** Until when the newest proof is fresh. */
  readonly step_up_until: string
  /** Where the switch in the header leads. */
  readonly switch_to: 'sandbox' | 'live' | null
}

/** Null: nobody is signed in. */
export async function readSession(signal: AbortSignal): Promise<CurrentSession | null> {
  const response = await fetch(`${gatewayUrl}/v1/account/sessions/current`, { signal })
  if (response.status === 401) return null
  if (!response.ok) throw new Error(`The answer has status ${response.status}.`)
  return response.json()
}

export function isRefusedAs(error: unknown, status: number): error is GatewayError {
  return error instanceof GatewayError && error.status === status
}

export interface SessionPage {
  readonly items: readonly ConsoleSession[]
  readonly next_cursor: string | null
}

export function listSessions(): Promise<Answer<SessionPage>> {
  return send('GET', '')
}

export function endSession(id: string): Promise<Answer<ConsoleSession>> {
  return send('DELETE', `/${id}`)
}

export function endOtherSessions(): Promise<Answer<{ readonly ended: number }>> {
  return send('DELETE', '')
}

/** A way to the other environment, for 60 seconds. */
export function openHandover(): Promise<Answer<{ readonly url: string }>> {
  return send('POST', '/handover')
}

async function send<Body>(method: string, path: string): Promise<Answer<Body>> {
  const init =
    method === 'GET' ? {} : { headers: { 'content-type': 'application/json' }, body: '{}' }
  const response = await fetch(`${gatewayUrl}/v1/account/sessions${path}`, { method, ...init })
  if (!response.ok) throw new Error(`The answer has status ${response.status}.`)
  return { data: await response.json() } as Answer<Body>
}
