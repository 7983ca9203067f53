import type { RequestHandler } from 'express'
import { isId } from '../../schema/vocabulary/ids.ts'
import { type ClientCredentials, clientCredentialsOf } from '../callers/client-credentials.ts'
import type { VerifiedClient, VerifiedClients } from '../callers/verified-clients.ts'
import { type Call, callOf } from '../http/call.ts'
import { invalidRequest, OAuthError } from '../http/errors.ts'
import { checkInput, type InputSchemas } from '../http/input.ts'
import { clientBlock } from '../rate-limit/client-block.ts'
import type { MinuteLimit } from '../rate-limit/minute-limits.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import { type AnonymousLimit, countAddress, refusalOf, tooManyInMinute } from './rate-limit.ts'

interface AuthenticateClientOptions extends AnonymousLimit {
  readonly clients: VerifiedClients
  readonly limiter: RateLimiter
  /**
   * Counts failures of one app from one address. A person who guesses must not lock out the app,
   * nor a caller at the same address who has proven its secret (docs/oauth-rules.md 116).
   */
  readonly failures: MinuteLimit
  /** Counts the failure like that of any unknown caller. */
  readonly noteFailure: (call: Call) => void
  /** `{base_url}/v1` */
  readonly issuer: string
}

interface ClientRoute extends InputSchemas {
  /** RFC 7662 §2.1: the app must prove its identity. */
  readonly confidentialOnly?: boolean
}

/**
 * Finds out which app calls, for token, revoke and introspect (RFC 6749 §2.3; docs/oauth-rules.md
 * 51-55 and 93). All malformed fields are reported first. Once an app has proven its identity, the
 * limit is that of the account that owns it (docs/oauth-rules.md 9).
 */
export function authenticateClient(
  route: ClientRoute,
  options: AuthenticateClientOptions,
): RequestHandler {
  const { clients, limiter, failures } = options
  const challenge = `Basic realm="${options.issuer}", error="invalid_client"`

  async function find(call: Call, credentials: ClientCredentials): Promise<VerifiedClient> {
    const { clientId, secret } = credentials
    if (clientId === null) {
      options.noteFailure(call)
      throw refused()
    }
    // A malformed id belongs to no app. It is neither looked up nor kept: it may be a secret.
    const id = isId('app', clientId) ? clientId : null
    const name = `${clientBlock(call.address)} ${id}`
    // A request without a secret is no guess, so knowing the name of a public app cannot lock it
    // out.
    const isGuess = secret !== null && !(id && clients.hasProven(id, secret))
    const waitSeconds = isGuess ? await failures.waitOf(name) : null
    if (waitSeconds !== null) {
      throw tooManyInMinute(call, failures.perMinute, waitSeconds)
    }
    const client = id && (await clients.find(id, secret))
    if (client && (client.isConfidential || !route.confidentialOnly)) return client
    if (isGuess) await failures.count(name)
    options.noteFailure(call)
    throw refused()
  }

  /** The name of a public app proves nothing: anybody could use up the account's limit with it. */
  async function count(call: Call, client: VerifiedClient): Promise<void> {
    const { accountId, rateLimitRps, isConfidential } = client
    if (!isConfidential) return countAddress(call, options)
    call.rateWindow = await limiter(`${accountId}:${call.environment}`, rateLimitRps)
    call.limiter = 'account'
  }

  /** An unknown caller is counted by address. Above the limit, the limit is the answer. */
  async function refuse(call: Call, error: Error): Promise<never> {
    await countAddress(call, options)
    throw refusalOf(call) ?? error
  }

  return async function authenticateClient(req, res, next) {
    const call = callOf(res)
    const credentials = clientCredentialsOf(req)
    const { params, query, body } = req
    if (credentials.isBasic) call.clientChallenge = challenge
    const details = [
      ...problemsOf(credentials, route),
      ...checkInput(route, { params, query, body }).details,
    ]
    if (details.length > 0) return refuse(call, invalidRequest(details))
    try {
      const client = await find(call, credentials)
      identify(call, client)
      await count(call, client)
    } catch (error) {
      if (error instanceof OAuthError) return refuse(call, error)
      throw error
    }
    next(refusalOf(call))
  }
}

function refused(): OAuthError {
  return new OAuthError('invalid_client', 'Client authentication failed.')
}

/** Introspection without a client is refused; it is not malformed (docs/oauth-rules.md §5). */
function problemsOf(
  { clientId, problems }: ClientCredentials,
  { confidentialOnly = false }: ClientRoute,
) {
  if (clientId !== null || problems.length > 0 || confidentialOnly) return problems
  return [{ field: 'client_id', in: 'body', message: 'is required' } as const]
}

function identify(call: Call, { clientId, isConfidential }: VerifiedClient): void {
  const { environment, requestId, traceId, address } = call
  call.client = {
    kind: 'client',
    clientId,
    isConfidential,
    environment,
    requestId,
    traceId,
    address: address || null,
  }
}
