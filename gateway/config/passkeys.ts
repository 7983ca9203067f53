import { isIP } from 'node:net'
import type { PasskeySettings } from '../../subgraphs/oauth/settings/oauth-settings.ts'
import type { Settings } from './variables/environment.ts'

/** The id by which browsers keep passkeys: PASSKEY_RP_ID, or the host of the pages if it is a name. */
export function passkeysOf(
  { PASSKEY_RP_ID: rpId }: Pick<Settings, 'PASSKEY_RP_ID'>,
  baseUrl: string,
): PasskeySettings {
  if (rpId !== undefined) return { rpId }
  const host = hostOf(baseUrl)
  if (host !== null && isName(host)) return { rpId: host }
  const because = `Passkeys are off: BASE_URL has an address of digits, and browsers keep passkeys for names alone.`
  return { rpId: null, because }
}

/** Null if browsers let pages of BASE_URL use the id, or if there is none. */
export function rpIdProblem({
  PASSKEY_RP_ID: rpId,
  BASE_URL: baseUrl = 'http://localhost',
}: Partial<Pick<Settings, 'PASSKEY_RP_ID' | 'BASE_URL'>>): string | null {
  if (rpId === undefined) return null
  const host = hostOf(baseUrl)
  if (host === rpId || host?.endsWith(`.${rpId}`)) return null
  return 'PASSKEY_RP_ID must be the host of BASE_URL, or a domain that it is in'
}

function hostOf(url: string): string | null {
  return URL.parse(url)?.hostname ?? null
}

function isName(host: string): boolean {
  return !host.startsWith('[') && isIP(host) === 0
}
