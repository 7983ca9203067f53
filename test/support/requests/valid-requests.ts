import { routes } from '../../../rest-facade/routes/index.ts'
import { membersScope } from '../../../schema/vocabulary/scopes.ts'
import { productExamples } from './every-row.ts'

/** A request that is right but for the ids in its path, which stay placeholders: `{key_id}`. */
export interface ValidRequest {
  /** The name of the request, such as `PATCH /v1/account/keys/{key_id}`. */
  readonly title: string
  readonly method: string
  readonly path: string
  /** The ids of ours that the path names. */
  readonly params: readonly string[]
  /** Undefined where none is read. */
  readonly body: object | undefined
  /** Members and query parameters that the operation takes. */
  readonly known: ReadonlySet<string>
  readonly isPublic: boolean
  /** Whether the route ignores unknown parameters, as OAuth wants (RFC 6749 §3.1). */
  readonly ignoresUnknown: boolean
  /** The headers by which a browser tells its page, where only pages of the gateway may ask. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether this is the sign-in of a browser: its answer is a cookie, and cannot be replayed. */
  readonly isSignIn: boolean
  /** Whether the answer shows a secret, this once. */
  readonly revealsSecret: boolean
  /** Null is a body as none is. */
  readonly takesNullBody?: boolean
}

const budgets = [{ period: 'day', limit_credits: 500 }]

/** Placeholders that name no object which there must be. */
const words: Readonly<Record<string, string>> = { external_id: 'team-1', period: 'day' }

/** Where an empty body is not valid, or changes nothing. */
const bodies: Readonly<Record<string, object>> = {
  'PUT /v1/account/budgets': { budgets },
  'PUT /v1/account/external-ids/{external_id}/budgets': { budgets },
  'PATCH /v1/oauth/consents/{client_id}': { budgets },
  'POST /v1/account/keys': { name: 'A key' },
  'PATCH /v1/account/keys/{key_id}': { name: 'Renamed' },
  'PATCH /v1/account/auto-recharge': { enabled: false },
  'PUT /v1/billing/details': {
    name: 'Acme',
    address: { line1: '1 Road', city: 'Berlin', postal_code: '10115' },
    country: 'DE',
  },
  'POST /v1/account/subscription': { tier: 'pro_sub' },
  'POST /v1/account/subscription/preview': { tier: 'pro_sub' },
  'POST /v1/billing/checkout': { package_id: 'pack_starter', payment_method: 'simulated' },
  'POST /v1/quotes': { calls: [{ method: 'GET', path: '/v1/contacts/con_1' }] },
  'POST /v1/account/addons/rank-tracking/keywords': { keyword: 'shoes', domain: 'example.com' },
  'PUT /v1/account/notifications': { emails: [], kinds: ['credits_low'] },
  'PUT /v1/account/agents': { allow_unverified_apps: false },
  'POST /v1/account/webhooks/{endpoint_id}/resend': {
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-02T00:00:00Z',
  },
  'POST /v1/account/webhooks': { url: 'https://hooks.invalid/' },
  'PATCH /v1/oauth/apps/{client_id}': { client_name: 'Renamed' },
  'PATCH /v1/account/members/me': { name: 'Jane Doe' },
  'POST /v1/account/members/me/email': { token: 'nobodys' },
  'POST /v1/oauth/apps': { client_name: 'An app', redirect_uris: ['https://app.example/cb'] },
}

function toRequest(route: (typeof routes)[number]): ValidRequest {
  const { kind, method, path, isRooted, scope, params, query, body } = route
  const written = `${isRooted ? '' : '/v1'}${path.replaceAll(/:([a-z_]+)/g, '{$1}')}`
  const title = `${method.toUpperCase()} ${written}`
  // Whether this is the form of a page: programs send what it holds in the query.
  const isForm = kind === 'browser' && route.browserStep === 'consent'
  const shapes = [query?.shape ?? {}, (isForm ? undefined : body?.shape) ?? {}]
  return {
    title,
    method: method.toUpperCase(),
    path: written.replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) => words[name] ?? whole),
    params: Object.keys(params?.shape ?? {}).filter((name) => words[name] === undefined),
    body: isForm ? undefined : body && (bodies[title] ?? {}),
    known: new Set(shapes.flatMap((shape) => Object.keys(shape))),
    isPublic: scope === undefined,
    ignoresUnknown: query !== undefined && query.def.catchall === undefined,
    headers: kind === 'portal' ? { 'sec-fetch-site': 'same-origin' } : {},
    isSignIn: kind === 'browser' && route.browserStep === 'sign-in',
    revealsSecret: kind === 'account' && route.revealsSecret === true,
    takesNullBody: kind === 'account' ? route.takesNullBody : undefined,
  }
}

/** Kinds that take a signature or a form, or refuse as RFC 7591 says: other tests have these. */
const otherKinds: readonly string[] = ['signed', 'app', 'file', 'page', 'registration']

/** Every row of the route table, but those of `otherKinds`, and those that no key may use: test/api/members has these. */
export function routeRequests(): ValidRequest[] {
  return routes
    .filter(({ kind, scope }) => !otherKinds.includes(kind) && scope !== membersScope)
    .filter(
      ({ path }) =>
        !/^\/account\/(sign-in$|members\/me\/passkeys|sessions\/current\/passkey)/.test(path),
    )
    .filter(({ kind, method }) => kind !== 'userinfo' || method === 'get')
    .map(toRequest)
}

/** Every product operation; the ids in their paths are the backend's. */
export function productRequests(): ValidRequest[] {
  return productExamples().map(({ title, method, url, body, operation }) => {
    const { query = {}, body: bodySchema = {} } = operation.request
    const schemas = [query, bodySchema].map((schema) => Object(schema).properties ?? {})
    return {
      title,
      method,
      path: url,
      params: [],
      body: body === undefined ? undefined : Object(body),
      known: new Set(schemas.flatMap((properties) => Object.keys(properties))),
      isPublic: false,
      ignoresUnknown: false,
      headers: {},
      isSignIn: false,
      revealsSecret: false,
    }
  })
}

/** The path with these ids in place of its placeholders. */
export function pathWith(path: string, ids: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => ids[name] ?? '')
}
