/** The row for a method and a path. */
export interface Found<Value> {
  readonly value: Value
  /** The placeholders of the path, by name. */
  readonly params: Readonly<Record<string, string>>
}

/** Finds the value of a method and a path without trying one pattern after the other. */
export interface RowFinder<Value> {
  /**
   * `path` is written as Express writes it. A placeholder is a whole segment, or all of it but an ending
   * such as `.pdf`.
   */
  add(method: string, path: string, value: Value): void
  /**
   * Null: Express decides. It knows HEAD, methods that a path does not have, encoded placeholders
   * and everything else that is rare.
   */
  find(method: string, path: string): Found<Value> | null
  /** Finds encoded placeholders too, and leaves them encoded. Null: no pattern has this method. */
  match(method: string, path: string): Found<Value> | null
}

/** All patterns that share the segments so far. */
interface Node<Value> {
  readonly fixed: Map<string, Node<Value>>
  /** Placeholders with an ending, by the ending of their segment. */
  readonly endings: Map<string, Node<Value>>
  placeholder: Node<Value> | null
  end: End<Value> | null
}

/** The end of one pattern. */
interface End<Value> {
  readonly names: readonly string[]
  readonly byMethod: Map<string, Value>
}

const noParams: Readonly<Record<string, string>> = Object.freeze({})

export function createRowFinder<Value>(): RowFinder<Value> {
  const fixed = new Map<string, Map<string, Value>>()
  const root: Node<Value> = createNode()

  function addPattern(method: string, path: string, value: Value): void {
    const names: string[] = []
    let node = root
    for (const segment of path.split('/')) {
      if (segment.startsWith(':')) names.push(segment.slice(1).replace(ending, ''))
      node = childOf(node, segment)
    }
    node.end ??= { names, byMethod: new Map() }
    node.end.byMethod.set(method, value)
  }

  function matchPattern(method: string, path: string): Found<Value> | null {
    const taken: string[] = []
    const end = endOf(root, path.split('/'), 0, taken)
    const value = end?.byMethod.get(method)
    if (!end || value === undefined) return null
    const params: Record<string, string> = Object.create(null)
    for (const [index, name] of end.names.entries()) params[name] = taken[index] ?? ''
    return { value, params }
  }

  function match(method: string, path: string): Found<Value> | null {
    // A fixed path comes before every placeholder that would match it.
    const byMethod = fixed.get(path)
    if (!byMethod) return matchPattern(method, path)
    const value = byMethod.get(method)
    return value === undefined ? null : { value, params: noParams }
  }

  return {
    match,
    add(method, path, value) {
      requireKnownShape(path)
      if (path.includes(':')) return addPattern(method, path, value)
      const byMethod = fixed.get(path) ?? new Map<string, Value>()
      fixed.set(path, byMethod.set(method, value))
    },
    find(method, path) {
      // Express decodes placeholders, and refuses those that cannot be decoded.
      return path.includes('%') ? null : match(method, path)
    },
  }
}

function createNode<Value>(): Node<Value> {
  return { fixed: new Map(), endings: new Map(), placeholder: null, end: null }
}

/** The rest of a segment, after its placeholder. */
const ending = /\.[a-z]+$/

function childOf<Value>(node: Node<Value>, segment: string): Node<Value> {
  const [suffix] = ending.exec(segment) ?? []
  if (segment.startsWith(':') && suffix === undefined) {
    node.placeholder ??= createNode()
    return node.placeholder
  }
  const [children, key] =
    segment.startsWith(':') && suffix !== undefined ? [node.endings, suffix] : [node.fixed, segment]
  const child = children.get(key) ?? createNode()
  children.set(key, child)
  return child
}

/**
 * The first pattern that matches. At each segment, a fixed one comes first, then a placeholder with an
 * ending, then one without.
 */
function endOf<Value>(
  node: Node<Value>,
  segments: readonly string[],
  index: number,
  taken: string[],
): End<Value> | null {
  const segment = segments[index]
  if (segment === undefined) return node.end
  const child = node.fixed.get(segment)
  const found = child ? endOf(child, segments, index + 1, taken) : null
  if (found || segment === '') return found
  for (const [suffix, behind] of node.endings) {
    if (segment.length === suffix.length || !segment.endsWith(suffix)) continue
    const matched = endBehind(behind, segments, index, segment.slice(0, -suffix.length), taken)
    if (matched) return matched
  }
  return node.placeholder && endBehind(node.placeholder, segments, index, segment, taken)
}

/** As `endOf`, behind a placeholder that stands for `text`. */
function endBehind<Value>(
  node: Node<Value>,
  segments: readonly string[],
  index: number,
  text: string,
  taken: string[],
): End<Value> | null {
  taken.push(text)
  const matched = endOf(node, segments, index + 1, taken)
  if (!matched) taken.pop()
  return matched
}

/** Express knows more kinds of patterns. One that is not known here could match first there. */
function requireKnownShape(path: string): void {
  if (/^(\/:[a-z_]+(\.[a-z]+)?|\/[^:*(){}[\]?+!\\/]*)+$/.test(path)) return
  throw new Error(`${path} has another form than fixed segments and placeholders.`)
}
