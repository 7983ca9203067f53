/** The period as REST shows it: the value is the word in the body. */
export enum BudgetPeriod {
  day = 'day',
  week = 'week',
  month = 'month',
  total = 'total',
}

/** The period as internal tools write it in inputs (docs/contract.md §8). */
export enum BudgetPeriodName {
  DAY = 'day',
  WEEK = 'week',
  MONTH = 'month',
  TOTAL = 'total',
}
