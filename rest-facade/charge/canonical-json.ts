/**
 * JSON whose members have one order, whatever the order in which they were sent. Its hashes are
 * kept as long as answers are, so every build must write the same text: integers first, by their
 * value, as JavaScript lists the members of an object, then all other names by their code units.
 *
 * The value was parsed from JSON or from a query and has passed its schema, so it is no deeper than
 * that.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value)
  if (members.length > 1) members.sort(([a], [b]) => compareNames(a, b))
  const texts = members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${texts.join(',')}}`
}

function compareNames(a: string, b: string): number {
  const [first, second] = [isIndex(a), isIndex(b)]
  if (first && second) return Number(a) - Number(b)
  if (first !== second) return first ? -1 : 1
  return a < b ? -1 : 1
}

/** Whether JavaScript takes a name for an integer (an array index of the language's specification). */
function isIndex(name: string): boolean {
  return /^(0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32 - 1
}
