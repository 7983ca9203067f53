import type { ApiOperation } from '../../../test/support/conformity/api-document.ts'
import { changeAt, placesOf } from '../breaking.ts'
import type { FuzzRequest, PathValue } from '../requests.ts'
import { filled, shapes } from './shapes.ts'

/** One request that is much larger than any that a client needs, somewhere. */
export interface AmplifiedCase {
  /** What is large, and where. */
  readonly name: string
  /** Made when it is needed: all of them together are gigabytes. */
  readonly request: () => FuzzRequest
}

/** The head of a request has at most 16 KiB. */
const headBytes = 12_000
const formBytes = 15_000

const headers = [
  ...['x-svc-idempotency-key', 'x-end-user', 'x-sandbox-scenario', 'authorization', 'cookie'],
  ...['accept', 'accept-language', 'origin', 'referer', 'access-control-request-headers'],
  ...[
    'access-control-request-method',
    'if-none-match',
    'traceparent',
    'tracestate',
    'x-request-id',
  ],
  ...['x-forwarded-for', 'content-type', 'content-encoding', 'forwarded', 'user-agent'],
]

/** All of an operation. A body has about `bytes` bytes. */
export function amplifiedCases(
  operation: ApiOperation,
  request: FuzzRequest,
  bytes: number,
): readonly AmplifiedCase[] {
  return [
    ...ofPath(request),
    ...ofQuery(operation, request),
    ...ofHeaders(request),
    ...ofJson(request, bytes),
    ...ofForm(request),
  ]
}

const pathUnits = ['a', '\u0001', '😀', '%', '.']

function ofPath(request: FuzzRequest): AmplifiedCase[] {
  return Object.keys(request.path).flatMap((param) =>
    pathUnits.map((unit) => {
      const text = unit.repeat(headBytes / Buffer.byteLength(encodeURIComponent(unit)))
      const path: Record<string, PathValue> = { ...request.path, [param]: { kind: 'text', text } }
      return {
        name: `path: ${param} of ${JSON.stringify(unit)}`,
        request: () => ({ ...request, path }),
      }
    }),
  )
}

function ofQuery({ parameters }: ApiOperation, request: FuzzRequest): AmplifiedCase[] {
  const known = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
  const pairs: [string, (readonly [string, string])[]][] = [
    ['many unknown names', many((index) => [`n${index}`, ''])],
    ['many empty names', many(() => ['', ''])],
    ['a long unknown name', [[filled('n', headBytes), '']]],
    ['a long unknown name of control characters', [['\u0001'.repeat(headBytes / 3), '']]],
    ['a long unknown name many times', many(() => ['n'.repeat(100), ''], headBytes / 103)],
    ...known.flatMap((name): typeof pairs => [
      [`${name} many times`, many(() => [name, ''], headBytes / (name.length + 2))],
      ...pathUnits.map((unit): [string, [string, string][]] => {
        const times = headBytes / Buffer.byteLength(encodeURIComponent(unit))
        return [`${name} of ${JSON.stringify(unit)}`, [[name, unit.repeat(times)]]]
      }),
    ]),
  ]
  return pairs.map(([name, more]) => {
    const others = request.query.filter(([other]) => more[0]?.[0] !== other)
    return { name: `query: ${name}`, request: () => ({ ...request, query: [...others, ...more] }) }
  })
}

function many(
  pair: (index: number) => readonly [string, string],
  count = headBytes / 7,
): (readonly [string, string])[] {
  return Array.from({ length: Math.floor(count) }, (_, index) => pair(index))
}

function ofHeaders(request: FuzzRequest): AmplifiedCase[] {
  return headers.map((name) => ({
    name: `header: ${name}`,
    request: () => ({
      ...request,
      headers: { ...request.headers, [name]: 'x,'.repeat(headBytes / 2) },
    }),
  }))
}

function ofJson(request: FuzzRequest, bytes: number): AmplifiedCase[] {
  const { body } = request
  if (body.kind !== 'json') return []
  const raw = rawTexts(bytes).map(([name, text]) => ({
    name: `body: ${name}`,
    request: () => ({
      ...request,
      body: { kind: 'raw' as const, type: 'application/json', text: text() },
    }),
  }))
  const inside = placesOf(body.value).flatMap((place) =>
    shapes.map((shape) => ({
      name: `body: ${shape.name} at ${place.join('.') || 'the body'}`,
      request() {
        const value = changeAt(body.value, place, (usual) => shape.make(bytes, usual))
        return { ...request, body: { kind: 'json' as const, value } }
      },
    })),
  )
  return [...raw, ...inside]
}

/** Bodies that are no JSON, or whose text is more than what it says. */
function rawTexts(bytes: number): (readonly [name: string, text: () => string])[] {
  return [
    ['brackets', () => '['.repeat(bytes)],
    ['names without end', () => '{"a":'.repeat(bytes / 5)],
    ['a long text without end', () => `{"a":"${'a'.repeat(bytes)}`],
    ['a comma too many after a long name', () => `{"${'a'.repeat(bytes)}":1,}`],
    ['a long number', () => `{"a":${'1'.repeat(bytes)}}`],
    ['one name many times', () => `{${'"a":1,'.repeat(bytes / 6)}"a":1}`],
    ['backslashes', () => `{"a":"${'\\\\'.repeat(bytes / 2)}"}`],
    ['spaces', () => `{${' '.repeat(bytes)}}`],
  ]
}

function ofForm(request: FuzzRequest): AmplifiedCase[] {
  const { body } = request
  if (body.kind !== 'form') return []
  const others: [string, (readonly [string, string])[]][] = [
    ['many unknown fields', many((index) => [`n${index}`, 'x'], formBytes / 9)],
    ['many fields twice', many((index) => [`n${index % 700}`, 'x'], formBytes / 9)],
    ['a long name', [['n'.repeat(formBytes), 'x']]],
    ['a long name twice', many(() => ['n'.repeat(formBytes / 2 - 100), 'x'], 2)],
    ['control characters as a name twice', many(() => ['\u0001'.repeat(formBytes / 7), 'x'], 2)],
    ...body.fields.flatMap(([name]) =>
      ['a', '\u0001', '😀', ' '].map((unit): [string, [string, string][]] => {
        const times = formBytes / Buffer.byteLength(encodeURIComponent(unit)) / 1.2
        return [`${name} of ${JSON.stringify(unit)}`, [[name, unit.repeat(times)]]]
      }),
    ),
  ]
  return others.map(([name, more]) => {
    const kept = body.fields.filter(([other]) => more[0]?.[0] !== other)
    const fields = [...kept, ...more]
    return {
      name: `form: ${name}`,
      request: () => ({ ...request, body: { kind: 'form' as const, fields } }),
    }
  })
}
