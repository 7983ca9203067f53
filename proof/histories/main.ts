import { CannotPlay, readArguments } from './arguments.ts'
import { runSeed } from './run-seed.ts'

try {
  const { seeds, seconds, ...options } = await readArguments(process.argv.slice(2))
  let failed = 0
  for (const seed of seeds) {
    const { summary, unexplained } = await runSeed(seed, seconds, options)
    console.log(summary)
    if (unexplained !== '') {
      failed += 1
      console.error(unexplained)
    }
  }
  console.log(`histories: ${seeds.length} seeds, ${failed} unexplained`)
  process.exitCode = failed === 0 ? 0 : 1
} catch (error) {
  if (!(error instanceof CannotPlay)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
