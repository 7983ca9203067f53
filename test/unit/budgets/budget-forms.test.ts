import { describe, expect, test } from 'vitest'
import {
  budgetList,
  budgetNameList,
  budgetTexts,
} from '../../../rest-facade/http/fields/budgets.ts'

const limitMessage = 'must be an integer from 1 to 9007199254740991'

function problemsOf(schema: typeof budgetList | typeof budgetTexts, value: unknown) {
  const issues = schema.safeParse(value).error?.issues ?? []
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

describe('budgets of a body', () => {
  test('are taken as the graph writes them', () => {
    const sent = [
      { period: 'day', limit_credits: 1 },
      { period: 'total', limit_credits: Number.MAX_SAFE_INTEGER, enforce: false },
    ]

    expect(budgetList.parse(sent)).toEqual([
      { period: 'day', limitCredits: 1 },
      { period: 'total', limitCredits: Number.MAX_SAFE_INTEGER, enforce: false },
    ])
    expect(budgetNameList.parse(sent)).toMatchObject([{ period: 'DAY' }, { period: 'TOTAL' }])
    expect(budgetList.parse([])).toEqual([])
  })

  test.each([
    ['no list', { day: 500 }, [': must be a list of budgets']],
    ['no object', [5], ['0: must be an object with period and limit_credits']],
    ['a limit of 0', [{ period: 'day', limit_credits: 0 }], [`0.limit_credits: ${limitMessage}`]],
    ['a fraction', [{ period: 'day', limit_credits: 1.5 }], [`0.limit_credits: ${limitMessage}`]],
    ['2^53', [{ period: 'day', limit_credits: 2 ** 53 }], [`0.limit_credits: ${limitMessage}`]],
    ['a text', [{ period: 'day', limit_credits: '5' }], [`0.limit_credits: ${limitMessage}`]],
    ['no limit', [{ period: 'day' }], [`0.limit_credits: ${limitMessage}`]],
    [
      'another period',
      [{ period: 'hour', limit_credits: 5 }],
      ['0.period: must be one of day, week, month, total'],
    ],
    [
      'a mode that is no boolean',
      [{ period: 'day', limit_credits: 5, enforce: 'no' }],
      ['0.enforce: must be true or false'],
    ],
    [
      'two budgets of one period, beside another mistake',
      [
        { period: 'day', limit_credits: 0 },
        { period: 'day', limit_credits: 5 },
      ],
      [
        `0.limit_credits: ${limitMessage}`,
        '1.period: is the period of another budget of this list: day',
      ],
    ],
  ])('are refused, each wrong member named: %s', (_, value, problems) => {
    expect(problemsOf(budgetList, value)).toEqual(problems)
  })
})

describe('budgets of a form or the command line', () => {
  test('are a period and a limit, separated by commas', () => {
    expect(budgetTexts.parse('day:500, month:5000')).toEqual([
      { period: 'day', limitCredits: 500 },
      { period: 'month', limitCredits: 5000 },
    ])
    expect(budgetTexts.parse('')).toBeNull()
  })

  test.each(['day', 'day:0', 'day:05', 'day:1.5', 'day:-1', 'hour:5', 'day:9007199254740992'])(
    'are refused, each wrong one named: %s',
    (text) => {
      const problems = problemsOf(budgetTexts, `${text},week:7,x`)

      expect(problems).toHaveLength(2)
      expect(problems[0]).toContain(`"${text}" must be written like day:500`)
      expect(problems[1]).toContain('"x" must be written like day:500')
    },
  )

  test('are refused when two have one period', () => {
    expect(problemsOf(budgetTexts, 'day:5,day:6')).toEqual([
      ': "day:6" has the period of another budget',
    ])
  })
})
