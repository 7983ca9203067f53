import type { PostgresBinaries } from '../../rest-facade/embedded-postgres/postgres-process.ts'
import { findUnexplained } from './model/explain.ts'
import { makePlan } from './plan/make-plan.ts'
import { play } from './play/play.ts'
import { describeHistory, describeUnexplained } from './report.ts'

export interface SeedReport {
  /** The steps that ran, on one line. */
  readonly summary: string
  /** The first event that the model can't explain, with its context; empty when it explains all. */
  readonly unexplained: string
}

interface SeedOptions {
  /** Of a PostgreSQL that is not the embedded one. */
  readonly binaries?: PostgresBinaries | undefined
  /** With faults of the machine too. */
  readonly isHard?: boolean
}

/** Plays one seed and compares what was seen with the model. */
export async function runSeed(
  seed: number,
  seconds: number,
  { binaries, isHard = false }: SeedOptions = {},
): Promise<SeedReport> {
  const plan = makePlan(seed, seconds, isHard)
  const history = await play(plan, binaries)
  return {
    summary: describeHistory(plan, history),
    unexplained: describeUnexplained(plan, history, findUnexplained(history)),
  }
}
