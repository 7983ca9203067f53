import { describe, expect, test } from 'vitest'
import { createRandom, describeDays } from '../../../subgraphs/account/forecast/daily-use.ts'
import { drawFutures, type Outlook } from '../../../subgraphs/account/forecast/futures.ts'

/** A quarter of the day is over. */
const asOf = new Date('2026-03-10T06:00:00.000Z')
const historyDays = 30

/** A way in which accounts spend: the credits of a day, by its number. */
type Habit = (random: () => number) => (day: number) => number

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

const habits: Readonly<Record<string, Habit>> = {
  steady: (random) => () => Math.round(1000 * (0.9 + 0.2 * random())),
  weekly: (random) => (day) => Math.round((day % 7 < 5 ? 1300 : 150) * (0.7 + 0.6 * random())),
  'log-normal': (random) => () => Math.round(600 * Math.exp(0.9 * normal(random))),
  bursts: (random) => () => Math.round(random() < 0.15 ? 4000 * (0.5 + random()) : 300 * random()),
  'without trend': (random) => () => Math.round(2000 * random()),
}

const historiesOfHabit = 40

interface Case {
  readonly habit: string
  readonly outlook: Outlook
  /** When the credits really run out, in days. */
  readonly truth: number
}

function outlookOf(outlook: Partial<Outlook>): Outlook {
  const use = describeDays(Array.from({ length: historyDays }, () => 100))
  return { asOf, use, supplies: [], permanentCredits: 0, recharging: null, ...outlook }
}

function casesOf(habit: string, place: number): Case[] {
  return Array.from({ length: historiesOfHabit }, (_, index) => {
    const random = createRandom(1 + place * 1000 + index)
    const creditsOf = habits[habit]?.(random) ?? (() => 0)
    const use = describeDays(Array.from({ length: historyDays }, (_, day) => creditsOf(day)))
    const permanentCredits = Math.round(1000 * (7 + random() * 90))
    let left = permanentCredits
    let truth = 0
    for (let day = historyDays; left > 0; day += 1) {
      const length = day === historyDays ? 0.75 : 1
      const spent = creditsOf(day) * length
      truth += spent < left ? length : (length * left) / spent
      left -= spent
    }
    return { habit, outlook: outlookOf({ use, permanentCredits }), truth }
  })
}

describe('a forecast', () => {
  test('of 200 invented histories is within 20 % of the truth for steady ones, and 85 % run out before `late`', async () => {
    const cases = Object.keys(habits).flatMap(casesOf)

    const forecasts = await Promise.all(
      cases.map(async (one) => ({ ...one, ...(await drawFutures(one.outlook)).runsOutInDays })),
    )

    const errors = forecasts
      .filter(({ habit }) => habit === 'steady')
      .map(({ likely, truth }) => Math.abs(likely - truth) / truth)
    const shareOf = (found: readonly unknown[]) => found.length / forecasts.length
    expect(forecasts).toHaveLength(200)
    expect(Math.max(...errors)).toBeLessThanOrEqual(0.2)
    expect(shareOf(forecasts.filter(({ truth, high }) => truth <= high))).toBeGreaterThanOrEqual(
      0.85,
    )
    // The range is not just wide: few run out before it begins.
    expect(shareOf(forecasts.filter(({ truth, low }) => truth <= low))).toBeLessThanOrEqual(0.25)
    expect(shareOf(forecasts.filter(({ truth, low }) => truth <= low))).toBeGreaterThanOrEqual(0.03)
  })

  test('is the same for the same account', async () => {
    const [one] = casesOf('bursts', 3)
    if (!one) throw new Error('There is no case.')

    const [first, second] = await Promise.all([drawFutures(one.outlook), drawFutures(one.outlook)])

    expect(first.runsOutInDays).toEqual(second.runsOutInDays)
    expect(first.leftAfter(3)).toEqual(second.leftAfter(3))
  })

  test('knows the day of the week', async () => {
    // Today and the four days after it are workdays; nothing is spent on the other two.
    const use = describeDays(
      Array.from({ length: historyDays }, (_, day) => ((day + 5) % 7 < 5 ? 100 : 0)),
    )

    const { runsOutInDays } = await drawFutures(outlookOf({ use, permanentCredits: 475 }))

    expect(use.weekdayStrength).toBe(1)
    expect(runsOutInDays).toEqual({ low: 4.75, likely: 4.75, high: 4.75 })
  })

  test('loses what expires, and gets what comes', async () => {
    const supplies = [
      { credits: 500, fromDay: 0, untilDay: 2 },
      { credits: 300, fromDay: 4, untilDay: 6 },
    ]

    // 200 of 500 are used when they expire; 100 that do not expire last until the next come.
    const inTime = await drawFutures(outlookOf({ supplies, permanentCredits: 250 }))
    const tooLate = await drawFutures(outlookOf({ supplies, permanentCredits: 100 }))

    expect(inTime.runsOutInDays.likely).toBeCloseTo(6.5)
    expect(tooLate.runsOutInDays.likely).toBeCloseTo(3)
  })

  test('has nothing left at the end of the day on which credits run out because they expire at noon', async () => {
    // It is 06:00, so these expire at 12:00 tomorrow.
    const supplies = [{ credits: 10_000, fromDay: 0, untilDay: 1.25 }]

    const futures = await drawFutures(outlookOf({ supplies }))

    expect(futures.runsOutInDays).toEqual({ low: 1.25, likely: 1.25, high: 1.25 })
    expect(futures.leftAfter(0).likely).toBeGreaterThan(9000)
    expect(futures.leftAfter(1)).toEqual({ low: 0, likely: 0, high: 0 })
  })

  test('has each day of the year, at any time of day', async () => {
    const times = ['16:45:11.936', '00:00:00.001', '23:59:59.999', '07:08:09.123', '19:31:47.777']
    const permanentCredits = 1_000_000

    for (const time of times) {
      const outlook = outlookOf({ asOf: new Date(`2026-12-01T${time}Z`), permanentCredits })
      const futures = await drawFutures(outlook)

      const today = futures.leftAfter(0).likely
      const days = Array.from({ length: 365 }, (_, day) => futures.leftAfter(day).likely)
      expect(days.map(Math.round)).toEqual(days.map((_, day) => Math.round(today - 100 * day)))
    }
  })

  test('recharges up to the cap of each month', async () => {
    const recharging = { thresholdCredits: 50, credits: 1000, leftThisMonth: 1, perMonth: 2 }
    const capped = outlookOf({ permanentCredits: 100, recharging })
    const uncapped = {
      ...capped,
      recharging: { ...recharging, leftThisMonth: Infinity, perMonth: Infinity },
    }

    const ofCapped = await drawFutures(capped)
    const ofUncapped = await drawFutures(uncapped)

    // 1,100 credits last for 11 days, until 21 March.
    expect(ofCapped.runsOutInDays.likely).toBeCloseTo(11)
    expect(ofUncapped.runsOutInDays.low).toBe(Number.POSITIVE_INFINITY)
  })

  test('of an account without use never ends, and of one without credits has ended', async () => {
    const use = describeDays([0, 0, 0])

    const unused = await drawFutures(outlookOf({ use, permanentCredits: 1 }))
    const empty = await drawFutures(outlookOf({ permanentCredits: 0 }))

    expect(unused.runsOutInDays.low).toBe(Number.POSITIVE_INFINITY)
    expect(empty.runsOutInDays).toEqual({ low: 0, likely: 0, high: 0 })
  })
})
