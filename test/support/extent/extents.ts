/** How much a run tries: `npm test` is fast, the gate tries all, and the night leaves nothing out. */
export type Extent = 'fast' | 'all' | 'nightly'

/** The files of each extent, by the folder that says their kind: test/README.md. */
export const extents: Readonly<Record<Extent, readonly string[]>> = {
  fast: ['test/{unit,api}/**/*.test.ts'],
  all: ['test/{unit,api,system}/**/*.test.ts'],
  nightly: ['test/{unit,api,system,nightly}/**/*.test.ts'],
}

/** At night, tests that charge, and that of new schemas, run on the oldest PostgreSQL that we support too. */
export const oldestFiles = [
  'test/api/ledger/*.test.ts',
  'test/api/statements/wire-{plans,sessions}.test.ts',
  'test/api/usage/usage-epoch*.test.ts',
  'test/system/faults/{database-restart,wire-connections,kill-nine,lost-hold,two-gateways}.test.ts',
  'test/system/migrations/new-schema.test.ts',
  'test/nightly/usage/*epochs.test.ts',
]

/**
 * Tests of what the gateway promises within a time, or about a database that answers late. They run one
 * at a time and after all others: a loaded machine is late by itself.
 */
export const timedFiles = [
  'test/system/faults/{black-hole,lost-commit,stalled-disk}.test.ts',
  'test/nightly/disks/full-disk.test.ts',
  'test/nightly/failover/failover.test.ts',
  'test/nightly/faults/{outage-answers,slow-release}.test.ts',
  'test/nightly/redis/redis-faults.test.ts',
  'test/nightly/settlements/charges-in-doubt.test.ts',
]
