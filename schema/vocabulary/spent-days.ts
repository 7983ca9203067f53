/** Days on which credits were spent, as the usage subgraph tells them to the account subgraph. */
export interface SpentDays {
  /** Midnight of today, in UTC. */
  readonly today: Date
  /** Credits of the whole days before, oldest first. */
  readonly credits: readonly number[]
  /** Credits of today so far. */
  readonly creditsToday: number
}

/** `today` is a date such as 2026-03-10; the last number is that of today. A key of federation can be no list. */
export function spentDaysText(today: string, credits: readonly number[]): string {
  return `${today}:${credits.join(',')}`
}

export function readSpentDaysText(text: string): SpentDays {
  const [today = '', list = ''] = text.split(':')
  const credits = list.split(',').map(Number)
  return {
    today: new Date(`${today}T00:00:00.000Z`),
    credits: credits.slice(0, -1),
    creditsToday: credits.at(-1) ?? 0,
  }
}
