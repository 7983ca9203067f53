/**
 * The member of a GraphQL error's `extensions` that has the internal text of an expected failure: what its log
 * line says beside the public message, such as the limit, the row or the service that was the reason. It never
 * has a secret. JSON leaves out a member whose name is a symbol, so no client of GraphQL can get it.
 */
const internalText = Symbol('internal text')

/** The name of the member between two processes of a gateway. Only requests that one of them has sealed get it. */
const internalTextOnWire = 'internal_text'

/** The internal text of an error with these extensions, if it has one. */
export function internalTextOf(extensions: object | undefined): string | undefined {
  const text = extensions && Reflect.get(extensions, internalText)
  return typeof text === 'string' ? text : undefined
}

/** The member for extensions: none without a text. */
export function internalTextIn(text: string | undefined): { readonly [internalText]?: string } {
  return text === undefined ? {} : { [internalText]: text }
}

/** Names the internal text so that JSON keeps it. */
export function withTextOnWire<Given extends object>(extensions: Given): Given {
  const text = internalTextOf(extensions)
  return text === undefined ? extensions : { ...extensions, [internalTextOnWire]: text }
}

/** What `withTextOnWire` was given. */
export function withoutTextOnWire(
  extensions: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const { [internalTextOnWire]: text, ...others } = extensions
  return text === undefined ? others : { ...others, [internalText]: text }
}
