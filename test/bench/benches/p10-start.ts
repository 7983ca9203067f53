import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'

export const p10: Bench = {
  name: 'p10',
  title: 'The default run, from its start to the first charged call',
  run,
}

const maxFreshMs = 5000
const maxAgainMs = 2500
const maxResidentMb = 300
const patienceMs = 120_000
const demo = z.object({ base_url: z.string(), live_key: z.string() })

interface Start {
  readonly startMs: number
  /** Of the gateway's process, after the call; PostgreSQL's are not counted. */
  readonly residentMb: number
}

async function run({ slices }: BenchContext): Promise<readonly Row[]> {
  const fresh: Start[] = []
  const again: Start[] = []
  for (let slice = 0; slice < slices; slice += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
    try {
      fresh.push(await start(folder))
      again.push(await start(folder))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const startMs = (starts: readonly Start[]) => median(starts.map((one) => one.startMs))
  const residentMb = median([...fresh, ...again].map((one) => one.residentMb))
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
  return [
    row('P10 first charged call, fresh database', seconds, startMs(fresh), maxFreshMs, fresh),
    row('P10 first charged call, existing database', seconds, startMs(again), maxAgainMs, again),
    row('P10 resident memory', (mb) => `${mb.toFixed(0)} MB`, residentMb, maxResidentMb, []),
  ]
}

function row(
  bench: string,
  show: (value: number) => string,
  value: number,
  max: number,
  measured: unknown,
): Row {
  return {
    ...{ bench, goal: `≤ ${show(max)}`, ours: show(value), floor: '' },
    ...{ value: '', isMet: value <= max, problems: [], measured },
  }
}

/** What `npm start` runs once it has compiled. */
async function start(folder: string): Promise<Start> {
  const main = join(projectRoot, 'dist/rest-facade/commands/main.js')
  const startedAtMs = performance.now()
  const gateway = spawn(
    process.execPath,
    ['--enable-source-maps', '--max-semi-space-size=16', main, 'start'],
    {
      env: {
        ...process.env,
        ...{
          DATA_DIR: folder,
          PORT: '0',
          SANDBOX_PORT: '0',
          INTERNAL_PORT: '0',
          LOG_LEVEL: 'error',
        },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const exited = once(gateway, 'exit')
  try {
    await Promise.race([untilBanner(gateway.stdout), died(exited), sleep(patienceMs)])
    const { base_url, live_key } = demo.parse(
      JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')),
    )
    const response = await fetch(`${base_url}/v1/contacts/reveal`, {
      method: 'POST',
      headers: { authorization: `Bearer ${live_key}`, 'content-type': 'application/json' },
      body: '{"contact_id":"con_5f1e0c7a9b3d2e48"}',
    })
    await response.arrayBuffer()
    if (response.headers.get('x-credits-charged') !== '5') throw new Error('It was not charged.')
    const startMs = performance.now() - startedAtMs
    return { startMs, residentMb: residentMbOf(gateway.pid ?? 0) }
  } finally {
    gateway.kill('SIGTERM')
    await exited
  }
}

async function untilBanner(stdout: NodeJS.ReadableStream): Promise<void> {
  let text = ''
  for await (const chunk of stdout) {
    text += chunk
    if (text.includes('Try it:')) break
  }
  // The remaining output is not read; the process must not wait for that.
  stdout.resume()
}

async function died(exited: Promise<unknown[]>): Promise<never> {
  const [code] = await exited
  throw new Error(`The gateway ended with exit code ${String(code)}.`)
}

function residentMbOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}
