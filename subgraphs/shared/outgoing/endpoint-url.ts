import { isIP } from 'node:net'
import { hasAtMost } from '../../../schema/vocabulary/characters.ts'
import { isLoopbackAddress, isPublicAddress } from './special-addresses.ts'

export interface EndpointUrlRules {
  /** Permits 127.0.0.0/8, ::1 and `localhost` too, also by http, and no other private address. */
  readonly allowsLoopback: boolean
  /** CIDR blocks that are treated as private. */
  readonly deniedCidrs?: readonly string[]
}

const maxCharacters = 2048
/**
 * Two slashes and a host. Spaces and backslashes are refused because parsers disagree about them.
 */
const shape = /^[a-z][a-z0-9+.-]*:\/\/[^\s\\/?#][^\s\\]*$/i
/**
 * At least two labels of letters, digits, hyphens and underscores. The last begins with a letter.
 */
const dottedName = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?$/
/** Names of private networks: RFC 6761, RFC 6762, RFC 8375 and ICANN's .internal. */
const privateSuffixes = ['.localhost', '.local', '.home.arpa', '.internal']
/** The permitted ports below 1024. */
const webPorts = new Set([80, 443])
/** The refused ports above 1023: browsers refuse them too (Fetch, "bad port"). */
const badPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080,
])

/**
 * The reason why this URL cannot be an endpoint, to complete a sentence that begins with the
 * field's name; null if it can. Only the text is checked here. `openSocket` checks the addresses of
 * a name.
 */
export function endpointUrlProblem(url: string, rules: EndpointUrlRules): string | null {
  if (!hasAtMost(url, maxCharacters)) return `must have at most ${maxCharacters} characters`
  const parsed = shape.test(url) ? URL.parse(url) : null
  if (!parsed) return 'must be an absolute URL with a host, without spaces and backslashes'
  const host = hostOf(parsed)
  const isLoopback = rules.allowsLoopback && (host === 'localhost' || isLoopbackAddress(host))
  // Others can read http on its way, except within one machine.
  if (parsed.protocol !== 'https:' && !(parsed.protocol === 'http:' && isLoopback)) {
    const also = rules.allowsLoopback ? ', or with http:// and an address of loopback' : ''
    return `must begin with https://${also}`
  }
  if (parsed.username !== '' || parsed.password !== '') return 'must not hold a user or a password'
  return portProblem(parsed.port) ?? (isLoopback ? null : hostProblem(host, rules))
}

/** The canonical name or address: `0x7f.1` and `１２７.0.0.1` become 127.0.0.1. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

function portProblem(port: string): string | null {
  // An empty port is the default port of the scheme.
  if (port === '' || webPorts.has(Number(port))) return null
  if (Number(port) >= 1024 && !badPorts.has(Number(port))) return null
  return 'must have the port 443, or one above 1023 that is not known for another protocol'
}

function hostProblem(host: string, { deniedCidrs }: EndpointUrlRules): string | null {
  if (isIP(host) !== 0) {
    return isPublicAddress(host, deniedCidrs) ? null : 'must not lead to a private address'
  }
  const isPublicName = dottedName.test(host) && !privateSuffixes.some((end) => host.endsWith(end))
  return isPublicName ? null : 'must have the name of a host on the internet'
}
