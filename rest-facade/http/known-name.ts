import { z } from 'zod'

/**
 * The name in a schema of a place in a request, without the positions of lists: `calls.path` for `calls.3.path`.
 * Undefined if the schema has no such name, as for members of a record whose names a client chooses.
 */
export function knownName(schema: unknown, path: readonly PropertyKey[]): string | undefined {
  const names = namesIn(schema, path)
  return names && names.length > 0 ? names.join('.') : undefined
}

function namesIn(
  schema: unknown,
  [part, ...rest]: readonly PropertyKey[],
): readonly string[] | undefined {
  if (part === undefined) return []
  if (schema instanceof z.ZodObject) {
    const name = String(part)
    const below = Object.hasOwn(schema.shape, name) && namesIn(schema.shape[name], rest)
    return below ? [name, ...below] : undefined
  }
  if (schema instanceof z.ZodArray) {
    return /^\d+$/.test(String(part)) ? namesIn(schema.element, rest) : undefined
  }
  if (schema instanceof z.ZodUnion) {
    return firstOf(schema.options.map((option) => namesIn(option, [part, ...rest])))
  }
  if (schema instanceof z.ZodPipe) return namesIn(schema.in, [part, ...rest])
  const isWrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  return isWrapped ? namesIn(schema.unwrap(), [part, ...rest]) : undefined
}

function firstOf(found: readonly (readonly string[] | undefined)[]) {
  return found.find((names) => names !== undefined)
}

/** The keyword of JSON Schema for a rule of zod; `custom` for any other. */
export function ruleOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_union':
      return 'type'
    case 'unrecognized_keys':
      return 'additionalProperties'
    case 'invalid_value':
      return 'enum'
    case 'invalid_format':
      return issue.format === 'regex' ? 'pattern' : 'format'
    case 'not_multiple_of':
      return 'multipleOf'
    case 'too_small':
      return `min${measureOf(issue.origin)}`
    case 'too_big':
      return `max${measureOf(issue.origin)}`
    default:
      return 'custom'
  }
}

function measureOf(origin: string): string {
  if (origin === 'string') return 'Length'
  return origin === 'array' || origin === 'set' ? 'Items' : 'imum'
}
