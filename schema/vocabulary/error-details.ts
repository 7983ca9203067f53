import { z } from 'zod'
import { budgetLayers } from './spenders.ts'

/** One offending field of a 422; `in` names the part of the request it came from. */
export const fieldError = z
  .object({
    field: z.string().describe('Its name, with dots between levels.'),
    in: z
      .enum(['path', 'query', 'body', 'header'])
      .describe('The part of the request that it is in.'),
    message: z.string().describe('What is wrong with it.'),
  })
  .describe('One offending field.')

export type FieldError = Readonly<z.infer<typeof fieldError>>

const credits = z.int()
const fromZero = z.int().min(0)

/** A budget that does not cover a call: `details` of BUDGET_EXCEEDED (docs/contract.md §2). */
export const budgetDetail = z
  .object({
    of: z.enum(budgetLayers).describe('Whose budget it is.'),
    period: z
      .enum(['day', 'week', 'month', 'total'])
      .describe('The calendar window in UTC in which use counts.'),
    limit_credits: fromZero.describe('The most credits for each window.'),
    used_credits: credits.describe('Credits charged in the current window.'),
    held_credits: credits.describe('Credits that calls under way may still cost.'),
    remaining_credits: credits.describe('What is left; below 0 after the limit was lowered.'),
    needed_credits: fromZero.describe('The most that the request can cost.'),
    resets_at: z.iso.datetime().nullable().describe('When the current window ends; null: never.'),
  })
  .describe('A budget that does not cover the request.')

export type BudgetDetail = Readonly<z.infer<typeof budgetDetail>>
