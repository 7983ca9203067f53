import type { PostgresBinaries } from '../../gateway/trial/embedded-postgres/postgres-process.ts'
import { findUnexplained } from './model/explain.ts'
import { type Cut, cutPlan, optionsOf, wholeOf } from './plan/cut.ts'
import { makePlan } from './plan/make-plan.ts'
import { play } from './play/play.ts'
import { describeHistory, describeUnexplained } from './report.ts'
import { shrink } from './shrink.ts'

export interface SeedReport {
  /** The steps that ran, on one line. */
  readonly summary: string
  /** The first event that the model can't explain, with its context; empty when it explains all. */
  readonly unexplained: string
}

interface SeedOptions {
  /** The binaries of a PostgreSQL that is not the embedded one. */
  readonly binaries?: PostgresBinaries | undefined
  /** With faults of the machine too. */
  readonly isHard?: boolean
  /** The part of the plan that is played, all of it by default. */
  readonly part?: Partial<Cut>
  /** How many smaller parts are tried when the seed fails, by default none. */
  readonly shrinkTries?: number
}

/** A part that fails now and then is given so many chances. */
const chances = 2

/** Plays one seed and compares what was seen with the model. */
export async function runSeed(
  seed: number,
  seconds: number,
  { binaries, isHard = false, part, shrinkTries = 0 }: SeedOptions = {},
): Promise<SeedReport> {
  const plan = makePlan(seed, seconds, isHard)
  const whole = { ...wholeOf(plan), ...part }

  async function playPart(cut: Cut) {
    const played = cutPlan(plan, cut)
    const history = await play(played, binaries)
    return { played, history, violations: findUnexplained(history) }
  }

  const { played, history, violations } = await playPart(whole)
  const [first] = violations
  const summary = describeHistory(played, history)
  if (!first) return { summary, unexplained: '' }
  const report = describeUnexplained(played, history, violations)
  const again = (cut: Cut) =>
    [
      `npm run histories -- --seed ${seed} --seeds 1 --seconds ${seconds}`,
      ...(isHard ? ['--hard'] : []),
      optionsOf(plan, cut),
    ].join(' ')
  const lines = [report, `  again: ${again(whole)}`]
  if (shrinkTries > 0) {
    const small = await shrink(whole, {
      tries: shrinkTries,
      async fails(cut) {
        for (let chance = 0; chance < chances; chance += 1) {
          const found = (await playPart(cut)).violations
          if (found.some(({ kind }) => kind === first.kind)) return true
        }
        return false
      },
    })
    lines.push(`  smaller: ${again(small)}`)
  }
  return { summary, unexplained: lines.join('\n') }
}
