import { hasAtMost } from '../../../schema/vocabulary/characters.ts'

const maxLength = 2000

/** Hosts of this machine: pages in development. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** The origins that a browser may be sent to: those of RETURN_ORIGINS, and of the gateway itself. */
export interface ReturnOrigins {
  readonly returnOrigins: readonly string[]
  readonly baseUrls: Readonly<Record<string, string>>
}

/**
 * Why a browser cannot be sent to this address; null if it is all right. It must be https, or http on this
 * machine, and of our own origin or one of RETURN_ORIGINS.
 */
export function returnUrlProblem(
  { returnOrigins, baseUrls }: ReturnOrigins,
  text: string,
): string | null {
  if (!hasAtMost(text, maxLength)) return `must have at most ${maxLength} characters`
  const url = URL.parse(text)
  if (!url || /[\s\p{Cc}\\]/u.test(text)) return 'must be an absolute URL'
  const isHttp = url.protocol === 'http:' && loopback.test(url.hostname)
  if (url.protocol !== 'https:' && !isHttp) return 'must be https, or http on this machine'
  if (url.username || url.password) return 'must not have a user name'
  const own = Object.values(baseUrls).map((base) => new URL(base).origin)
  if ([...own, ...returnOrigins].includes(url.origin)) return null
  return 'must be of this gateway, or of an origin that its operator permits'
}
