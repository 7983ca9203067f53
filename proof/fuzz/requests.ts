import fc from 'fast-check'
import type { ApiOperation, ApiParameter } from '../../test/support/conformity/api-document.ts'
import type { schemaValues } from './schema-values.ts'

/** The value of a path parameter: text, or one of the ids that the caller knows. */
export type PathValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'own' | 'foreign' | 'nobodys'; readonly index: number }

export type Pairs = readonly (readonly [name: string, value: string])[]

export type FuzzBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'form'; readonly fields: Pairs }
  /** A body that the operation does not read. */
  | { readonly kind: 'raw'; readonly type: string; readonly text: string }

/** A request of one operation as data: the same seed makes the same one. */
export interface FuzzRequest {
  readonly environment: 'live' | 'sandbox'
  readonly path: Readonly<Record<string, PathValue>>
  readonly query: Pairs
  readonly body: FuzzBody
  readonly headers: Readonly<Record<string, string>>
}

/** Stands in a text for what only the running gateway knows; see `fillIn` of the sender. */
export const known = {
  // The placeholder of the client id has the form of an id, which some operations ask for.
  clientId: 'app_00000000000000000000000000',
  clientSecret: '{{client_secret}}',
  redirectUri: '{{redirect_uri}}',
  accessToken: '{{access_token}}',
  packageId: '{{package_id}}',
} as const

/** Fields of which no schema tells what would be found. */
const meaningful: Readonly<Record<string, readonly string[]>> = {
  client_id: [known.clientId],
  client_secret: [known.clientSecret],
  redirect_uri: [known.redirectUri],
  token: [known.accessToken, 'svc_oat_nobodys'],
  access_token: [known.accessToken],
  package_id: [known.packageId],
  provider: ['simulated'],
  grant_type: ['authorization_code', 'refresh_token', 'client_credentials'],
  response_type: ['code'],
  'X-Sandbox-Scenario': [
    'ok',
    'empty',
    'slow=1',
    'units=2',
    'status=404',
    'status=503',
    'reset',
    'timeout',
    'unavailable',
    'rate_limited',
    'insufficient_credits',
    'budget_exceeded',
    'forbidden',
  ],
}

const formType = 'application/x-www-form-urlencoded'

/** Requests that the document allows, unless a pattern or format says more than is read. */
export function validRequests(
  operation: ApiOperation,
  valuesOf: ReturnType<typeof schemaValues>,
): fc.Arbitrary<FuzzRequest> {
  const parametersIn = (place: ApiParameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === place)
  const textOf = ({ name, schema }: ApiParameter) => withMeaning(name, valuesOf(schema).map(String))
  const path = Object.fromEntries(
    parametersIn('path').map(({ name, schema }) => [
      name,
      pathValues(valuesOf(schema).map(String)),
    ]),
  )
  // A cursor is what the gateway has handed out; any other is broken.
  const query = parametersIn('query').filter(({ name }) => name !== 'cursor')
  // An idempotency key has two names; sent under both it would have to be the same.
  const headers = parametersIn('header').filter(({ name }) => name !== 'Idempotency-Key')
  return fc.record({
    environment: fc.constantFrom('live' as const, 'sandbox' as const),
    path: fc.record(path, { noNullPrototype: true }),
    query: recordOf(query, textOf).map((fields) => Object.entries(fields)),
    body: bodies(operation, valuesOf),
    headers: recordOf(headers, (parameter) => textOf(parameter).filter(isHeaderText)),
  })
}

/** Whether an HTTP client can send the text as a header, and every server reads it alike. */
function isHeaderText(text: string): boolean {
  return /^[!-~]([ -~]*[!-~])?$/.test(text)
}

function recordOf(
  parameters: readonly ApiParameter[],
  textOf: (parameter: ApiParameter) => fc.Arbitrary<string>,
): fc.Arbitrary<Record<string, string>> {
  const model = Object.fromEntries(parameters.map((one) => [one.name, textOf(one)]))
  const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name)
  return fc.record(model, { requiredKeys, noNullPrototype: true })
}

function withMeaning(name: string, values: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const meant = meaningful[name]
  return meant ? fc.oneof({ arbitrary: fc.constantFrom(...meant), weight: 4 }, values) : values
}

function pathValues(texts: fc.Arbitrary<string>): fc.Arbitrary<PathValue> {
  const index = fc.nat(1000)
  const id = (kind: 'own' | 'foreign' | 'nobodys') => fc.record({ kind: fc.constant(kind), index })
  return fc.oneof(
    { arbitrary: id('own'), weight: 6 },
    { arbitrary: id('foreign'), weight: 1 },
    { arbitrary: id('nobodys'), weight: 1 },
    // An empty one would be another path.
    {
      arbitrary: texts
        .filter((text) => text !== '')
        .map((text) => ({ kind: 'text' as const, text })),
      weight: 2,
    },
  )
}

function bodies(
  { requestBody }: ApiOperation,
  valuesOf: ReturnType<typeof schemaValues>,
): fc.Arbitrary<FuzzBody> {
  if (!requestBody) return fc.constant({ kind: 'none' })
  const contents = Object.entries(requestBody.content)
  // A form beside JSON belongs to a page of the gateway.
  const json = contents.filter(([type]) => type === 'application/json')
  const kinds = (json.length > 0 ? json : contents).map(([type, { schema, example }]) => {
    const values = withMembers(valuesOf(schema))
    if (type === formType)
      return values.map((value) => ({ kind: 'form' as const, fields: pairsOf(value) }))
    const shown = example === undefined ? values : fc.oneof(fc.constant(example), values)
    return shown.map((value) => ({ kind: 'json' as const, value }))
  })
  const none = requestBody.required ? [] : [fc.constant({ kind: 'none' as const })]
  return fc.oneof(...kinds, ...none)
}

/** Replaces members of known names by meaningful values, most of the time. */
function withMembers(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(values, fc.nat(99)).map(([value, choice]) => {
    if (choice >= 80 || typeof value !== 'object' || value === null || Array.isArray(value))
      return value
    const entries = Object.entries(value).map(([name, member]) => {
      const meant = meaningful[name] ?? []
      return [
        name,
        typeof member === 'string' && meant.length > 0 ? meant[choice % meant.length] : member,
      ]
    })
    return Object.fromEntries(entries)
  })
}

function pairsOf(value: unknown): Pairs {
  return Object.entries(Object(value)).map(([name, member]) => [name, String(member)])
}
