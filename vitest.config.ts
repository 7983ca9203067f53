import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const { resolve } = createRequire(import.meta.url)

export default defineConfig({
  // Vite takes graphql's ESM build while the subgraph libraries load the CommonJS one; two copies break instanceof.
  resolve: { alias: [{ find: /^graphql$/, replacement: resolve('graphql') }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/database/postgres-server.ts'],
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
})
