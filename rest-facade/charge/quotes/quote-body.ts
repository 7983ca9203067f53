import { z } from 'zod'
import {
  type BudgetDetail,
  budgetDetail,
  type FieldError,
  fieldError,
  type Remedy,
  remedy,
} from '../../../schema/vocabulary/error-codes.ts'
import { boundedRecord, usual } from '../../http/fields/record.ts'
import { shown } from '../../http/input.ts'

/** The methods of a quoted call; TRACE and CONNECT never get an answer of the API. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

const pathMessage =
  'must be a path such as /v1/contacts/search, of at most 8192 visible ASCII characters other than #'
const valueMessage = 'must be a text, a number, a boolean, or a list of these'

const maxValues = 100

/** A value of a query; a list is a parameter that is repeated. */
const queryValue = z.unknown().superRefine((value, context) => {
  const problem = (path: readonly number[]) =>
    context.addIssue({ code: 'custom', path: [...path], message: valueMessage })
  if (!Array.isArray(value)) {
    if (!isPlain(value)) problem([])
  } else if (value.length > maxValues) {
    context.addIssue(`must have at most ${maxValues} entries`)
  } else {
    for (const [index, item] of value.entries()) {
      if (!isPlain(item)) problem([index])
    }
  }
})

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

const plain = { type: ['string', 'number', 'boolean'] }

const quotedCall = z.strictObject(
  {
    method: z
      .enum(methods, `must be one of ${methods.join(', ')}`)
      .register(shown, { description: 'The method of the call.' }),
    path: z
      .string(pathMessage)
      .max(8192, pathMessage)
      .regex(/^\/[!"\x24-~]*$/, pathMessage)
      .register(shown, {
        description: 'The path of the call from `/v1` on. It may end in a query.',
      }),
    query: boundedRecord(queryValue, { ...usual, message: 'must be an object' })
      .register(shown, {
        schema: {
          type: 'object',
          maxProperties: usual.maxMembers,
          propertyNames: { maxLength: usual.maxNameLength },
          additionalProperties: {
            anyOf: [plain, { type: 'array', maxItems: maxValues, items: plain }],
          },
        },
        description:
          'Parameters of the query, added to those in the path. A list repeats its parameter.',
      })
      .optional(),
    body: z
      .unknown()
      .register(shown, { schema: {}, description: 'The JSON body of the call; absent: none.' })
      .optional(),
  },
  'must be an object with method and path',
)

export type QuotedCall = z.infer<typeof quotedCall>

export const quoteBody = z.strictObject({
  calls: z
    .array(quotedCall, 'must be a list of calls')
    .min(1, 'must have at least 1 call')
    .max(100, 'must have at most 100 calls')
    .register(shown, { description: 'The calls, each judged on its own.' }),
})

const credits = z.int()
const price = z.int().min(0)

const refusal = z
  .object({
    code: z
      .enum([
        'FORBIDDEN',
        'NOT_FOUND',
        'INVALID_REQUEST',
        'INSUFFICIENT_CREDITS',
        'BUDGET_EXCEEDED',
      ])
      .describe('The error code that the call would get.'),
    message: z.string().describe('The same for people; its wording may change.'),
    details: z
      .array(z.union([fieldError, budgetDetail]))
      .nullable()
      .describe(
        'Every offending field of INVALID_REQUEST, every budget of BUDGET_EXCEEDED; null for others, and where the refusals of a quote together would name too many.',
      ),
    remedy: remedy
      .describe('What would pay for the call; only where credits do not cover it.')
      .optional(),
  })
  .describe('Why a call would be refused.')

export interface Refusal extends Readonly<Omit<z.infer<typeof refusal>, 'details' | 'remedy'>> {
  readonly remedy?: Remedy
  readonly details: (FieldError | BudgetDetail)[] | null
}

const quotedItem = z
  .object({
    method: z.string().describe('As it was sent.'),
    path: z.string().describe('As it was sent.'),
    min_credits: price.describe('The least that a success costs; a failure costs nothing.'),
    max_credits: price.describe('The most that the call can cost: so much is held for it.'),
    unit: z
      .string()
      .nullable()
      .describe('The list in the answer whose items are paid for; null where the price is fixed.'),
    unit_name: z
      .string()
      .nullable()
      .describe('The name of one such item, such as `result`; null where the price is fixed.'),
    would_succeed: z
      .boolean()
      .describe('Whether the gateway would send this call alone to its product now.'),
    refusal: refusal.nullable().describe('Why not; null: nothing speaks against the call.'),
  })
  .describe('The cost of one call.')

export interface QuotedItem extends Omit<z.infer<typeof quotedItem>, 'refusal'> {
  readonly refusal: Refusal | null
}

export const quoteAnswer = z
  .object({
    items: z.array(quotedItem).describe('One for each call, in the order of the calls.'),
    total_max_credits: price.describe('The sum of `max_credits`.'),
    available: credits
      .nullable()
      .describe(
        'The balance less open holds and expired credits; null for callers with neither `account:read` nor the scope of one of the calls.',
      ),
    budget_remaining: credits
      .nullable()
      .describe(
        'The rest of the tightest budget that counts for the caller, negative after a limit was lowered; null without one, and where `available` is null.',
      ),
    price_version: z
      .string()
      .describe(
        'A hash of all prices: `info.x-price-version` of the OpenAPI document. It changes with any price.',
      ),
    as_of: z.iso.datetime().describe('When the credits were read.'),
  })
  .describe('The cost of calls, and whether they would succeed.')

export interface QuoteAnswer extends Omit<z.infer<typeof quoteAnswer>, 'items'> {
  readonly items: readonly QuotedItem[]
}
