import { coversTokenScope, tokenScopes } from '../../../schema/vocabulary/scopes.ts'
import { type Check, isText, requireAll } from '../../shared/graph/checks.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import type { OAuthAppEntity } from './app.entity.ts'
import {
  ApplicationType,
  type ChangeOAuthAppInput,
  type RegisterOAuthAppInput,
  TokenEndpointAuthMethod,
} from './app.type.ts'
import { registeredRedirectUriProblem } from './checks/check-registered-redirect-uri.ts'
import { webLinkProblem } from './checks/check-web-link.ts'
import { leadsToGateway } from './checks/own-host.ts'

interface Registrant extends Pick<GraphContext, 'baseUrls'> {
  readonly held: readonly string[]
}

/** The scopes an app may ask for: those it registers, or all that the calling key covers. */
export function scopesToRegister(
  { scope }: Pick<RegisterOAuthAppInput, 'scope'>,
  held: readonly string[],
): string[] {
  if (scope) return [...new Set(scope.split(' '))]
  return tokenScopes.filter((name) => coversTokenScope(held, name))
}

/**
 * The columns of an app that its registrant decides about; redirect URIs stay as they are written.
 * `held` has the scopes of the calling key. Throws INVALID_REQUEST that names every wrong member.
 */
export function toAppDetails(
  input: RegisterOAuthAppInput,
  scopes: string[],
  { held, baseUrls }: Registrant,
) {
  const { clientName, applicationType, redirectUris, grantTypes, requirePkce } = input
  const isOnServer = applicationType === ApplicationType.web
  const { client_secret_basic, none } = TokenEndpointAuthMethod
  const method = input.tokenEndpointAuthMethod ?? (isOnServer ? client_secret_basic : none)
  const isPublic = method === none
  const isSecretKept = isPublic || applicationType !== ApplicationType.spa
  const hasCode = grantTypes.includes('authorization_code')
  requireAll([
    ['client_name', isText(clientName, 100), nameRule],
    ...redirectUriChecks(input, baseUrls),
    ['token_endpoint_auth_method', isSecretKept, 'must be none for an spa'],
    ['grant_types', hasCode, 'must have authorization_code'],
    ...scopeChecks(scopes, held),
    ...linkChecks(input, baseUrls),
  ])
  return {
    ...{ clientName, applicationType, tokenEndpointAuthMethod: method, scopes },
    redirectUris: [...new Set(redirectUris)],
    grantTypes: [...new Set(grantTypes)],
    // RFC 9700 §2.1.1: without a secret, only PKCE ties a code to the client that asked for it.
    requirePkce: requirePkce || isPublic,
    logoUri: input.logoUri ?? null,
    clientUri: input.clientUri ?? null,
    policyUri: input.policyUri ?? null,
    tosUri: input.tosUri ?? null,
  }
}

/**
 * The columns of an app that a change sets; those of members that are left out are missing. `held` has the scopes of the
 * calling key: it must cover those that are added. Throws INVALID_REQUEST that names every wrong member.
 */
export function toChangedDetails(
  input: ChangeOAuthAppInput,
  app: OAuthAppEntity,
  { held, baseUrls }: Registrant,
) {
  const { clientName, redirectUris, scope, logoUri, clientUri, policyUri, tosUri } = input
  const { applicationType } = app
  const scopes = scope ? scopesToRegister({ scope }, held) : null
  const added = scopes?.filter((name) => !app.scopes.includes(name)) ?? []
  requireAll([
    ['client_name', !clientName || isText(clientName, 100), nameRule],
    ...(redirectUris ? redirectUriChecks({ redirectUris, applicationType }, baseUrls) : []),
    ...scopeChecks(added, held),
    ...linkChecks(input, baseUrls),
  ])
  return {
    ...(clientName && { clientName }),
    ...(redirectUris && { redirectUris: [...new Set(redirectUris)] }),
    ...(scopes && { scopes }),
    ...(logoUri !== undefined && { logoUri }),
    ...(clientUri !== undefined && { clientUri }),
    ...(policyUri !== undefined && { policyUri }),
    ...(tosUri !== undefined && { tosUri }),
  }
}

const nameRule = 'must have 1 to 100 characters'
const maxRedirectUris = 20

function redirectUriChecks(
  {
    redirectUris,
    applicationType,
  }: Pick<RegisterOAuthAppInput, 'redirectUris' | 'applicationType'>,
  baseUrls: GraphContext['baseUrls'],
): Check[] {
  const { length } = redirectUris
  const isCountRight = length >= 1 && length <= maxRedirectUris
  return [
    ['redirect_uris', isCountRight, `must have 1 to ${maxRedirectUris} entries`],
    ...redirectUris.map((uri, index) =>
      toCheck(
        `redirect_uris.${index}`,
        registeredRedirectUriProblem(uri, applicationType) ?? ownHostProblem(uri, baseUrls),
      ),
    ),
  ]
}

function scopeChecks(scopes: readonly string[], held: readonly string[]): Check[] {
  return scopes.map((scope) => {
    if (!tokenScopes.includes(scope)) return ['scope', false, `no app can have ${scope}`]
    return ['scope', coversTokenScope(held, scope), `the calling key lacks ${scope}`]
  })
}

function linkChecks(
  { logoUri, clientUri, policyUri, tosUri }: ChangeOAuthAppInput,
  baseUrls: GraphContext['baseUrls'],
): Check[] {
  const links = { logo_uri: logoUri, client_uri: clientUri, policy_uri: policyUri, tos_uri: tosUri }
  return Object.entries(links).map(([field, uri]) =>
    toCheck(
      field,
      typeof uri === 'string' ? (webLinkProblem(uri) ?? ownHostProblem(uri, baseUrls)) : null,
    ),
  )
}

function ownHostProblem(uri: string, baseUrls: GraphContext['baseUrls']): string | null {
  return leadsToGateway(uri, baseUrls) ? 'must not lead to this gateway' : null
}

function toCheck(field: string, problem: string | null): Check {
  return [field, problem === null, problem ?? '']
}
