import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { debianFolder, hasDebianPostgres } from './test/support/database/postgres-binaries.ts'
import { LongFilesFirst } from './test/support/extent/long-files-first.ts'

const { resolve } = createRequire(import.meta.url)

/** The kind of a test is its folder: test/README.md. */
const everything = ['test/**/*.test.ts']
const fastKinds = ['test/unit/**/*.test.ts', 'test/api/**/*.test.ts']

/** Tests that charge, and that of new schemas, run on the oldest PostgreSQL that we support too. */
const oldestFiles = [
  'test/api/ledger/*.test.ts',
  'test/api/statements/kept-{plans,sessions}.test.ts',
  'test/api/usage/usage-epoch*.test.ts',
  'test/system/faults/{database-restart,kept-connections,kill-nine,lost-hold,two-gateways}.test.ts',
  'test/system/migrations/new-schema.test.ts',
  'test/system/usage/*epochs.test.ts',
]

/**
 * Tests of what the gateway promises within a time, or about a database that answers late. They run one
 * at a time and after all others: a loaded machine is late by itself.
 */
const timedFiles = [
  'test/system/failover/failover.test.ts',
  'test/system/faults/black-hole.test.ts',
  'test/system/disks/full-disk.test.ts',
  'test/system/faults/lost-commit.test.ts',
  'test/system/faults/outage-answers.test.ts',
  'test/system/faults/slow-release.test.ts',
  'test/system/faults/stalled-disk.test.ts',
  'test/system/redis/redis-faults.test.ts',
  'test/system/settlements/charges-in-doubt.test.ts',
]

/** `npm run test:long` runs the files that can make more rounds. */
function filesWithRounds(): string[] {
  return globSync(everything).filter((file) => /\brounds\('/.test(readFileSync(file, 'utf8')))
}

interface ProjectOptions {
  /** Of the programs of PostgreSQL; by default the embedded one. */
  readonly folder?: string
  /** Of what tests repeat: half where another project makes all rounds. */
  readonly rounds?: 'all' | 'half'
  readonly setups?: string[]
  readonly exclude?: string[]
  readonly maxWorkers?: number
  readonly sequence?: { readonly groupOrder: number }
}

export default defineConfig(({ mode }) => {
  const extent = mode === 'fast' || mode === 'long' ? mode : 'all'
  const include = { fast: fastKinds, all: everything, long: filesWithRounds() }[extent]
  const seed = process.env.TEST_SEED ?? String(randomInt(2 ** 31))
  /** All tests of a project share one PostgreSQL server. */
  const projectOn = (name: string, files: string[], options: ProjectOptions = {}) => {
    const {
      folder = process.env.TEST_POSTGRES ?? '',
      setups = [],
      rounds = 'all',
      ...others
    } = options
    return {
      extends: true as const,
      test: {
        name,
        include: files,
        env: { TEST_EXTENT: extent, TEST_SEED: seed, TEST_POSTGRES: folder, TEST_ROUNDS: rounds },
        globalSetup: [...setups, 'test/support/database/postgres-server.ts'],
        ...others,
      },
    }
  }
  const setups = ['test/support/extent/print-seed.ts']
  const projects = [
    projectOn('tests', include, { setups, exclude: extent === 'all' ? timedFiles : [] }),
  ]
  if (extent === 'all') {
    projects.push(projectOn('alone', timedFiles, { maxWorkers: 1, sequence: { groupOrder: 1 } }))
    if (hasDebianPostgres()) {
      projects.push(
        projectOn('PostgreSQL 15', oldestFiles, { folder: debianFolder, rounds: 'half' }),
      )
    }
  }
  return {
    // Vite takes graphql's ESM build while the subgraph libraries load the CommonJS one; two copies break instanceof.
    resolve: { alias: [{ find: /^graphql$/, replacement: resolve('graphql') }] },
    test: {
      projects,
      sequence: { sequencer: LongFilesFirst },
      // A worker keeps the modules that it has loaded: loading them would take a third of all the time. What a
      // test changes in its process it changes back.
      isolate: false,
      // Most code of tests runs a few times only, so compiling it well does not pay; nor does collecting young
      // objects often: together 8 % of the processor time.
      execArgv: ['--no-maglev', '--max-semi-space-size=64'],
      setupFiles: ['test/support/conformity/fail-nonconforming.ts'],
      // For what hangs: what is only slow, on a loaded machine, must not fail.
      testTimeout: 900_000,
      hookTimeout: 900_000,
      // Concurrent tests start programs; more of them at once only wait for each other's processor time.
      maxConcurrency: 2,
      // One more than there are cores: tests wait for databases and processes half of their time.
      // They write one file of examples in turn.
      maxWorkers: process.env.RECORD_EXAMPLES === '1' ? 1 : Math.min(4, availableParallelism() + 1),
    },
  }
})
