import fc from 'fast-check'
import type { ApiDocument, JsonSchema } from '../../test/support/conformity/api-document.ts'

type Values = fc.Arbitrary<unknown>
type ValuesOf = (schema: unknown) => Values

/** Longer texts and lists show nothing new and take time. */
const longest = 300
const mostItems = 6

/**
 * Values that a schema of the document allows, its examples among them. Where a schema says more
 * than is read here, such as two patterns of one text, the caller has to filter.
 */
export function schemaValues(document: ApiDocument): ValuesOf {
  const known = new Map<unknown, Values>()
  const make = (given: unknown): Values => {
    const schema = merged(document, given)
    const { examples, example } = schema
    const shown = Array.isArray(examples) ? examples : example === undefined ? [] : [example]
    const made = madeOf(schema, valuesOf)
    return shown.length === 0 ? made : fc.oneof(fc.constantFrom(...shown), made)
  }
  const valuesOf: ValuesOf = (given) => {
    const schema = document.resolve(given)
    const values = known.get(schema) ?? make(schema)
    known.set(schema, values)
    return values
  }
  return valuesOf
}

/** The schema with references resolved and its parts merged, patterns as a list. */
function merged(document: ApiDocument, given: unknown): JsonSchema {
  const schema = document.resolve(given)
  if (!isRecord(schema)) return {}
  const { allOf, ...own } = schema
  const patterns = own.pattern === undefined ? [] : [own.pattern]
  const whole: Record<string, unknown> = { ...own, patterns }
  for (const part of Array.isArray(allOf) ? allOf : []) {
    const { properties, required, patterns: more = [], ...rest } = merged(document, part)
    Object.assign(whole, rest)
    whole.patterns = [...list(whole.patterns), ...list(more)]
    if (properties) whole.properties = { ...Object(whole.properties), ...properties }
    if (required) whole.required = [...list(whole.required), ...list(required)]
  }
  return whole
}

function madeOf(schema: JsonSchema, valuesOf: ValuesOf): Values {
  const branches = schema.anyOf ?? schema.oneOf
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  if (Array.isArray(branches)) return fc.oneof(...branches.map(valuesOf))
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  return fc.oneof(...types.map((type) => ofType(String(type), schema, valuesOf)))
}

function ofType(type: string, schema: JsonSchema, valuesOf: ValuesOf): Values {
  switch (type) {
    case 'string':
      return texts(schema)
    case 'integer':
      return integers(schema)
    case 'number':
      return fc.double({ ...numberBounds(schema), noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return arrays(schema, valuesOf)
    case 'object':
      return objects(schema, valuesOf)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function numberBounds({ minimum, maximum }: JsonSchema) {
  return { min: numberOr(minimum, -1e6), max: numberOr(maximum, 1e6) }
}

function integers(schema: JsonSchema): Values {
  const min = numberOr(schema.minimum ?? plusOne(schema.exclusiveMinimum, 1), -(2 ** 31))
  const max = numberOr(schema.maximum ?? plusOne(schema.exclusiveMaximum, -1), 2 ** 31)
  // `fc.integer` would end at 32 bits.
  return fc.bigInt({ min: BigInt(min), max: BigInt(max) }).map(Number)
}

function plusOne(bound: unknown, step: 1 | -1): number | undefined {
  return typeof bound === 'number' ? bound + step : undefined
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

/** Characters beside letters that one place accepts and another may break on. */
const peculiar = [
  'é',
  'ß',
  '漢',
  '😀',
  '\u202e',
  '\u0301',
  "'",
  '"',
  '\\',
  '<',
  '%',
  '{',
  '$',
  '\t',
  '\n',
]

const madeTexts = new Map<string, Values>()

/** Each once: fast-check reckons with many odd texts whenever it makes an arbitrary of them. */
function texts({ minLength, maxLength, format, patterns }: JsonSchema): Values {
  const schema = { minLength, maxLength, format, patterns }
  const key = JSON.stringify(schema)
  const values = madeTexts.get(key) ?? newTexts(schema)
  madeTexts.set(key, values)
  return values
}

function newTexts(schema: JsonSchema): Values {
  const minLength = numberOr(schema.minLength, 0)
  const maxLength = Math.max(minLength, Math.min(numberOr(schema.maxLength, longest), longest))
  const format = formats[String(schema.format)]
  if (format) return format
  const unit = fc.oneof(
    { arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }), weight: 9 },
    { arbitrary: fc.constantFrom(...peculiar), weight: 1 },
  )
  const plain = fc.string({ unit, minLength, maxLength, size: 'small' })
  const [pattern, ...others] = list(schema.patterns)
    .map(String)
    .filter((source) => !isLoose(source))
  const fits = (text: string) =>
    Array.from(text).length >= minLength &&
    Array.from(text).length <= numberOr(schema.maxLength, Number.POSITIVE_INFINITY) &&
    others.every((source) => new RegExp(source, 'u').test(text))
  return pattern === undefined ? plain : matching(pattern, plain).filter(fits)
}

/** Most texts fit it. */
function isLoose(source: string): boolean {
  const samples = ['a', 'a b', 'é漢', "x'y", '1', 'A-b_c.d']
  return samples.every((sample) => new RegExp(source, 'u').test(sample))
}

/** What fast-check cannot read, such as classes of Unicode, is tried. */
function matching(source: string, plain: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const pattern = new RegExp(source, 'u')
  try {
    return fc.stringMatching(pattern, { size: 'small' })
  } catch {
    return plain.filter((text) => pattern.test(text))
  }
}

const instants = fc
  .date({ min: new Date('1971-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())

/** The rests of addresses. `fc.webUrl` takes a second to list every character with its escape. */
const uriRests = fc.stringMatching(
  /^(\/([\w.~!$&'()*+,;=:@-]|%[2-7][0-9A-F])*){0,4}(\?([\w.~!$&'()*+,;=:@/?-]|%C3%A9){0,9})?$/,
)

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': fc.oneof(
    instants,
    instants.map((text) => text.replace(/\.\d+Z$/, '+02:00')),
  ),
  date: instants.map((text) => text.slice(0, 10)),
  uri: fc.tuple(fc.domain(), uriRests).map(([host, rest]) => `https://${host}${rest}`),
  email: fc.constantFrom('ada@example.com', 'a+b@mail.example.org'),
  hostname: fc.domain(),
  uuid: fc.uuid(),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
}

function arrays(schema: JsonSchema, valuesOf: ValuesOf): Values {
  const { items, prefixItems } = schema
  if (Array.isArray(prefixItems)) return fc.tuple(...prefixItems.map(valuesOf))
  const minLength = numberOr(schema.minItems, 0)
  const maxLength = Math.min(numberOr(schema.maxItems, mostItems), minLength + mostItems)
  const item = valuesOf(items ?? {})
  if (schema.uniqueItems !== true) return fc.array(item, { minLength, maxLength })
  return fc.uniqueArray(item, { minLength, maxLength, selector: (value) => JSON.stringify(value) })
}

function objects(schema: JsonSchema, valuesOf: ValuesOf): Values {
  const properties = Object.entries(isRecord(schema.properties) ? schema.properties : {})
  const members = Object.fromEntries(properties.map(([name, child]) => [name, valuesOf(child)]))
  const requiredKeys = list(schema.required).map(String)
  return fc.record(members, { requiredKeys, noNullPrototype: true })
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
