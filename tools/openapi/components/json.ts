/** A JSON object, such as a JSON Schema 2020-12 or a part of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of an object; no members for any other value. */
export function membersOf(value: unknown): Json {
  return isJson(value) ? value : {}
}

/** Removes the members that are undefined. */
export function compact(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}

/** Makes `TrackedKeyword` of `tracked_keyword`, `trackedKeyword` or `tracked-keyword`. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** Makes `getAccount` of `GetAccount`. */
export function camelCase(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** The schema that allows null too. */
export function orNull(schema: Json): Json {
  const { type, description, ...others } = schema
  if (typeof type === 'string' && !('enum' in schema) && !('const' in schema)) {
    return compact({ type: [type, 'null'], description, ...others })
  }
  return { anyOf: [schema, { type: 'null' }] }
}
