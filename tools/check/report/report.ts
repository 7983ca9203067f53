import type { Acknowledgement } from './acknowledgements.ts'
import type { Finding } from './finding.ts'

export interface ReportedFinding extends Finding {
  readonly acknowledgement: Acknowledgement | null
}

/** A check that could not be made, and why. */
export interface Failure {
  readonly check: string
  readonly message: string
}

/** All that one run of `schema:check` found. */
export interface Report {
  /** The commit that this tree was compared with. */
  readonly base: { readonly revision: string; readonly commit: string }
  /** How many generated files there are. */
  readonly fileCount: number
  /** The parts that were not compared, with the reason. */
  readonly notes: readonly string[]
  /** Checks that broke down: what they would have found is not among the findings. */
  readonly failures: readonly Failure[]
  readonly findings: readonly ReportedFinding[]
}

/** How many findings there are of each severity that nobody has acknowledged, and how many are. */
export interface Counts {
  readonly errors: number
  readonly breaking: number
  readonly dangerous: number
  readonly acknowledged: number
}

export function countsOf({ findings }: Report): Counts {
  const open = findings.filter(({ acknowledgement }) => acknowledgement === null)
  const count = (wanted: Finding['severity']) =>
    open.filter(({ severity }) => severity === wanted).length
  return {
    errors: count('error'),
    breaking: count('breaking'),
    dangerous: count('dangerous'),
    acknowledged: findings.length - open.length,
  }
}

/** 2: something could not be checked. A finding that is only dangerous warns. */
export function exitCodeOf(report: Report): 0 | 1 | 2 {
  const { errors, breaking } = countsOf(report)
  if (report.failures.length > 0) return 2
  return errors + breaking > 0 ? 1 : 0
}
