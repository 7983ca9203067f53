import { z } from 'zod'
import { type BudgetLayer, budgetLayers } from './budget-owners.ts'

/**
 * Every public error code and the HTTP status it travels with (docs/contract.md §2).
 * Adding a line here is the only way to make a new public error.
 */
export const statusByErrorCode = {
  BAD_REQUEST: 400,
  AUTHENTICATION_REQUIRED: 401,
  INVALID_API_KEY: 401,
  INSUFFICIENT_CREDITS: 402,
  BUDGET_EXCEEDED: 402,
  PAYMENT_DECLINED: 402,
  IP_NOT_ALLOWED: 403,
  FORBIDDEN: 403,
  ACCOUNT_SUSPENDED: 403,
  STEP_UP_REQUIRED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  IDEMPOTENCY_CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INVALID_REQUEST: 422,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  BACKEND_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
  BACKEND_TIMEOUT: 504,
} as const

export type ErrorCode = keyof typeof statusByErrorCode

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(statusByErrorCode, value)
}

/**
 * Protocol errors of the token, revoke and introspect endpoints (RFC 6749 §5.2, RFC 8707 §2): the
 * one exception from the table above (docs/contract.md §2).
 */
const oauthErrorCodes = [
  'invalid_client',
  'invalid_client_metadata',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
  'unsupported_grant_type',
] as const

export type OAuthErrorCode = (typeof oauthErrorCodes)[number]

/** RFC 6749 §5.2, RFC 7591 §3.2.2. */
export function oauthErrorStatus(code: OAuthErrorCode): 400 | 401 {
  return code === 'invalid_client' ? 401 : 400
}

export function isOAuthErrorCode(value: string): value is OAuthErrorCode {
  return oauthErrorCodes.some((code) => code === value)
}

/** Tells a field from a budget, where both may stand in `details`. */
export function isFieldError(detail: FieldError | BudgetDetail): detail is FieldError {
  return 'field' in detail
}

/** One offending field of a 422; `in` names the part of the request it came from. */
export const fieldError = z
  .object({
    field: z.string().describe('Its name, with dots between levels.'),
    in: z
      .enum(['path', 'query', 'body', 'header'])
      .describe('The part of the request that it is in.'),
    message: z.string().describe('The problem with it.'),
  })
  .describe('One offending field.')

export type FieldError = Readonly<z.infer<typeof fieldError>>

const credits = z.int()
const fromZero = z.int().min(0)

/** A budget that does not cover a call: `details` of BUDGET_EXCEEDED (docs/contract.md §2). */
export const budgetDetail = z
  .object({
    of: z.enum(budgetLayers).describe('The layer of the budget.'),
    period: z
      .enum(['day', 'week', 'month', 'total'])
      .describe('The calendar window in UTC in which use counts.'),
    limit_credits: fromZero.describe('The most credits for each window.'),
    used_credits: credits.describe('Credits charged in the current window.'),
    held_credits: credits.describe('Credits that calls in progress may still cost.'),
    remaining_credits: credits.describe(
      'The credits that are left; below 0 after the limit was lowered.',
    ),
    needed_credits: fromZero.describe('The most that the request can cost.'),
    resets_at: z.iso.datetime().nullable().describe('When the current window ends; null: never.'),
  })
  .describe('A budget that does not cover the request.')

/** A call of a tool may have a limit of its own, which is told in the same form. */
export type BudgetDetail = Readonly<
  Omit<z.infer<typeof budgetDetail>, 'of'> & { of: BudgetLayer | 'max_credits' }
>

/** What would pay for a request: `remedy` of a 402 (docs/contract.md §2). */
export const remedy = z
  .object({
    needed: fromZero.describe('The most that the request can cost.'),
    spendable: credits
      .describe(
        'The credits that a request of this caller may cost now: those available, or the rest of a budget if that is less. Only for callers with `account:read`.',
      )
      .optional(),
    affordable_units: fromZero
      .nullable()
      .describe(
        'The largest bound of the request (`limit`, the number of recipients) that would pass; null where the price is fixed. Only for callers with `account:read`.',
      )
      .optional(),
    top_up_url: z
      .string()
      .describe('A page to buy credits on, if the balance does not cover the request.')
      .optional(),
    package: z
      .object({
        id: z.string().describe('`pack_…`'),
        credits: fromZero.describe('How many credits it has.'),
        price_cents: fromZero
          .describe('Its price without tax. Only for callers with `billing:read`.')
          .optional(),
        currency: z
          .string()
          .describe('The currency, by ISO 4217. Only for callers with `billing:read`.')
          .optional(),
      })
      .describe(
        'The cheapest package with the credits that are lacking, or else the largest, if the balance does not cover the request.',
      )
      .optional(),
    budget: budgetDetail
      .describe('The budget with the least left, of those that do not cover the request.')
      .optional(),
  })
  .describe('What would pay for the request.')

export type Remedy = Readonly<Omit<z.infer<typeof remedy>, 'budget'>> & {
  readonly budget?: BudgetDetail
}

/** How a session can be proven: `details` of STEP_UP_REQUIRED (docs/contract.md §10). */
export const stepUpDetail = z
  .object({
    methods: z
      .array(z.enum(['api_key', 'portal_link', 'mail_code', 'passkey']))
      .describe(
        'The proofs that count: the same API key, a new portal link for the same person, or a passkey of the member, and the code of a mail to a member who has none.',
      ),
    return_url: z
      .string()
      .nullable()
      .describe('Where a person gets a new portal link; null: not known.'),
  })
  .describe('How the session can be proven again.')

export type StepUpDetail = Readonly<z.infer<typeof stepUpDetail>>

/** Who helps the holder of a suspended account: `details` of ACCOUNT_SUSPENDED (docs/contract.md §2). */
export const suspensionDetail = z
  .object({
    contact: z
      .string()
      .nullable()
      .describe(
        'A mail address or a web page of the provider of this API; null: none is configured.',
      ),
  })
  .describe('Who can be asked about the suspension.')

export type SuspensionDetail = Readonly<z.infer<typeof suspensionDetail>>
