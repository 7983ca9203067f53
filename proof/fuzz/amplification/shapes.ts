/** A value that is much work, or makes much text, where somebody goes through it carelessly. */
export interface Shape {
  readonly name: string
  /** Makes a value of about so many bytes as JSON; `usual` is what stands at its place in a valid body. */
  make(bytes: number, usual: unknown): unknown
}

/** Characters that take more bytes in an answer than they look like, and such that patterns go back on. */
const units: readonly (readonly [name: string, unit: string])[] = [
  ['letters', 'a'],
  ['control characters', '\u0001'],
  ['quotation marks', '"'],
  ['emoji', '😀'],
  ['halves of pairs', '\ud800'],
  ['spaces', ' '],
  ['digits', '1'],
  ['dots', 'a.'],
  ['addresses', 'a@'],
  ['slashes', '/'],
  ['percents', '%41'],
  ['colons', '1:'],
  ['words', 'a '],
  ['hyphens', '-'],
]

const texts: readonly Shape[] = units.map(([name, unit]) => ({
  name: `a long text of ${name}`,
  make: (bytes) => filled(unit, bytes),
}))

/** Lists are limited to 10,000 entries, and a body to 20,000 members. */
const mostEntries = 9_900
const mostMembers = 19_000

const lists: readonly Shape[] = [
  ...[null, {}, [], 'x', 1, ''].map((entry) => ({
    name: `a list of ${JSON.stringify(entry)}`,
    make: (bytes: number) => repeated(entry, bytes),
  })),
  {
    name: 'a list of what is usual there',
    make: (bytes, usual) => repeated(Array.isArray(usual) ? usual[0] : usual, bytes),
  },
  {
    name: 'a list of what is usual there with unknown members',
    make: (bytes, usual) => repeated(withUnknown(Array.isArray(usual) ? usual[0] : usual), bytes),
  },
  {
    name: 'a list of long texts',
    make: (bytes) => Array.from({ length: 100 }, () => filled('a', bytes / 100)),
  },
]

/** Records that keep the usual members, so that the rest of the object is looked at too. */
const records: readonly Shape[] = [
  ...(['letters', 'control characters', 'emoji', 'halves of pairs'] as const).map((name) => ({
    name: `a long name of ${name}`,
    make: (bytes: number, usual: unknown) => named(usual, [[filled(unitOf(name), bytes), null]]),
  })),
  ...[null, {}, 'x'].map((entry) => ({
    name: `a long name of a list of ${JSON.stringify(entry)}`,
    make(bytes: number, usual: unknown) {
      const list = repeated(entry, bytes / 8)
      return named(usual, [[filled('n', bytes - JSON.stringify(list).length), list]])
    },
  })),
  {
    // A name with such a character takes two bytes in memory for each of its characters, and the half of
    // a pair makes all of them be looked at.
    name: 'a long name of a list, beside half of a pair',
    make(bytes, usual) {
      const list = repeated(1, bytes / 8)
      const name = `${filled('n', bytes - JSON.stringify(list).length)}Ā`
      return named(usual, [
        [name, list],
        ['half', '\ud800'],
      ])
    },
  },
  ...[8, 150, 1000].flatMap((length) =>
    (['letters', 'control characters'] as const).map((name) => ({
      name: `many names of ${length} ${name}`,
      make: (bytes: number, usual: unknown) => named(usual, manyNames(length, unitOf(name), bytes)),
    })),
  ),
  {
    name: 'a hundred names of lists',
    make: (bytes, usual) =>
      named(
        usual,
        Array.from({ length: 100 }, (_, index) => [
          `${index}${'n'.repeat(120)}`,
          repeated(null, bytes / 100).slice(0, 180),
        ]),
      ),
  },
  { name: 'long names around each other', make: (bytes) => nested(bytes) },
]

export const shapes: readonly Shape[] = [...texts, ...lists, ...records]

function unitOf(name: string): string {
  return units.find(([other]) => other === name)?.[1] ?? 'a'
}

/** A text that takes about so many bytes as JSON. */
export function filled(unit: string, bytes: number): string {
  const size = Buffer.byteLength(JSON.stringify(unit)) - 2
  return unit.repeat(Math.max(1, Math.floor(bytes / size)))
}

function repeated(entry: unknown, bytes: number): unknown[] {
  const size = JSON.stringify(entry ?? null).length + 1
  const members = 1 + Object.keys(Object(entry)).length
  const length = Math.min(bytes / size, mostEntries, mostMembers / members)
  return Array.from({ length: Math.max(1, Math.floor(length)) }, () => entry)
}

function withUnknown(value: unknown): unknown {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return { ...(isRecord ? value : {}), surprise: 1, another: 2 }
}

/** Adds members to a value, without assignment, because `__proto__` is a member like any other. */
function named(usual: unknown, members: readonly (readonly [string, unknown])[]): unknown {
  const isRecord = typeof usual === 'object' && usual !== null && !Array.isArray(usual)
  return Object.fromEntries([...Object.entries(isRecord ? usual : {}), ...members])
}

function manyNames(length: number, unit: string, bytes: number) {
  const name = filled(unit, length)
  const size = Buffer.byteLength(JSON.stringify(name)) + 12
  const count = Math.min(mostMembers, Math.floor(bytes / size))
  return Array.from({ length: count }, (_, index) => [`${name}${index}`, null] as const)
}

function nested(bytes: number): unknown {
  const levels = 60
  const name = 'n'.repeat(Math.floor((bytes * 0.9) / levels))
  let value: unknown = repeated(null, bytes / 10)
  for (let level = 0; level < levels; level += 1) value = { [name]: value }
  return value
}
