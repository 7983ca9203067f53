import type { ErrorCode } from '../vocabulary/error-codes.ts'

/** A sandbox caller's wish for the answer of a product call (docs/contract.md §9). */
export type Scenario =
  | { readonly kind: PlainKind }
  | { readonly kind: 'slow'; readonly durationMs: number }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'units'; readonly units: number }

type PlainKind = (typeof plainKinds)[number]

export const scenarioHeader = 'X-Sandbox-Scenario'

const maxSlowMs = 60_000
const maxUnits = 100_000

/** A value of the header, what happens, and what the caller gets. */
interface ScenarioRow {
  readonly form: string
  /** A value of this form. */
  readonly example: string
  /** What happens, to complete a sentence that begins with its subject. */
  readonly effect: string
  readonly answer: string
  /** The code of the answer to the example; null: a success, or no answer. */
  readonly code: ErrorCode | null
  /** What a client must do then, if it has to do anything. */
  readonly advice?: string
}

/** The only list of the header's values: the guide, the OpenAPI document and the console show it. */
export const scenarios: readonly ScenarioRow[] = [
  {
    form: 'ok',
    example: 'ok',
    effect: 'the product answers as without the header',
    answer: 'the answer',
    code: null,
  },
  {
    form: 'empty',
    example: 'empty',
    effect: 'the product leaves lists empty',
    answer: 'the answer, as when nothing was found',
    code: null,
    advice: 'accepts an empty result',
  },
  {
    form: `units=<0 to ${maxUnits}>`,
    example: 'units=25',
    effect: 'the product fills lists with so many items',
    answer:
      'the answer, with as many as its schema allows; where the price is per unit, so many units are reported',
    code: null,
  },
  {
    form: `slow=<0 to ${maxSlowMs} ms>`,
    example: 'slow=5000',
    effect: 'the product waits so many milliseconds',
    answer: 'the answer, or 504 BACKEND_TIMEOUT when the gateway stops waiting first',
    code: null,
    advice: 'has its own timeout, and does not hang',
  },
  {
    form: 'status=<400 to 599>',
    example: 'status=404',
    effect: 'the product answers the gateway with that status',
    answer:
      '400 BAD_REQUEST, 404 and 410 NOT_FOUND, 409 CONFLICT, 422 INVALID_REQUEST under that status; 502 BACKEND_ERROR for all others, 429 and 503 too',
    code: 'NOT_FOUND',
  },
  {
    form: 'reset',
    example: 'reset',
    effect: 'the product drops its connection to the gateway',
    answer: '502 BACKEND_ERROR',
    code: 'BACKEND_ERROR',
    advice: 'retries with backoff; writes with the same idempotency key',
  },
  {
    form: 'timeout',
    example: 'timeout',
    effect: 'the gateway stops waiting for the product, at once',
    answer: '504 BACKEND_TIMEOUT',
    code: 'BACKEND_TIMEOUT',
    advice: 'retries with backoff; writes with the same idempotency key',
  },
  {
    form: 'unavailable',
    example: 'unavailable',
    effect: 'the gateway cannot take the call',
    answer: '503 SERVICE_UNAVAILABLE with `Retry-After`',
    code: 'SERVICE_UNAVAILABLE',
    advice: 'waits for `Retry-After` and retries; writes with the same idempotency key',
  },
  {
    form: 'rate_limited',
    example: 'rate_limited',
    effect: 'the gateway refuses the call as one above your rate limit',
    answer: '429 RATE_LIMIT_EXCEEDED with `Retry-After`, and `X-RateLimit-Remaining: 0`',
    code: 'RATE_LIMIT_EXCEEDED',
    advice: 'waits for `Retry-After` before its next call',
  },
  {
    form: 'insufficient_credits',
    example: 'insufficient_credits',
    effect: 'the gateway refuses the call as one of an empty balance',
    answer: '402 INSUFFICIENT_CREDITS',
    code: 'INSUFFICIENT_CREDITS',
    advice: 'stops and informs somebody, instead of retrying',
  },
  {
    form: 'budget_exceeded',
    example: 'budget_exceeded',
    effect: 'the gateway refuses the call as one above a budget of the account for the day',
    answer: '402 BUDGET_EXCEEDED, with that budget in `details`',
    code: 'BUDGET_EXCEEDED',
    advice: 'stops until `resets_at`, instead of retrying',
  },
  {
    form: 'forbidden',
    example: 'forbidden',
    effect: 'the gateway refuses the call as one without the scope of the operation',
    answer: '403 FORBIDDEN',
    code: 'FORBIDDEN',
    advice: 'stops and informs somebody, instead of retrying',
  },
  {
    form: 'hang_up',
    example: 'hang_up',
    effect: 'the product does its work, and then the gateway breaks your connection',
    answer:
      'no answer; a retry with the same idempotency key gets it, with `Idempotent-Replayed: true`, and has no second effect',
    code: null,
    advice: 'retries with the same idempotency key, and does nothing twice',
  },
]

/** The list in the message of a 422. */
export const scenarioForms = scenarios.map(({ form }) => form).join(', ')

const plainKinds = [
  ...(['ok', 'empty', 'reset', 'timeout', 'unavailable', 'rate_limited'] as const),
  ...(['insufficient_credits', 'budget_exceeded', 'forbidden', 'hang_up'] as const),
] as const

/** The scenario that a value of the header names; null if the value is not one of the table. */
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

function isPlain(kind: string): kind is PlainKind {
  return plainKinds.some((plain) => plain === kind)
}
