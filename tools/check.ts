/**
 * `npm run schema:check`: names the mistakes of the contract and the changes since a git revision
 * that break a client (schema/README.md). Exits 1 when something fails, 2 when a part could not be
 * checked.
 */
import { parseArgs } from 'node:util'
import { projectRoot } from '../schema/process/project-root.ts'
import { CannotCheck } from './check/report/finding.ts'
import { type Format, formats, isFormat } from './check/report/formats.ts'
import { exitCodeOf } from './check/report/report.ts'
import { openBase } from './check/trees/base.ts'

interface Options {
  readonly base: string
  readonly format: Format
}

try {
  process.exitCode = await check(readOptions())
} catch (error) {
  if (!(error instanceof CannotCheck)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

async function check({ base: revision, format }: Options): Promise<number> {
  const base = openBase(projectRoot, revision)
  // Imported only after the options are valid: the subgraphs take a second to load.
  const { runCheck } = await import('./check/run.ts')
  const report = await runCheck(base)
  process.stdout.write(formats[format](report))
  return exitCodeOf(report)
}

function readOptions(): Options {
  const { base, format } = parseOptions()
  if (isFormat(format)) return { base, format }
  throw new CannotCheck(`The format is ${Object.keys(formats).join(', ')}, not ${format}.`)
}

function parseOptions() {
  try {
    return parseArgs({
      options: {
        base: { type: 'string', default: 'HEAD' },
        format: { type: 'string', default: 'text' },
      },
    }).values
  } catch (error) {
    throw new CannotCheck(error instanceof Error ? error.message : String(error))
  }
}
