import { randomInt } from 'node:crypto'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { debianFolder, hasDebianPostgres } from './test/support/database/postgres-binaries.ts'
import { type Extent, extents, oldestFiles, timedFiles } from './test/support/extent/extents.ts'
import { LongFilesFirst } from './test/support/extent/long-files-first.ts'

const { resolve } = createRequire(import.meta.url)

interface ProjectOptions {
  /** Of the programs of PostgreSQL; by default the embedded one. */
  readonly folder?: string
  /** Of what tests repeat: half where another project makes all rounds. */
  readonly rounds?: 'all' | 'half'
  readonly setups?: string[]
  readonly exclude?: readonly string[]
  readonly maxWorkers?: number
  readonly sequence?: { readonly groupOrder: number }
}

export default defineConfig(({ mode }) => {
  const extent: Extent = mode === 'fast' || mode === 'nightly' ? mode : 'all'
  // `npx vitest run <path>` runs what is asked for, also if the gate leaves it to the night.
  const hasAll = mode !== 'all' && extent !== 'fast'
  const { [hasAll ? 'nightly' : extent]: files } = extents
  const seed = process.env.TEST_SEED ?? String(randomInt(2 ** 31))
  /** All tests of a project share one PostgreSQL server. */
  const projectOn = (name: string, include: readonly string[], options: ProjectOptions = {}) => {
    const {
      folder = process.env.TEST_POSTGRES ?? '',
      setups = [],
      exclude = [],
      rounds = 'all',
      ...others
    } = options
    return {
      extends: true as const,
      test: {
        name,
        include: [...include],
        exclude: [...exclude],
        env: { TEST_EXTENT: extent, TEST_SEED: seed, TEST_POSTGRES: folder, TEST_ROUNDS: rounds },
        globalSetup: [...setups, 'test/support/database/postgres-server.ts'],
        ...others,
      },
    }
  }
  const setups = ['test/support/extent/print-seed.ts']
  const projects = [projectOn('tests', files, { setups, exclude: timedFiles })]
  if (extent !== 'fast') {
    const timed = timedFiles.filter((file) => hasAll || !file.startsWith('test/nightly/'))
    projects.push(projectOn('alone', timed, { maxWorkers: 1, sequence: { groupOrder: 1 } }))
  }
  if (hasAll && hasDebianPostgres()) {
    projects.push(projectOn('PostgreSQL 15', oldestFiles, { folder: debianFolder, rounds: 'half' }))
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
      setupFiles: [
        'test/support/left-open/fail-left-open.ts',
        'test/support/conformity/fail-nonconforming.ts',
      ],
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
