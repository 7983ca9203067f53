import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import Provider from 'oidc-provider'

/** Somebody at the issuer. */
export interface Person {
  readonly sub: string
  readonly [claim: string]: unknown
}

interface IssuerOptions {
  /** Where browsers come back to, and where they are sent after the sign-out. */
  readonly operatorUrl: string
  /** The default of oidc-provider: claims are given by the userinfo endpoint alone. */
  readonly keepsClaimsOutOfIdToken?: boolean
  /** The default of oidc-provider: a refresh token needs `offline_access` and a consent. */
  readonly wantsConsent?: boolean
  readonly givesNoRefreshToken?: boolean
}

/** A real issuer (oidc-provider) in this process, whose people sign in without a page. */
export interface TestIssuer {
  readonly url: string
  /** The variables of a gateway whose operators sign in here. */
  readonly variables: Readonly<Record<string, string>>
  /** Who sits at the browser; null: whoever is asked goes away. */
  person: Person | null
  /** When people sign in: seconds since 1970; null: now. */
  loginAt: number | null
  /** Changes the id token of the next answers, and signs it anew. */
  forge: ((claims: JWTPayload) => Forged) | null
  /** The status of all its answers; null: it works. */
  brokenWith: number | null
  /** Requests so far, as `POST /token`. */
  readonly requests: readonly string[]
  /** The queries with which browsers came to be signed in. */
  readonly authorizations: readonly URLSearchParams[]
  close(): void
}

interface Forged {
  readonly claims: JWTPayload
  /** By another key of the same id. */
  readonly isSignedByStranger?: boolean
}

const client = { id: 'gateway', secret: 'the secret of a client at the issuer' }

export async function startTestIssuer(options: IssuerOptions): Promise<TestIssuer> {
  const keys = { own: await signingKey(), strange: await signingKey() }
  const requests: string[] = []
  const authorizations: URLSearchParams[] = []
  const server = createServer()
  const url = await listen(server)
  const issuer = {
    url,
    variables: {
      OPERATOR_OIDC_ISSUER: url,
      OPERATOR_OIDC_CLIENT_ID: client.id,
      OPERATOR_OIDC_CLIENT_SECRET: client.secret,
      OPERATOR_ROLES: 'groups:admin=gw-admins,support=gw-support,readonly=gw-readers',
    },
    person: null,
    loginAt: null,
    forge: null,
    brokenWith: null,
    requests,
    authorizations,
    close() {
      server.close()
      server.closeAllConnections()
    },
  } satisfies TestIssuer as TestIssuer
  const provider = new Provider(url, await configuration(options, issuer, keys.own))
  provider.use(async (context, next) => {
    await next()
    const { forge } = issuer
    const { id_token: idToken, ...answer } = Object(context.body)
    if (context.path !== '/token' || !forge || typeof idToken !== 'string') return
    const { claims, isSignedByStranger } = forge(decodeJwt(idToken))
    const { privateKey } = isSignedByStranger ? keys.strange : keys.own
    const forged = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'of-issuer' })
    context.body = { ...answer, id_token: await forged.sign(privateKey) }
  })
  const answer = provider.callback()
  server.on('request', async (req: IncomingMessage, res: ServerResponse) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', url)
    requests.push(`${req.method} ${pathname}`)
    if (pathname === '/auth') authorizations.push(searchParams)
    if (issuer.brokenWith !== null) return void res.writeHead(issuer.brokenWith).end('broken')
    if (pathname.startsWith('/interaction/')) await interact(provider, issuer, req, res)
    else answer(req, res)
  })
  return issuer
}

/** Signs the person in, and consents for them. */
async function interact(
  provider: Provider,
  { person, loginAt }: TestIssuer,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(req, res)
  if (!person) {
    return provider.interactionFinished(req, res, { error: 'access_denied' })
  }
  if (prompt.name === 'login') {
    const login = { accountId: person.sub, ...(loginAt !== null && { ts: loginAt }) }
    return provider.interactionFinished(req, res, { login })
  }
  const grant = new provider.Grant({ accountId: session?.accountId, clientId: params.client_id })
  grant.addOIDCScope(params.scope ?? '')
  await provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } })
}

interface Keys {
  readonly privateKey: CryptoKey
}

async function signingKey(): Promise<Keys> {
  return generateKeyPair('RS256', { modulusLength: 2048, extractable: true })
}

async function configuration(options: IssuerOptions, issuer: TestIssuer, { privateKey }: Keys) {
  const { operatorUrl, wantsConsent, givesNoRefreshToken } = options
  const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'of-issuer' }
  return {
    jwks: { keys: [key] },
    cookies: { keys: ['a secret of the issuer'] },
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [`${operatorUrl}/operator/callback`],
        post_logout_redirect_uris: [`${operatorUrl}/operator`],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    claims: { openid: ['sub', 'groups'], profile: ['name', 'preferred_username'] },
    conformIdTokenClaims: options.keepsClaimsOutOfIdToken ?? false,
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      // The page of oidc-provider asks another host for a font.
      rpInitiatedLogout: { enabled: true, logoutSource: askToSignOut },
    },
    interactions: {
      url: (_ctx: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}`,
    },
    ...(wantsConsent ? {} : { issueRefreshToken: () => givesNoRefreshToken !== true }),
    rotateRefreshToken: true,
    findAccount: (_ctx: unknown, sub: string) => {
      const { person } = issuer
      if (person?.sub !== sub) return undefined
      return { accountId: sub, claims: () => person }
    },
    ttl: {
      AccessToken: 60,
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 60,
      RefreshToken: 3600,
      Session: 3600,
      Interaction: 600,
    },
  }
}

function askToSignOut(context: { body: unknown; type: string }, form: string): void {
  context.type = 'html'
  context.body = `<title>Sign out</title>${form}
    <button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>`
}

async function listen(server: Server): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('The server has no port.')
  return `http://127.0.0.1:${address.port}`
}
