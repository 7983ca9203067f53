import { fromInput, toInput } from '../../format/dates.ts'

const hourSteps = [1, 2, 3, 6, 12]
const daySteps = [1, 2, 3, 7, 14, 28, 56, 91, 182, 364]

/** The days among these, in equal steps from the first one, at most `most` of them. All in milliseconds. */
export function dayTicks(days: readonly number[], most: number): readonly number[] {
  const step = daySteps.find((size) => Math.ceil(days.length / size) <= most) ?? days.length
  return days.filter((_, index) => index % step === 0)
}

/**
 * The hours among these, in equal steps by the clocks of a time zone (00:00, 06:00, 12:00), at most `most` of them. When
 * hours would stand too close, these are the first ones of days in equal steps.
 */
export function hourTicks(hours: readonly number[], most: number, zone: string): readonly number[] {
  const byClock = hours.map((at) => ({ at, hour: Number(toInput(at, zone).slice(11, 13)) }))
  for (const step of hourSteps) {
    const fitting = byClock.filter(({ hour }) => hour % step === 0)
    if (fitting.length <= most) return fitting.map(({ at }) => at)
  }
  const days = byClock.filter(({ hour }, index) => hour === 0 && byClock[index - 1]?.hour !== 0)
  return dayTicks(
    days.map(({ at }) => at),
    most,
  )
}

/** The beginnings of the days of a time zone from one instant to another one, in milliseconds. */
export function daysBetween(from: number, to: number, zone: string): readonly number[] {
  const first = Date.parse(`${toInput(from, zone).slice(0, 10)}T00:00:00Z`)
  const days: number[] = []
  for (let day = first; ; day += 86_400_000) {
    const at = fromInput(new Date(day).toISOString().slice(0, 19), zone)
    if (at > to) return days
    if (at >= from) days.push(at)
  }
}
