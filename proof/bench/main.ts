import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectRoot } from '../../schema/process/project-root.ts'
import { cpu } from './benches/cpu.ts'
import { grow } from './benches/grow.ts'
import { lat } from './benches/lat.ts'
import { p1 } from './benches/p1-credits.ts'
import { p2 } from './benches/p2-reveal.ts'
import { p4 } from './benches/p4-charges.ts'
import { p5 } from './benches/p5-operations.ts'
import { p6 } from './benches/p6-usage-log.ts'
import { p6b } from './benches/p6b-usage-summary.ts'
import { p7 } from './benches/p7-tokens.ts'
import { p8 } from './benches/p8-refusals.ts'
import { p9 } from './benches/p9-export.ts'
import { p10 } from './benches/p10-start.ts'
import { p11 } from './benches/p11-scale.ts'
import { r7 } from './benches/r7-overload.ts'
import { runRole } from './child.ts'
import { consoleBench } from './console/console.ts'
import { watchOtherPrograms } from './machine/other-programs.ts'
import { p3 } from './p3/p3-better-auth.ts'
import { reads } from './reads/reads.ts'
import { type Figure, figuresOf, recordFigures } from './records/figures.ts'
import { shards } from './shards/shards.ts'
import { soak } from './soak/soak.ts'
import type { Bench, BenchContext, Row } from './support/bench.ts'
import { startLoadGenerator } from './support/load.ts'
import { linesOf, writeResults } from './support/report.ts'
import { wrk } from './wrk/wrk.ts'

const benches: readonly Bench[] = [
  p1,
  p2,
  p3,
  p4,
  p5,
  p6,
  p6b,
  p7,
  p8,
  p9,
  p10,
  p11,
  r7,
  reads,
  consoleBench,
  cpu,
  wrk,
  lat,
  grow,
  shards,
  soak,
]

async function runBenches(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      slices: { type: 'string' },
      seconds: { type: 'string', default: '60' },
      minutes: { type: 'string', default: '5' },
      load: { type: 'string' },
      long: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      'cpu-prof-dir': { type: 'string' },
      rows: { type: 'string', default: '10000000' },
    },
  })
  const profileDir = values['cpu-prof-dir']
  const generator = await startLoadGenerator()
  const context: BenchContext = {
    runLoad: generator.run,
    slices: Number(values.slices ?? 3),
    longRounds: Number(values.slices ?? 1),
    longSeconds: Number(values.seconds),
    soakMinutes: Number(values.minutes),
    soakLoad: values.load === undefined ? null : Number(values.load),
    logRows: Number(values.rows),
    gatewayFlags: profileDir ? ['--cpu-prof', '--cpu-prof-dir', profileDir] : [],
  }
  const rows: Row[] = []
  const figures: Figure[] = []
  try {
    for (const bench of pick(positionals, values.long)) {
      console.log(`${bench.name}: ${bench.title}`)
      const shareOfOthers = watchOtherPrograms()
      const measured = await bench.run(context)
      rows.push(...measured)
      figures.push(...figuresOf(bench.name, measured))
      const percent = Math.round(shareOfOthers() * 100)
      console.log(`${bench.name}: other programs used ${percent} % of the processors' time.`)
    }
  } finally {
    await generator.stop()
  }
  for (const line of linesOf(rows)) console.log(line)
  writeResults(join(projectRoot, 'bench-results.json'), rows)
  if (values.record) recordFigures(join(projectRoot, 'docs/figures.json'), figures)
}

/** The named benches; without names all, but the long ones only when they are asked for. */
function pick(names: readonly string[], areLongToo: boolean): readonly Bench[] {
  if (names.length === 0) return benches.filter(({ isLong }) => areLongToo || !isLong)
  return names.map((name) => {
    const bench = benches.find((candidate) => candidate.name === name.toLowerCase())
    if (bench) return bench
    throw new Error(
      `No bench is named ${name}; there are ${benches.map((b) => b.name).join(', ')}.`,
    )
  })
}

const [first, ...rest] = process.argv.slice(2)
if (first === 'child') await runRole(rest)
else await runBenches(process.argv.slice(2))
