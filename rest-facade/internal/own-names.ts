import { isIP, isIPv6 } from 'node:net'
import { hostname } from 'node:os'
import type { RequestHandler } from 'express'
import { ApiError } from '../http/errors.ts'

interface OwnNamesOptions {
  /** Others than addresses, localhost and the host's own name. */
  readonly names: readonly string[]
  /** Paths that whoever calls by any name may ask for. */
  readonly openPaths?: ReadonlySet<string>
}

/**
 * Refuses requests to a host that is not this one. A page that somebody has open reaches whatever its
 * browser reaches, once the page's own name leads there (DNS rebinding): the name gives it away, for the
 * browser sends it along. An address or a name of ours is nothing that such a page can be at.
 */
export function requireOwnName({ names, openPaths }: OwnNamesOptions): RequestHandler {
  const own = new Set(['localhost', hostname(), ...names].map(plainName))
  return function requireOwnName(req, _res, next) {
    const { host } = req.headers
    // No browser leaves it out; what speaks HTTP/1.0 may.
    if (host === undefined || openPaths?.has(req.path)) return next()
    const name = nameOf(host)
    if (name !== null && (isIP(name) !== 0 || own.has(name))) return next()
    const message = 'This listener does not answer to this host: name it in INTERNAL_NAMES.'
    next(new ApiError('FORBIDDEN', message))
  }
}

/** Without the port, and an address of IPv6 without its brackets; null for what is no host. */
function nameOf(host: string): string | null {
  const [, address, name] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{0,5})?$/.exec(host) ?? []
  if (address !== undefined) return isIPv6(address) ? address : null
  return name === undefined ? null : plainName(name)
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}
