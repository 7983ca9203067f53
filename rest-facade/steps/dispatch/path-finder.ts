import createRouter from 'find-my-way'

/** What was added for a path. */
interface Found<Value> {
  readonly value: Value
  /** The placeholders of the path, by name, decoded. */
  readonly params: Record<string, string>
}

/** Finds what was added for the path of a request. */
export interface PathFinder<Value> {
  /**
   * `path` is written as Express writes it. A placeholder is a whole segment, or all of it but an
   * ending such as `.pdf`.
   */
  add(path: string, value: Value): void
  /** The path as the request has it, without its query. Throws a URIError if it cannot be decoded. */
  find(path: string): Found<Value> | null
}

/**
 * find-my-way with the rules of Express: only placeholders are decoded and none is empty. A fixed
 * segment comes before a placeholder with an ending, and that before one without.
 */
export function createPathFinder<Value>(): PathFinder<Value> {
  const options = { maxParamLength: Number.POSITIVE_INFINITY, querystringParser: noQuery }
  const router = createRouter(options).compile()

  return {
    add(path, value) {
      requireKnownShape(path)
      // One tree has the paths of all methods: a method that a path lacks is not sought at another.
      router.on('GET', path.replaceAll(/(:[a-z_]+)(?=\.)/g, '$1(.+)'), notCalled, value)
    },
    find(path) {
      const isEncoded = path.includes('%')
      // Escaped like this, the encoding of the path is left to the loop below.
      const found = router.find('GET', isEncoded ? path.replaceAll('%', '%25') : path)
      // The library takes a path such as `*` for the root.
      if (!found || !path.startsWith('/')) return null
      const params = found.params as Record<string, string>
      for (const name in params) {
        const text = params[name]
        if (!text) return null
        if (isEncoded) params[name] = decodeURIComponent(text)
      }
      return { value: found.store, params }
    },
  }
}

/** The path has none. */
function noQuery() {
  return {}
}

/** Handlers are called by who found them. */
function notCalled(): void {}

/** The library knows more kinds of patterns, which mean something else to Express. */
function requireKnownShape(path: string): void {
  if (/^(\/:[a-z_]+(\.[a-z]+)?|\/[^:*(){}[\]?+!\\/]*)+$/.test(path)) return
  throw new Error(`${path} has another form than fixed segments and placeholders.`)
}
