import { z } from 'zod'
import { cut } from '../../../schema/vocabulary/field-problems.ts'
import { integerValue, shown } from '../input.ts'

export const budgetPeriods = ['day', 'week', 'month', 'total'] as const

const budget = z.strictObject(
  {
    period: z
      .enum(budgetPeriods, `must be one of ${budgetPeriods.join(', ')}`)
      .register(shown, { description: 'The calendar window in UTC in which use counts.' }),
    limit_credits: integerValue(1, Number.MAX_SAFE_INTEGER, 'Credits for each window.'),
    enforce: z
      .boolean('must be true or false')
      .register(shown, { description: 'False: nothing is refused, the events come all the same.' })
      .optional(),
  },
  'must be an object with period and limit_credits',
)

/**
 * `budgets` of a body, as the graph's `BudgetInput` takes them: at most one of each period. Every
 * wrong member is named.
 */
export const budgetList = z
  .array(budget, 'must be a list of budgets')
  .max(budgetPeriods.length, `must have at most ${budgetPeriods.length} entries`)
  .superRefine(
    (budgets, context) => {
      for (const [index, { period }] of budgets.entries()) {
        if (budgets.findIndex((other) => other.period === period) === index) continue
        const message = `is the period of another budget of this list: ${cut(String(period))}`
        context.addIssue({ code: 'custom', path: [index, 'period'], message })
      }
    },
    // Periods are compared although other members have problems, unless an element has another form and no
    // period.
    { when: ({ value }) => Array.isArray(value) && value.every(hasPeriod) },
  )
  .transform((budgets) =>
    budgets.map(({ limit_credits: limitCredits, ...rest }) => ({ ...rest, limitCredits })),
  )

/** A list of budgets in the form of the graph's `BudgetNameInput`. */
export const budgetNameList = budgetList.transform((budgets) => budgets.map(toNamed))

/** The periods as internal tools write them in inputs (docs/contract.md §8). */
const periodNames = { day: 'DAY', week: 'WEEK', month: 'MONTH', total: 'TOTAL' } as const

export function toNamed<Budget extends { readonly period: keyof typeof periodNames }>({
  period,
  ...rest
}: Budget) {
  return { ...rest, period: periodNames[period] }
}

const budgetText = new RegExp(`^(${budgetPeriods.join('|')}):([1-9][0-9]{0,15})$`)

/**
 * Budgets as a form or the command line writes them: `day:500,month:5000`. Every wrong one is named; an
 * empty text is none.
 */
export const budgetTexts = z.string('must be sent once').transform((text, context) => {
  if (text === '') return null
  const budgets = text.split(',').map((part) => {
    const [, name, limit] = budgetText.exec(part.trim()) ?? []
    const period = budgetPeriods.find((one) => one === name)
    return { part: part.trim(), period, limitCredits: Number(limit) }
  })
  const problem = (message: string) => context.addIssue({ code: 'custom', message })
  for (const [index, { part: whole, period, limitCredits }] of budgets.entries()) {
    const part = cut(whole)
    if (!Number.isSafeInteger(limitCredits)) {
      problem(
        `"${part}" must be written like day:500, with ${budgetPeriods.join(', ')} and a limit that must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}`,
      )
    } else if (budgets.findIndex((other) => other.period === period) !== index) {
      problem(`"${part}" has the period of another budget`)
    }
  }
  return budgets.flatMap(({ period, limitCredits }) => (period ? [{ period, limitCredits }] : []))
})

function hasPeriod(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'period' in value
}
