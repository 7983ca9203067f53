import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client'
import { IssuerFailure, issuerFailure } from './issuer-failure.ts'
import { issuerFetch } from './issuer-fetch.ts'

export interface IssuerSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** The time limit of one request to the issuer. */
const timeoutSeconds = 5
/** What the issuer says about itself may change: its keys are asked for more often. */
const metadataLifetimeMs = 60 * 60 * 1000

export type Client = typeof import('openid-client')

/** What the gateway knows of the issuer at the moment. */
export interface KnownIssuer {
  readonly client: Client
  readonly configuration: Configuration
  readonly metadata: ServerMetadata
}

/** Returns what is known of the issuer, and asks it once an hour. Throws an `IssuerFailure`. */
export type FindIssuer = () => Promise<KnownIssuer>

/** Failures are not remembered; requests at the same time wait for one discovery. */
export function issuerFinder(settings: IssuerSettings): FindIssuer {
  let known: { readonly issuer: KnownIssuer; readonly until: number } | null = null
  let asking: Promise<KnownIssuer> | null = null

  async function ask(): Promise<KnownIssuer> {
    try {
      const issuer = await discover(settings)
      known = { issuer, until: Date.now() + metadataLifetimeMs }
      return issuer
    } catch (error) {
      const { reason } = issuerFailure(error)
      // Whatever is wrong with its metadata is no answer about a person.
      throw new IssuerFailure('unavailable', `discovery: ${reason}`, { cause: error })
    } finally {
      asking = null
    }
  }

  return async function findIssuer() {
    if (known !== null && Date.now() < known.until) return known.issuer
    asking ??= ask()
    return asking
  }
}

/** Why a discovery has failed. `refused`: the metadata is not what an issuer of this address has. */
export function discoveryFailure(error: unknown): IssuerFailure {
  return issuerFailure(error instanceof IssuerFailure ? (error.cause ?? error) : error)
}

async function discover(settings: IssuerSettings): Promise<KnownIssuer> {
  // Only gateways with operators of an issuer need the library.
  const client = await import('openid-client')
  const { issuer, clientId, clientSecret } = settings
  const basic = client.ClientSecretBasic(clientSecret)
  const post = client.ClientSecretPost(clientSecret)
  const authenticate: ClientAuth = (server, ...call) =>
    (takesBasic(server) ? basic : post)(server, ...call)
  const execute = [client.enableNonRepudiationChecks]
  // Plain http is of this machine: the start refuses all other.
  if (new URL(issuer).protocol === 'http:') execute.push(client.allowInsecureRequests)
  const configuration = await client.discovery(
    new URL(issuer),
    clientId,
    clientSecret,
    authenticate,
    {
      execute,
      timeout: timeoutSeconds,
      [client.customFetch]: issuerFetch,
    },
  )
  const metadata = configuration.serverMetadata()
  // openid-client lets some issuers stand for all of their tenants.
  if (new URL(metadata.issuer).href !== new URL(issuer).href) {
    throw new IssuerFailure('refused', 'the metadata is of another issuer')
  }
  return { client, configuration, metadata }
}

/** OpenID Connect Discovery §3: without a list it is `client_secret_basic`. */
function takesBasic({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): boolean {
  return methods === undefined || methods.includes('client_secret_basic')
}
