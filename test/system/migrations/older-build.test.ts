import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { rounds } from '../../support/extent/extent.ts'
import { compileProgram } from '../../support/processes/program.ts'

const script = join(projectRoot, '.ci', 'old-build-on-new-schema.mjs')
const manyRows = rounds('OLDER_BUILD_ROWS', { all: 0, long: 1_000_000 })

beforeAll(compileProgram)

interface Outcome {
  readonly exitCode: number | null
  readonly printed: string
}

async function runScript(...options: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [script, '--compiled', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      printed += part
    })
  }
  await once(child, 'close')
  console.log(printed.trim())
  return { exitCode: child.exitCode, printed }
}

test('the build before charges while this one migrates, then beside it, and no book has a drift', {
  timeout: 600_000,
}, async ({ skip }) => {
  const { exitCode, printed } = await runScript()

  skip(printed.startsWith('skipped: '), printed.trim())
  expect(exitCode, printed).toBe(0)
  expect(printed).toMatch(/^It charged calls while this build applied: .*account\.HoldCalls0015/m)
  expect(printed).toMatch(/^It starts on the schema of this build/m)
  expect(printed).toMatch(/^No ledger, balance, usage log or sum has a drift\.$/m)
})

test('the build before charges while this one migrates many rows, and no statement of a gateway waits longer than a second', {
  timeout: 1_800_000,
}, async ({ skip }) => {
  skip(manyRows === 0, 'Only npm run test:long plants many rows.')

  const { exitCode, printed } = await runScript(`--rows=${manyRows}`)

  skip(printed.startsWith('skipped: '), printed.trim())
  expect(exitCode, printed).toBe(0)
  expect(printed).toMatch(/^All of \d+ calls \(\d+\/s\) were charged\.$/m)
})
