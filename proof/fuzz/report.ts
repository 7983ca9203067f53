import type { FuzzFailure, FuzzReport } from './run.ts'

/** The mistake, the smallest case, the command that repeats it, and a curl command. */
export function describeFailure(failure: FuzzFailure, seed: number): string {
  const { property, problem, counterexample, path, curl } = failure
  return [
    `${property} (seed ${seed})`,
    `  ${problem.replaceAll('\n', '\n  ')}`,
    `  case:   ${counterexample}`,
    `  replay: npm run fuzz -- --seed=${seed} --only ${property} --path ${path}`,
    `  curl:   ${curl}`,
  ].join('\n')
}

/** A line for each operation and kind: statuses and how often. */
export function describeAnswers({ answers }: FuzzReport): string {
  const lines = [...answers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([property, counts]) => {
      const sorted = [...counts].sort(([a], [b]) => a - b)
      return `${property.padEnd(40)} ${sorted.map(([status, count]) => `${status}×${count}`).join('  ')}`
    })
  return lines.join('\n')
}
