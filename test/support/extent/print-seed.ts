import type { TestProject } from 'vitest/node'

/** Before anything runs, so that a run which fails can be repeated. */
export default function printSeed({ config }: TestProject): void {
  const { TEST_EXTENT, TEST_SEED } = config.env
  process.stdout.write(`TEST_EXTENT=${TEST_EXTENT} TEST_SEED=${TEST_SEED}\n`)
}
