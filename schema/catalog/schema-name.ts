type Schema = Readonly<Record<string, unknown>>

const choices = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const conditions = ['if', 'then', 'else'] as const

/**
 * The name in a JSON Schema of a place in a value, without the positions of lists: `contacts.email` for
 * `contacts.3.email`. Undefined if the schema has no such name, as for members of a record whose names a client
 * chooses.
 */
export function nameInSchema(schema: unknown, path: readonly string[]): string | undefined {
  const names = namesIn(schema, path)
  return names && names.length > 0 ? names.join('.') : undefined
}

function namesIn(schema: unknown, path: readonly string[]): readonly string[] | undefined {
  const [part, ...rest] = path
  if (part === undefined) return []
  if (!isSchema(schema)) return undefined
  const { properties, items } = schema
  if (isSchema(properties) && Object.hasOwn(properties, part)) {
    const below = namesIn(properties[part], rest)
    if (below) return [part, ...below]
  }
  if (items !== undefined && /^\d+$/.test(part)) {
    const below = namesIn(items, rest)
    if (below) return below
  }
  const isPosition = schema.prefixItems !== undefined && /^\d+$/.test(part)
  const inside = [
    ...choices.flatMap((name) => {
      const list = schema[name]
      const left = name === 'prefixItems' && isPosition ? rest : path
      return Array.isArray(list) ? list.map((one: unknown) => [one, left] as const) : []
    }),
    ...conditions.map((name) => [schema[name], path] as const),
  ]
  for (const [one, left] of inside) {
    const found = namesIn(one, left)
    if (found) return found
  }
  return undefined
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
