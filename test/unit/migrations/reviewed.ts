import type { Rule } from './policy.ts'

/**
 * The schema of pg-boss that running builds work with. Its workers start on no other: a release that
 * raises it is announced as one whose older workers must not be restarted.
 */
export const pgBossSchema = 43

interface Exception {
  /** The name of the step, such as `account.Refunds0001`. */
  readonly step: string
  readonly rule: Rule
  /** Why no build that may still run is hurt: what was checked, and which release made it unused. */
  readonly reason: string
}

/** Each was read by a second person, who agrees with the reason. */
export const reviewed: readonly Exception[] = []
