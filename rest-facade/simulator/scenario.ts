/** What a sandbox caller asks the simulator to do (contract §9). */
export type Scenario =
  | { readonly kind: 'ok' | 'empty' | 'reset' | 'insufficient_credits' }
  | { readonly kind: 'slow'; readonly durationMs: number }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'units'; readonly units: number }

export const scenarioHeader = 'X-Sandbox-Scenario'

/** What the header may say, for the message of a 422. */
export const scenarioForms =
  'ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits'

const maxSlowMs = 60_000
const maxUnits = 100_000

/** Null when the header says nothing that the simulator knows. */
export function parseScenario(header: string): Scenario | null {
  const [kind = '', text, ...rest] = header.trim().split('=')
  if (rest.length > 0) return null
  if (text === undefined) return isPlain(kind) ? { kind } : null
  if (!/^\d{1,6}$/.test(text)) return null
  const number = Number(text)
  if (kind === 'slow' && number <= maxSlowMs) return { kind, durationMs: number }
  if (kind === 'status' && number >= 400 && number <= 599) return { kind, status: number }
  if (kind === 'units' && number <= maxUnits) return { kind, units: number }
  return null
}

function isPlain(kind: string): kind is 'ok' | 'empty' | 'reset' | 'insufficient_credits' {
  return ['ok', 'empty', 'reset', 'insufficient_credits'].includes(kind)
}
