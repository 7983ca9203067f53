import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { compileProgram } from '../../support/processes/program.ts'

const script = join(projectRoot, '.ci', 'old-build-on-new-schema.mjs')

beforeAll(compileProgram)

test('the build before charges while this one migrates, then beside it, and no book has a drift', {
  timeout: 1_800_000,
}, async ({ skip }) => {
  let { code, printed } = await run()
  // The older build gives up a connection after two seconds, whatever it is told. A defect fails again.
  if (printed.includes('A call answered 503')) ({ code, printed } = await run())

  console.log(printed.trim())
  skip(printed.startsWith('skipped: '), printed.trim())
  expect(code, printed).toBe(0)
  expect(printed).toMatch(/^It charged calls while this build applied: .*account\.HoldCalls0015/m)
  expect(printed).toMatch(/^It starts on the schema of this build/m)
  expect(printed).toMatch(/^No ledger, balance, usage log or sum has a drift\.$/m)
})

async function run(): Promise<{ readonly code: number | null; readonly printed: string }> {
  const child = spawn(process.execPath, [script, '--compiled'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      printed += part
    })
  }
  await once(child, 'close')
  return { code: child.exitCode, printed }
}
