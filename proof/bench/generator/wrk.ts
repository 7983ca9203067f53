import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { type Load, type LoadResult, loadResult, loadSchema } from '../support/load.ts'
import { renderAll } from './requests.ts'

const run = promisify(execFile)
const program = 'wrk'
const script = join(projectRoot, 'proof/bench/generator/wrk.lua')
/** Between requests, and in the place of a key. Neither is part of a request. */
const marks = { end: '\x1e', key: '\x1a' } as const
/** The script counts with so many digits. */
const countedDigits = 12

/** Why wrk cannot be used, or null. */
export function whyNoWrk(): string | null {
  const { error } = spawnSync(program, ['--version'])
  return error ? `wrk cannot be started; Debian's package wrk has it: ${error.message}` : null
}

/** Sends a closed load with wrk instead of our own generator. It stops without waiting for the last answers. */
export async function runWrk(given: Load): Promise<LoadResult> {
  const load = loadSchema.parse(given)
  if (load.perSecond !== undefined || load.leadSeconds > 0) {
    throw new Error('wrk has no steady rate and no lead.')
  }
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-wrk-'))
  try {
    const requests = join(folder, 'requests')
    const rendered = renderAll(load, () => marks.key).map((render) => render())
    writeFileSync(requests, rendered.join(marks.end))
    // One thread has all of the rotation, and is quicker than what it asks.
    const options = ['-t', '1', '-c', String(load.connections), '-d', String(load.seconds)]
    const keyStart = randomUUID().slice(0, -countedDigits)
    const args = [...options, '--timeout', '30', '-s', script, load.url, '--', requests, keyStart]
    const { stderr } = await run(program, args)
    return loadResult.parse(JSON.parse(stderr))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
