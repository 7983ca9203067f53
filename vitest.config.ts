import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const { resolve } = createRequire(import.meta.url)

/** The kind of a test is its folder: test/README.md. */
const everything = ['test/**/*.test.ts']
const fastKinds = ['test/unit/**/*.test.ts', 'test/api/**/*.test.ts']

/** `npm run test:long` runs the files that can make more rounds. */
function filesWithRounds(): string[] {
  return globSync(everything).filter((file) => /\brounds\('/.test(readFileSync(file, 'utf8')))
}

export default defineConfig(({ mode }) => {
  const extent = mode === 'fast' || mode === 'long' ? mode : 'all'
  const include = { fast: fastKinds, all: everything, long: filesWithRounds() }[extent]
  return {
    // Vite takes graphql's ESM build while the subgraph libraries load the CommonJS one; two copies break instanceof.
    resolve: { alias: [{ find: /^graphql$/, replacement: resolve('graphql') }] },
    test: {
      include,
      env: {
        TEST_EXTENT: extent,
        TEST_SEED: process.env.TEST_SEED ?? String(randomInt(2 ** 31)),
      },
      globalSetup: [
        'test/support/extent/print-seed.ts',
        'test/support/database/postgres-server.ts',
      ],
      // A worker keeps the modules that it has loaded: loading them would take a third of all the time. What a
      // test changes in its process it changes back.
      isolate: false,
      setupFiles: ['test/support/conformity/fail-nonconforming.ts'],
      // For what hangs: what is only slow, on a loaded machine, must not fail.
      testTimeout: 180_000,
      hookTimeout: 240_000,
      // All files share one PostgreSQL server with its 200 connections.
      // One more than there are cores: tests wait for databases and processes half of their time.
      // They write one file of examples in turn.
      maxWorkers: process.env.RECORD_EXAMPLES === '1' ? 1 : Math.min(4, availableParallelism() + 1),
    },
  }
})
