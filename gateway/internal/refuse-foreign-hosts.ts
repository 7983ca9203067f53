import { isIP, isIPv6 } from 'node:net'
import { hostname } from 'node:os'
import type { RequestHandler } from 'express'
import { ApiError } from '../../rest-facade/http/errors.ts'

interface HostNamesOptions {
  /** Names in addition to addresses, localhost and the host's own name. */
  readonly names: readonly string[]
  /** Paths that are answered under any name. */
  readonly openPaths?: ReadonlySet<string>
}

/**
 * Refuses requests with a foreign host name. A page in somebody's browser reaches this listener if
 * the page's own name resolves to it (DNS rebinding). The browser sends that name as `Host`. Such a
 * page cannot have an address or one of our names as its host.
 */
export function refuseForeignHosts({ names, openPaths }: HostNamesOptions): RequestHandler {
  const own = new Set(['localhost', hostname(), ...names].map(plainName))
  return function requireOwnName(req, _res, next) {
    const { host } = req.headers
    // Browsers always send `Host`; a client of HTTP/1.0 may not.
    if (host === undefined || openPaths?.has(req.path)) return next()
    const name = nameOf(host)
    if (name !== null && (isIP(name) !== 0 || own.has(name))) return next()
    const message = 'This listener does not answer to this host: name it in INTERNAL_NAMES.'
    next(new ApiError('FORBIDDEN', message))
  }
}

/** The name without port and without brackets of IPv6; null for an invalid host. */
function nameOf(host: string): string | null {
  const [, address, name] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{0,5})?$/.exec(host) ?? []
  if (address !== undefined) return isIPv6(address) ? address : null
  return name === undefined ? null : plainName(name)
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}
