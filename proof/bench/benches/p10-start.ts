import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { parseStat } from '../machine/process-times.ts'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { startGatewayChild } from '../support/gateway.ts'
import { revealRequest } from '../support/reveal.ts'

export const p10: Bench = {
  name: 'p10',
  title: '`npm start` to the first charged call, and memory after it and after load',
  run,
}

const maxFreshMs = 5000
const maxAgainMs = 2500
const maxResidentMb = 250
const maxAfterLoadMb = 350
/** Closed loops, the second far beyond what the gateway can serve. */
const loads = [
  { connections: 32, seconds: 20 },
  { connections: 1000, seconds: 10 },
]
const patienceMs = 120_000
const demo = z.object({ base_url: z.string(), live_key: z.string() })

interface Start {
  readonly startMs: number
  /** The memory of the gateway's process after the call; PostgreSQL's is not counted. */
  readonly residentMb: number
}

async function run({ slices, runLoad, gatewayFlags }: BenchContext): Promise<readonly Row[]> {
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
  const megabytes = (mb: number) => `${mb.toFixed(0)} MB`
  const afterLoad = await residentMbAfterLoad({ runLoad, gatewayFlags })
  return [
    row('P10 first charged call, fresh database', seconds, startMs(fresh), maxFreshMs, fresh),
    row('P10 first charged call, existing database', seconds, startMs(again), maxAgainMs, again),
    row('P10 resident memory', megabytes, residentMb, maxResidentMb, []),
    row('P10 resident memory after load', megabytes, afterLoad, maxAfterLoadMb, []),
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

async function residentMbAfterLoad({
  runLoad,
  gatewayFlags,
}: Pick<BenchContext, 'runLoad' | 'gatewayFlags'>): Promise<number> {
  const gateway = await startGatewayChild({ accounts: 400 }, gatewayFlags)
  try {
    const request = { ...revealRequest(gateway.ready), url: gateway.ready.baseUrl }
    for (const load of loads) await runLoad({ ...request, ...load })
    return residentMbOf(gateway.pid)
  } finally {
    await gateway.stop()
  }
}

/** With the check of what has to be compiled. The first start of a bench may compile. */
async function start(folder: string): Promise<Start> {
  const startedAtMs = performance.now()
  const gateway = spawn('npm', ['start'], {
    cwd: projectRoot,
    env: {
      ...process.env,
      ...{
        WORKERS: '1',
        DATA_DIR: folder,
        PORT: '0',
        SANDBOX_PORT: '0',
        INTERNAL_PORT: '0',
        LOG_LEVEL: 'error',
      },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
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
    return { startMs, residentMb: residentMbOf(programOf(gateway.pid ?? 0)) }
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

/** The process that npm has started. */
function programOf(npm: number): number {
  const childOf = (parent: number) =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .find((pid) => parentOf(pid) === parent)
  const child = childOf(npm)
  if (child === undefined) throw new Error('npm has started nothing.')
  return child
}

/** Null for one that has ended meanwhile. */
function parentOf(pid: number): number | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).parentPid
  } catch {
    return null
  }
}

function residentMbOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}
