import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { clientBlock } from '../../schema/vocabulary/client-block.ts'
import { documentAppId, isDocumentAddress } from '../../schema/vocabulary/document-address.ts'
import { isId } from '../../schema/vocabulary/ids.ts'
import { type ClientCredentials, clientCredentialsOf } from '../callers/client-credentials.ts'
import type { VerifiedClient, VerifiedClients } from '../callers/verified-clients.ts'
import type { LookedUp } from '../callers/verified-keys.ts'
import { credentialName } from '../http/authorization.ts'
import { type Call, callOf } from '../http/call.ts'
import { invalidRequest, OAuthError } from '../http/errors.ts'
import { checkInput, type InputSchemas } from '../http/input.ts'
import { noteAccepted } from '../http/request-in-hand.ts'
import type { MinuteLimit } from '../rate-limit/minute-limits.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import {
  type AnonymousLimit,
  countAddress,
  noteWindow,
  refusalOf,
  tooManyInMinute,
} from './rate-limit.ts'

interface AuthenticateClientOptions extends AnonymousLimit {
  readonly clients: VerifiedClients
  readonly known: LookedUp
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

interface ClientRoute extends Pick<InputSchemas, 'body'> {
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
  const { clients, limiter, failures, known } = options
  const schemas = { body: route.body }
  const challenge = `Basic realm="${options.issuer}", error="invalid_client"`

  async function find(call: Call, credentials: ClientCredentials): Promise<VerifiedClient> {
    const { clientId, secret } = credentials
    if (clientId === null) {
      options.noteFailure(call)
      throw refused('The request names no app.')
    }
    const id = idOf(credentials, call)
    const name = `${clientBlock(call.address)} ${id}`
    // A request without a secret is no guess, so knowing the name of a public app cannot lock it
    // out.
    const isGuess = secret !== null && !(id && clients.hasProven(id, secret))
    const waitSeconds = isGuess ? await failures.waitOf(name) : null
    if (waitSeconds !== null) {
      throw tooManyInMinute(call, failures.perMinute, waitSeconds)
    }
    const client = id && (await clients.find(id, secret))
    if (client && mayCall(client, credentials, route)) return client
    if (isGuess) await failures.count(name)
    options.noteFailure(call)
    throw refused(reasonOf(id, client))
  }

  /** The name of a public app proves nothing: anybody could use up the account's limit with it. */
  function count(call: Call, client: VerifiedClient): Promise<void> | undefined {
    const { accountId, rateLimitRps, isConfidential } = client
    if (!isConfidential) return countAddress(call, options)
    const window = limiter(`${accountId}:${call.environment}`, rateLimitRps)
    return noteWindow(call, 'account', window)
  }

  function admit(call: Call, client: VerifiedClient, next: NextFunction): unknown {
    identify(call, client)
    const counting = count(call, client)
    return counting ? counting.then(() => next(refusalOf(call))) : next(refusalOf(call))
  }

  /** An unknown caller is counted by address. Above the limit, the limit is the answer. */
  async function refuse(call: Call, error: Error): Promise<never> {
    await countAddress(call, options)
    throw refusalOf(call) ?? error
  }

  function findOrRefuse(
    req: Request,
    call: Call,
    credentials: ClientCredentials,
  ): Promise<VerifiedClient> {
    return find(call, credentials).catch((error: unknown) => {
      if (!(error instanceof OAuthError)) throw error
      if (credentials.isBasic) known.refuse(credentialName(req))
      return refuse(call, error)
    })
  }

  return function authenticateClient(req, res, next) {
    const call = callOf(res)
    const credentials = clientCredentialsOf(req)
    if (credentials.isBasic) call.clientChallenge = challenge
    const { values, details: badFields } = checkInput(schemas, { ...nothingElse, body: req.body })
    const details = [...problemsOf(credentials, route), ...badFields]
    if (details.length > 0) return refuse(call, invalidRequest(details))
    call.form = values
    const id = idOf(credentials, call)
    // An app that is remembered has proven the secret, so its request is no guess.
    const proven = id === null ? undefined : clients.remembered(id, credentials.secret)
    const accept = (client: VerifiedClient) => {
      noteProof(req, res, client, known)
      return admit(call, client, next)
    }
    if (proven && mayCall(proven, credentials, route)) return accept(proven)
    return findOrRefuse(req, call, credentials).then(accept)
  }
}

/** Whether the app may ask for this. An app with a document is named by its address, and by no id. */
function mayCall(
  { hasDocument, isConfidential }: VerifiedClient,
  { clientId }: ClientCredentials,
  { confidentialOnly }: ClientRoute,
): boolean {
  const isNamed = hasDocument === isDocumentAddress(clientId ?? '')
  return isNamed && (isConfidential || !confidentialOnly)
}

/** The name of a public app proves nothing. A secret in the form cannot be seen in the headers. */
function noteProof(req: Request, res: Response, client: VerifiedClient, known: LookedUp): void {
  if (!client.isConfidential) return
  noteAccepted(res)
  if (req.headers.authorization !== undefined) known.accept(credentialName(req))
}

/** A form endpoint has no parameters in its path, and ignores those of the query (RFC 6749 §3.2). */
const nothingElse = { params: {}, query: {} }

/** A malformed id belongs to no app. It is neither looked up nor kept: it may be a secret. */
function idOf({ clientId }: ClientCredentials, { environment }: Call): string | null {
  if (clientId === null) return null
  if (isDocumentAddress(clientId)) return documentAppId(environment, clientId)
  return isId('app', clientId) ? clientId : null
}

function refused(internal: string): OAuthError {
  return new OAuthError('invalid_client', 'Client authentication failed.', internal)
}

function reasonOf(id: string | null, client: VerifiedClient | null | ''): string {
  if (id === null) return 'The client_id has not the form of one.'
  if (client) return `The app ${id} is public, and only confidential ones may ask this.`
  return `The app ${id} is unknown, suspended or of a closed account, or it has another secret.`
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
