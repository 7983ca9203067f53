type Schema = Readonly<Record<string, unknown>>

/**
 * The most entries of a list whose schema states none. A body has at most 10,000 entries in one list
 * (docs/contract.md §7).
 */
const usualItems = 1000
/** The limits of a record whose names a client chooses, unless its schema states its own. */
const usualMembers = { maxProperties: 100, propertyNames: { maxLength: 128 } }

const maps = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])
const plain = new Set(['const', 'enum', 'default', 'examples'])

/** The schema with a size for each list and each record that could have thousands of checked entries. */
export function withSizes(schema: Schema): Schema {
  return changed(schema, (one) => ({
    ...(isCheckedList(one) ? { maxItems: usualItems } : {}),
    ...(isCheckedRecord(one) ? usualMembers : {}),
    ...one,
  }))
}

/**
 * The schema in a form in which ajv looks at sizes first. Otherwise ajv would look at every entry of a list
 * that is too long: one problem for each, and a comparison of each pair where they must differ.
 */
export function sizesFirst(schema: Schema): Schema {
  return changed(schema, (one) => {
    if (isCheckedList(one)) {
      const { items, prefixItems, contains, uniqueItems, ...rest } = one
      return after(rest, ['maxItems'], { items, prefixItems, contains, uniqueItems })
    }
    if (!isCheckedRecord(one)) return one
    const { properties, patternProperties, additionalProperties, required, ...rest } = one
    const members = { properties, patternProperties, additionalProperties, required }
    return after(rest, ['maxProperties', 'propertyNames'], members)
  })
}

function after(rest: Schema, sizes: readonly string[], checks: Schema): Schema {
  const given = Object.entries(checks).filter(([, value]) => value !== undefined)
  const limits = Object.fromEntries(sizes.map((name) => [name, rest[name]]))
  const checked = { if: { not: limits }, else: Object.fromEntries(given) }
  return { ...rest, allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), checked] }
}

function isCheckedList(schema: Schema): boolean {
  return 'items' in schema || 'uniqueItems' in schema || 'contains' in schema
}

function isCheckedRecord({ additionalProperties, patternProperties }: Schema): boolean {
  return typeof additionalProperties === 'object' || patternProperties !== undefined
}

/** Changes a schema and every schema in it, the innermost first. */
function changed(schema: Schema, change: (one: Schema) => Schema): Schema {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside)
    return isSchema(value) ? changed(value, change) : value
  }
  const members = Object.entries(schema).map(([name, value]) => {
    if (plain.has(name)) return [name, value]
    if (!maps.has(name) || !isSchema(value)) return [name, inside(value)]
    const named = Object.entries(value).map(([key, one]) => [key, inside(one)])
    return [name, Object.fromEntries(named)]
  })
  return change(Object.fromEntries(members))
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
