import type { RequestHandler } from 'express'
import type { ClientOrigins } from '../callers/client-origins.ts'
import { callOf, headerOf } from '../http/call.ts'
import type { Headers } from '../http/respond.ts'

/**
 * The origins that may read an answer: those of public apps, of any app, the operator's own, or
 * none. Only the operator's own may send a cookie.
 */
export type CorsPolicy = 'clients' | 'any-client' | 'first-party' | 'nobody'

interface CorsOptions {
  /** The policies of single paths; any origin may read all others. */
  readonly policies: ReadonlyMap<string, CorsPolicy>
  readonly clientOrigins: ClientOrigins
  readonly firstPartyOrigins: ReadonlySet<string>
}

const byOrigin: Headers = { Vary: 'Origin' }

/**
 * Sets the CORS headers of every answer, preflights and refusals included (docs/oauth-rules.md 7).
 */
export function cors(options: CorsOptions): RequestHandler {
  const { policies } = options
  return function cors(req, res, next) {
    const policy = policies.get(req.path)
    if (policy === undefined) return next()
    const call = callOf(res)
    call.corsHeaders = policy === 'nobody' ? {} : byOrigin
    const origin = headerOf(req, 'origin')
    if (policy === 'nobody' || !isWebOrigin(origin)) return next()
    return mayRead(policy, origin, options).then((isAllowed) => {
      if (isAllowed) call.corsHeaders = headersFor(policy, origin)
      next()
    })
  }
}

/** `null` does not count: any sandboxed frame sends it. */
function isWebOrigin(origin: string): boolean {
  return /^https?:\/\//.test(origin)
}

async function mayRead(
  policy: CorsPolicy,
  origin: string,
  { clientOrigins, firstPartyOrigins }: CorsOptions,
): Promise<boolean> {
  if (policy === 'first-party') return firstPartyOrigins.has(origin)
  return clientOrigins.has(origin, policy === 'clients')
}

function headersFor(policy: CorsPolicy, origin: string): Headers {
  const credentials = { 'Access-Control-Allow-Credentials': 'true' }
  return {
    ...byOrigin,
    'Access-Control-Allow-Origin': origin,
    ...(policy === 'first-party' && credentials),
  }
}
