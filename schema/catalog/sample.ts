import { createHash } from 'node:crypto'

type Schema = Readonly<Record<string, unknown>>
type Fields = Readonly<Record<string, unknown>>

export interface SampleOptions {
  /** The seed: different seeds give different samples, and equal seeds the same sample. */
  readonly seed: string
  /** The request: the answer repeats its members of the same name and type. */
  readonly given: Fields
  /** The length of a list; the schema may allow fewer. */
  readonly length: number
}

/**
 * Makes an answer from a response schema and its examples, the same for the same request. Examples
 * are used in rotation, in an object with an id always the same for the same id; an id with a pattern such as
 * `^con_[0-9a-f]{16}$` is derived from the request.
 */
export function sample(schema: Schema, { seed, given, length }: SampleOptions): unknown {
  return sampleAt(schema, { path: '', name: '', position: pick(seed, 1000) })

  interface Place {
    readonly path: string
    readonly name: string
    readonly position: number
  }

  function sampleAt(node: Schema, { path, name, position }: Place): unknown {
    const asked = given[name]
    if (name !== '' && isOfType(asked, node.type) && !path.includes('[')) return asked
    const values = node.enum ?? node.examples
    if (node.type === 'object') return sampleObject(node, { path, name, position })
    if (node.type === 'array') return sampleArray(node, { path, name, position })
    const prefix = idPrefix(node.pattern)
    if (prefix) return newSampleId(prefix, `${seed}${path}`)
    if (Array.isArray(values) && values.length > 0) {
      // The first value of an enum is the initial state; examples are used in rotation.
      return node.enum ? values[0] : values[position % values.length]
    }
    return node.type === 'boolean' ? true : 0
  }

  function sampleObject(node: Schema, { path, position }: Place): Fields {
    const properties = schemasOf(node.properties)
    const member = (name: string, at: number) =>
      sampleAt(properties[name] ?? {}, { path: `${path}/${name}`, name, position: at })
    const idName = Object.keys(properties).find((name) => name.endsWith('_id'))
    const at = idName === undefined ? position : pick(String(member(idName, position)), 1000)
    return Object.fromEntries(Object.keys(properties).map((name) => [name, member(name, at)]))
  }

  function sampleArray(node: Schema, { path, name, position }: Place): unknown[] {
    const asked = given[name]
    if (Array.isArray(asked)) return asked
    const most = typeof node.maxItems === 'number' ? node.maxItems : length
    const item = schemaOf(node.items)
    return Array.from({ length: Math.min(length, most) }, (_, index) =>
      sampleAt(item, { path: `${path}[${index}]`, name: '', position: position + index }),
    )
  }
}

/** An id whose second half follows from its first, so that every process knows which ids samples have. */
function newSampleId(prefix: string, seed: string): string {
  const first = hex(seed).slice(0, 8)
  return `${prefix}${first}${hex(`${prefix}${first}`).slice(0, 8)}`
}

/** Whether a sample may have had this id; null if it has not even the form of such an id. */
export function isSampleId(id: string): boolean | null {
  const [, prefix, first = '', second = ''] = /^([a-z]+_)([0-9a-f]{8})([0-9a-f]{8})$/.exec(id) ?? []
  return prefix === undefined ? null : hex(`${prefix}${first}`).startsWith(second)
}

function isOfType(value: unknown, type: unknown): boolean {
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
}

function idPrefix(pattern: unknown): string | undefined {
  return typeof pattern === 'string'
    ? /^\^([a-z]+_)\[0-9a-f\]\{16\}\$$/.exec(pattern)?.[1]
    : undefined
}

function schemasOf(value: unknown): Readonly<Record<string, Schema>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function schemaOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function pick(seed: string, below: number): number {
  return Number.parseInt(hex(seed).slice(0, 8), 16) % below
}
