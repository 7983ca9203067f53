/** A sandbox caller's instruction to the simulator (docs/contract.md §9). */
export type Scenario =
  | { readonly kind: 'ok' | 'empty' | 'reset' | 'insufficient_credits' }
  | { readonly kind: 'slow'; readonly durationMs: number }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'units'; readonly units: number }

export const scenarioHeader = 'X-Sandbox-Scenario'

const maxSlowMs = 60_000
const maxUnits = 100_000

/** The values of the header, with the simulator's effect and the caller's answer. */
export const scenarios = [
  {
    form: 'ok',
    effect: 'as without the header',
    answer: 'the answer',
  },
  {
    form: 'empty',
    effect: 'leaves lists empty',
    answer: 'the answer, as when nothing was found',
  },
  {
    form: `slow=<0 to ${maxSlowMs} ms>`,
    effect: 'waits so many milliseconds',
    answer: 'the answer, or 504 BACKEND_TIMEOUT when the gateway stops waiting first',
  },
  {
    form: 'status=<400 to 599>',
    effect: 'answers with that status',
    answer:
      '400 BAD_REQUEST, 404 and 410 NOT_FOUND, 409 CONFLICT, 422 INVALID_REQUEST under that status; 502 BACKEND_ERROR for all others',
  },
  {
    form: 'reset',
    effect: 'drops the connection',
    answer: '502 BACKEND_ERROR',
  },
  {
    form: `units=<0 to ${maxUnits}>`,
    effect: 'fills lists with so many items',
    answer:
      'the answer, with as many as its schema allows; where the price is per unit, so many units are reported',
  },
  {
    form: 'insufficient_credits',
    effect: 'is not asked',
    answer: '402 INSUFFICIENT_CREDITS',
  },
] as const

/** The list in the message of a 422. */
export const scenarioForms = scenarios.map(({ form }) => form).join(', ')

/** Null if the simulator does not know the value. */
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
