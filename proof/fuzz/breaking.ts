import fc from 'fast-check'
import type { ApiOperation } from '../../test/support/conformity/api-document.ts'
import type { FuzzBody, FuzzRequest, Pairs } from './requests.ts'
import { isRecord } from './schema-values.ts'

/** One change of a request; `where` chooses one of the possible places. */
export interface Break {
  readonly part: 'path' | 'query' | 'body' | 'whole body'
  readonly where: number
  readonly how: 'replace' | 'remove' | 'add' | 'repeat' | 'lengthen'
  readonly name: string
  readonly value: unknown
  readonly text: string
}

/** Values that are right as JSON; hardly a field may have all of them. */
const values: readonly unknown[] = [
  ...[null, true, false, 0, -1, -0, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324],
  ...[
    '',
    ' ',
    '\t',
    '0',
    '-1',
    '1e3',
    '0x10',
    'true',
    'null',
    'undefined',
    'NaN',
    '[object Object]',
  ],
  ...[
    '\u0000',
    'a\u0000b',
    '\ud800',
    'a\udfff',
    '\u202e',
    '\ufeff',
    '😀'.repeat(60),
    'é'.repeat(101),
  ],
  ...[
    "'; DROP TABLE account; --",
    '#{7*7}',
    '{{7*7}}',
    '%00',
    '../../etc/passwd',
    '<script>',
    '__proto__',
  ],
  ...[
    '2026-02-30T00:00:00Z',
    '2026-01-01',
    '9999-12-31T23:59:59-23:59',
    '+275760-09-13T00:00:00.000Z',
  ],
  ...[
    'http://',
    'javascript:alert(1)',
    'https://user:pass@host/#x',
    '::ffff:0:0/129',
    '0.0.0.0/33',
  ],
  ...[
    [],
    [null],
    [[]],
    [{}],
    ['a', 'a'],
    {},
    { a: {} },
    { length: 1 },
    { toString: 1 },
    { $ref: '#' },
  ],
]

const names = [
  ...['surprise', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length'],
  ...[
    'account_id',
    'balance',
    'tier',
    'scope[]',
    'a.b',
    'a/b',
    '~',
    ' ',
    '$where',
    'ID',
    'é',
    '😀',
  ],
  ...['x'.repeat(300), 'null', '0', '-1', 'once', 'accountId', 'environment'],
]

const texts = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '201',
    '1.5',
    '1e1',
    '0x10',
    '+5',
    '05',
    '99999999999999999999',
    'NaN',
    'abc',
  ],
  ...[
    'null',
    'true',
    '[]',
    '{}',
    '\u0000',
    '\ufffd',
    '漢',
    '%',
    '%00',
    '%ff',
    'a,b',
    'x'.repeat(2000),
  ],
  ...['2026-13-01T00:00:00Z', '2026-01-01', 'now()', "' OR 1=1 --", '6xx', 'surprise', '..', '😀'],
]

/** Bodies that are no JSON, or none that a body may be. */
const rawBodies: readonly (readonly [type: string, text: string])[] = [
  ...[
    '{',
    '}',
    '{"a":',
    '[',
    '"',
    'nul',
    '{"a":1,}',
    "{'a':1}",
    '{"a":NaN}',
    '\ufeff{}x',
    '{}{}',
    '\u0000',
    'undefined',
  ].map((text) => ['application/json', text] as const),
  ...['[]', '1', '"a"', 'true', '[{}]', '0'].map((text) => ['application/json', text] as const),
]

/** Changes of what the operation reads; of its query also where it reads none. */
export function breaksOf({ requestBody, parameters }: ApiOperation): fc.Arbitrary<Break> {
  const hasPath = parameters.some((parameter) => parameter.in === 'path')
  const parts: readonly (readonly [Break['part'], number])[] = [
    ['query', 4],
    ['path', hasPath ? 2 : 0],
    ['body', requestBody ? 10 : 0],
    ['whole body', requestBody ? 1 : 0],
  ]
  return fc.record({
    part: fc.oneof(...parts.map(([part, weight]) => ({ arbitrary: fc.constant(part), weight }))),
    where: fc.nat(200),
    how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'repeat', 'lengthen'),
    name: fc.oneof(fc.constantFrom(...names), fc.string({ minLength: 1, maxLength: 12 })),
    value: fc.oneof(
      { arbitrary: fc.constantFrom(...values), weight: 4 },
      { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 },
    ),
    text: fc.oneof(fc.constantFrom(...texts), fc.string({ maxLength: 12 })),
  })
}

/** The request with this change, where there is a place for it. */
export function applyBreak(
  operation: ApiOperation,
  request: FuzzRequest,
  change: Break,
): FuzzRequest {
  switch (change.part) {
    case 'path':
      return { ...request, path: changePath(request.path, change) }
    case 'query':
      return { ...request, query: changePairs(request.query, change, queryNames(operation)) }
    case 'whole body':
      return { ...request, body: changeWhole(operation, request.body, change) }
    case 'body':
      return { ...request, body: changeBody(request.body, change) }
  }
}

function queryNames({ parameters }: ApiOperation): string[] {
  return parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
}

function changePath(path: FuzzRequest['path'], { where, text }: Break): FuzzRequest['path'] {
  const name = pick(Object.keys(path), where)
  // An empty segment or `..` would be another path.
  if (name === undefined || text === '' || text === '..' || text === '.') return path
  return { ...path, [name]: { kind: 'text', text } }
}

/** Only fields that are known are given a wrong value; `add` brings others. */
function changePairs(pairs: Pairs, change: Break, knownNames: readonly string[]): Pairs {
  const { where, how, name, text } = change
  const field = pick(knownNames, where)
  if (how === 'add' || field === undefined) return [...pairs, [name, text]]
  const others = pairs.filter(([other]) => other !== field)
  if (how === 'remove') return others
  if (how === 'repeat') return [...others, [field, text], [field, text]]
  return [...others, [field, how === 'lengthen' ? 'x'.repeat(2000) : text]]
}

function changeWhole({ requestBody }: ApiOperation, body: FuzzBody, { where }: Break): FuzzBody {
  const readsJson = Object.keys(requestBody?.content ?? {}).includes('application/json')
  const [type = '', text = ''] = pick(rawBodies, where) ?? []
  return readsJson ? { kind: 'raw', type, text } : body
}

function changeBody(body: FuzzBody, change: Break): FuzzBody {
  if (body.kind === 'form') {
    return {
      ...body,
      fields: changePairs(
        body.fields,
        change,
        body.fields.map(([name]) => name),
      ),
    }
  }
  if (body.kind !== 'json') return body
  const places = placesOf(body.value)
  const place = pick(places, change.where) ?? []
  const value = changeAt(body.value, place, (here) => changeHere(here, change), change.how)
  return { ...body, value }
}

type Step = string | number

/** The places of a value and of everything in it, the whole first. */
export function placesOf(value: unknown, path: readonly Step[] = []): (readonly Step[])[] {
  const children: [Step, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : isRecord(value)
      ? Object.entries(value)
      : []
  return [path, ...children.flatMap(([step, child]) => placesOf(child, [...path, step]))]
}

/** A copy of the value with what stands at a place replaced, or removed. */
export function changeAt(
  value: unknown,
  [step, ...rest]: readonly Step[],
  replace: (here: unknown) => unknown,
  how?: Break['how'],
): unknown {
  if (step === undefined) return replace(value)
  const isRemoved = how === 'remove' && rest.length === 0
  if (Array.isArray(value)) {
    if (isRemoved) return value.toSpliced(Number(step), 1)
    return value.with(Number(step), changeAt(value[Number(step)], rest, replace, how))
  }
  const entries = Object.entries(Object(value))
  if (isRemoved) return Object.fromEntries(entries.filter(([name]) => name !== step))
  return Object.fromEntries(
    entries.map(([name, child]) => [
      name,
      name === step ? changeAt(child, rest, replace, how) : child,
    ]),
  )
}

function changeHere(value: unknown, { how, name, value: other, text }: Break): unknown {
  if (how === 'lengthen' && typeof value === 'string') return value + 'x'.repeat(5000)
  if (how === 'lengthen' && Array.isArray(value)) return [...value, ...Array(40).fill(text)]
  if (how === 'repeat' && Array.isArray(value)) return [...value, ...value]
  // The member is not assigned, because `__proto__` is to be a member like any other.
  if (isRecord(value)) return Object.fromEntries([...Object.entries(value), [name, other]])
  return other
}

function pick<T>(all: readonly T[], where: number): T | undefined {
  return all[where % Math.max(1, all.length)]
}
