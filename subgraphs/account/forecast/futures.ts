import { mapInTurns } from '../../../schema/process/map-in-turns.ts'
import { type Calendar, createCalendar, horizonDays, type Supply } from './calendar.ts'
import { createRandom, type DailyUse, type DayDraws, drawDays } from './daily-use.ts'

/** How many futures are drawn. */
const futureCount = 1000
const futuresOfPart = 10

/** Any number does; it stays the same, so that a forecast changes with the account alone. */
const seed = 20_261_129

/** A recharge that buys credits whenever fewer than the threshold are left. */
export interface Recharging {
  readonly thresholdCredits: number
  readonly credits: number
  /** How many purchases the cap still permits this month; Infinity without one. */
  readonly leftThisMonth: number
  readonly perMonth: number
}

/** What an account has, and what it spends. */
export interface Outlook {
  readonly asOf: Date
  readonly use: DailyUse
  /** Credits that expire, in the order in which they burn. Those that come later are among them. */
  readonly supplies: readonly Supply[]
  /** Credits that never expire, which burn last; less what calls in progress have set aside. */
  readonly permanentCredits: number
  readonly recharging: Recharging | null
}

/** The lower, the middle and the upper of the values that a tenth, half and nine tenths of all futures do not exceed. */
interface Range {
  readonly low: number
  readonly likely: number
  readonly high: number
}

export interface Futures {
  /** In how many days the credits run out; Infinity: not within the horizon. */
  readonly runsOutInDays: Range
  /** The credits that are left when the day ends that is so many days ahead; 0 is today. */
  leftAfter(ahead: number): Range
}

/**
 * Draws a thousand futures of the credits of an account, each of a year at most. It takes a few milliseconds of processor
 * time, in turns with the requests of others.
 */
export async function drawFutures(outlook: Outlook): Promise<Futures> {
  const { asOf, use, supplies } = outlook
  const calendar = createCalendar(asOf, supplies)
  const days = drawDays(use, createRandom(seed))
  const run = createRun(outlook, calendar, days)
  const parts = Array.from({ length: futureCount / futuresOfPart }, (_, part) => part)
  const runOut = new Float64Array(futureCount)
  await mapInTurns(
    parts,
    (part) => {
      for (let step = 0; step < futuresOfPart; step += 1) {
        const future = part * futuresOfPart + step
        runOut[future] = run.next(future)
      }
    },
    1,
  )
  return {
    runsOutInDays: rangeOf(runOut),
    leftAfter: (ahead) => rangeOf(run.left.slice(ahead * futureCount, (ahead + 1) * futureCount)),
  }
}

function rangeOf(values: Float64Array | Float32Array): Range {
  const sorted = values.toSorted()
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
  return { low: at(0.1), likely: at(0.5), high: at(0.9) }
}

/** What is left in a future: it is emptied and filled again for each, so that no objects are made. */
interface Run {
  /** Returns in how many days the credits of another future run out. */
  next(future: number): number
  /** The credits at the end of each day: all futures of today, then those of tomorrow, and so on. */
  readonly left: Float32Array
}

function createRun(outlook: Outlook, calendar: Calendar, days: DayDraws): Run {
  const { permanentCredits, recharging } = outlook
  const { starts, lengths } = calendar
  const supplied = createSupplied(outlook.supplies)
  const left = new Float32Array((horizonDays + 1) * futureCount)
  return {
    left,
    next(future) {
      days.begin()
      let total = permanentCredits + supplied.begin()
      let day = -1
      let month = 0
      let perDay = 0
      let purchases = recharging?.leftThisMonth ?? 0
      for (let piece = 0; piece < starts.length; piece += 1) {
        const start = starts[piece] ?? 0
        const turns = calendar.turns[piece]
        if (turns && start > 0) total += supplied.turn(turns, start)
        if (calendar.days[piece] !== day) {
          day = calendar.days[piece] ?? 0
          perDay = days.draw(day)
          if (calendar.months[piece] !== month) purchases = recharging?.perMonth ?? 0
          month = calendar.months[piece] ?? 0
        }
        const length = lengths[piece] ?? 0
        const needed = perDay * length
        if (recharging && total - needed < recharging.thresholdCredits) {
          const { thresholdCredits, credits } = recharging
          const bought = Math.min(
            Math.ceil((thresholdCredits - total + needed) / credits),
            purchases,
          )
          purchases -= bought
          total += bought * credits
        }
        if (total <= needed) {
          // An earlier piece of this day has stored what it left.
          left[day * futureCount + future] = 0
          return needed === 0 ? start : start + (length * Math.max(0, total)) / needed
        }
        total -= needed
        supplied.spend(needed)
        left[day * futureCount + future] = total
      }
      return Number.POSITIVE_INFINITY
    },
  }
}

/** The credits of the supplies in one future. They burn in their order. */
interface Supplied {
  /** Begins another future; returns the credits that are there. */
  begin(): number
  /** These supplies come or expire; returns by how many credits the whole changes. */
  turn(places: readonly number[], start: number): number
  /** Spends credits of what is there; what the supplies do not cover, others do. */
  spend(credits: number): void
}

function createSupplied(supplies: readonly Supply[]): Supplied {
  const later = Float64Array.from(supplies, ({ credits }) => credits)
  const atFirst = Float64Array.from(supplies, ({ credits, fromDay }) => (fromDay > 0 ? 0 : credits))
  const untilDays = Float64Array.from(supplies, ({ untilDay }) => untilDay)
  const whole = atFirst.reduce((sum, credits) => sum + credits, 0)
  const kept = new Float64Array(supplies.length)
  /** No supply before this place has credits. */
  let first = 0
  return {
    begin() {
      kept.set(atFirst)
      first = 0
      return whole
    },
    turn(places, start) {
      let change = 0
      for (const place of places) {
        const wasThere = kept[place] ?? 0
        const isThere = (untilDays[place] ?? 0) > start ? (later[place] ?? 0) : 0
        kept[place] = isThere
        if (isThere > 0) first = Math.min(first, place)
        change += isThere - wasThere
      }
      return change
    },
    spend(credits) {
      let rest = credits
      while (first < kept.length) {
        const there = kept[first] ?? 0
        if (there > rest) {
          kept[first] = there - rest
          return
        }
        rest -= there
        kept[first] = 0
        first += 1
      }
    },
  }
}
