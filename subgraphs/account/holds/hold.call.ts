/**
 * What a call is, as holds and charges keep it: one line, JSON of a list of these members, null where a
 * call has none. The process comes first, because charges are looked for by it.
 */
const members = [
  'processId',
  'ts',
  'method',
  'route',
  'service',
  'traceId',
  'backendModule',
  'keyId',
] as const

/** All that a usage-log entry needs, as the reservation named it. */
export function requestOf(endpoint: string, call: string): Record<string, unknown> {
  const values: unknown = JSON.parse(call)
  const list: readonly unknown[] = Array.isArray(values) ? values : []
  return {
    endpoint,
    ...Object.fromEntries(members.map((name, index) => [name, list[index] ?? null])),
  }
}
