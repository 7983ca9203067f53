import type { Rule } from './policy.ts'

/** Steps that were there before there were rules, in their order. No step that was released is ever changed. */
export const baseline: Readonly<Record<string, readonly string[]>> = {
  jobs: ['Enqueue0001'],
  account: [
    'AccountsAndLedger0001',
    'Idempotency0002',
    'Recovery0003',
    'ExpiringGrants0004',
    'PostingKeys0005',
    'Entitlements0006',
    'Payments0007',
    'Jobs0008',
    'TenantIsolation0009',
  ],
  keys: ['ApiKeys0001', 'IssueReference0002', 'TenantIsolation0003'],
  oauth: ['SigningKeys0001', 'SigningKeyRotation0002', 'Provider0003'],
  usage: [
    'UsageLog0001',
    'RollUps0002',
    'AuditTrail0003',
    'TenantIsolation0004',
    'UsageLogPartitions0005',
    'AuditChain0006',
    'AuditExport0007',
  ],
}

/**
 * The schema of pg-boss that running builds work with. Its workers start on no other: a release that
 * raises it is announced as one whose older workers must not be restarted.
 */
export const pgBossSchema = 43

interface Exception {
  /** Such as `account.Payments0007`. */
  readonly step: string
  readonly rule: Rule
  /** Why no build that may still run is hurt: what was checked, and which release made it unused. */
  readonly reason: string
}

/** Each was read by a second person, who agrees with the reason. */
export const reviewed: readonly Exception[] = [
  {
    step: 'usage.AnonymousFailures0012',
    rule: 'drop-or-rename',
    reason:
      'REVOKE of what PUBLIC may do with two functions that the same step makes: no build has called them.',
  },
  {
    step: 'jobs.WorkerRole0002',
    rule: 'drop-or-rename',
    reason:
      'Requests of the build before go on: they enqueue by the same function, and what their start compares ' +
      '(versions, names of queues) stays readable. A worker of that build is refused what waits in the queues. ' +
      'Nothing is lost: its jobs wait until a worker of this build is there. To go back to the build before, ' +
      'an operator gives its worker the tables again (deploy/README.md, Upgrade).',
  },
  {
    step: 'usage.LateEntriesCallers0013',
    rule: 'drop-or-rename',
    reason:
      'The functions are called as gateway_service and as their owner alone, by every build that has them; the ' +
      'same step gives them to gateway_service before it takes them from PUBLIC.',
  },
  {
    step: 'account.HoldCalls0015',
    rule: 'drop-or-rename',
    reason:
      'An index of a table with open holds alone, thousands of rows at most: the sweeper of the build before ' +
      'reads the table instead. Its statements name no index.',
  },
  {
    step: 'account.UnusedReservation0038',
    rule: 'drop-or-rename',
    reason:
      'The function is of step 0027, which no release has had without 0028. Builds between the two call it for ' +
      'requests with budgets alone, and no facade of theirs sends any.',
  },
  {
    step: 'account.ExpiryNotices0041',
    rule: 'not-readable',
    reason:
      'A SELECT that calls jobs.enqueue for each lot that ends later than a week from now, as step 0008 did for ' +
      'grants. It reads an index of the lots with credits left, locks no row, and changes the table of jobs alone.',
  },
  {
    step: 'usage.Analysis0021',
    rule: 'not-readable',
    reason:
      'A DO that sets storage parameters of autovacuum for each partition of the log. That locks a partition against ' +
      'other changes of it, VACUUM and ANALYZE alone: rows are read and written meanwhile.',
  },
]
