import type { Finding } from '../report/finding.ts'

const file = 'schema/generated/openapi.json'

/** A syntax character behind a backslash, or a character by its number. */
const escaped = String.raw`\\[$()*+./?[\\\]^{|}]|\\x[0-9a-f]{2}`
/** A member of a class: `-` is one only behind a backslash. */
const member = String.raw`(?:[\w !"#%'*+,.:;<=>?@~]|\\-|${escaped})`
const count = String.raw`(?:\d{1,3}|1000)`

/** The parts of a pattern. A group is not counted, because RE2 limits the product of counts in counts. */
const part = new RegExp(
  [
    ...[String.raw`[\w !"#%&',/:;<=>@~-]`, escaped, String.raw`\\S`],
    String.raw`\[\^?(?:${member}(?:-${member})?)+\]`,
    ...['[|^$*+?]', String.raw`\((?!\?)|\(\?:`, String.raw`\)(?!\{)`],
    String.raw`\{${count}(?:,${count}?)?\}`,
  ].join('|'),
  'y',
)

/**
 * Why a language could fail to compile a pattern, or read it differently; null if none does. What is
 * permitted is listed in schema/README.md.
 */
export function patternProblem(pattern: string): string | null {
  part.lastIndex = 0
  for (let at = 0; at < pattern.length; at = part.lastIndex) {
    if (!part.test(pattern)) return `has what not every language compiles: ${pattern.slice(at)}`
  }
  for (const flag of ['u', 'v']) {
    try {
      new RegExp(pattern, flag)
    } catch (error) {
      return String(error)
    }
  }
  return null
}

interface Place {
  readonly pattern: string
  readonly format: string | undefined
  readonly pointer: string
}

/** Patterns that some language cannot compile, or that repeat a format. `openapi` is JSON. */
export function unportablePatterns(openapi: string): Finding[] {
  return [...patternsIn(JSON.parse(openapi), '#')].flatMap(({ pattern, format, pointer }) => {
    const problem = format === undefined ? patternProblem(pattern) : `repeats the format ${format}`
    if (problem === null) return []
    const message = `the pattern ${pattern} ${problem}`
    return [{ id: `openapi/pattern/${pointer}`, severity: 'error', file, message }]
  })
}

function* patternsIn(node: unknown, pointer: string): Generator<Place> {
  if (typeof node !== 'object' || node === null) return
  if ('pattern' in node && typeof node.pattern === 'string') {
    const format = 'format' in node && typeof node.format === 'string' ? node.format : undefined
    yield { pattern: node.pattern, format, pointer }
  }
  for (const [name, member] of Object.entries(node)) {
    // Values of examples are no schemas.
    if (name === 'example' || name === 'examples') continue
    yield* patternsIn(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    if (name !== 'patternProperties') continue
    for (const pattern of Object.keys(member)) yield { pattern, format: undefined, pointer }
  }
}
