import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRoot } from '../../../schema/process/project-root.ts'

const main = join(projectRoot, 'dist', 'gateway', 'commands', 'main.js')

/** How a program ended, and all it printed. */
export interface Finished {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A running `node dist/gateway/commands/main.js …`. */
export interface Program {
  readonly pid: number
  readonly finished: Promise<Finished>
  isRunning(): boolean
  /** The text that it has printed so far. */
  stdout(): string
  stderr(): string
  signal(name: NodeJS.Signals): void
  /** Signals its process group, as Ctrl-C in a terminal does. */
  signalGroup(name: NodeJS.Signals): void
}

export interface ProgramOptions {
  readonly args: readonly string[]
  readonly cwd: string
  readonly variables: Readonly<Record<string, string>>
  /** Further flags for Node itself, such as `shipped`. */
  readonly nodeFlags?: readonly string[]
  /** The user id of the program, if it differs from that of the test. */
  readonly user?: { readonly uid: number; readonly gid: number }
}

/**
 * A process of Node 24 may hang for ever when it exits while V8 compiles in the background
 * (nodejs/node#54918). A command that ends seconds after its start does so now and then on a busy machine.
 */
const nodeOptions = ['--enable-source-maps', '--no-maglev', '--no-concurrent-sparkplug']

/** What `gateway.mjs` starts the program with, for tests of memory. */
export function shipped() {
  const file = join(projectRoot, 'gateway', 'commands', 'node-flags.json')
  const nodeFlags: readonly string[] = JSON.parse(readFileSync(file, 'utf8'))
  return { nodeFlags, variables: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' } }
}

/**
 * Starts the compiled program in an environment that holds nothing but what a test gives it, and the
 * number of workers that TEST_WORKERS wants; one by default, whatever the machine has.
 */
export function startProgram(options: ProgramOptions): Program {
  const { args, cwd, variables, nodeFlags = [], user } = options
  const { PATH = '', TMPDIR } = process.env
  const child = spawn(process.execPath, [...nodeOptions, ...nodeFlags, main, ...args], {
    cwd,
    env: {
      // The banner's command runs node.
      PATH: `${dirname(process.execPath)}:${PATH}`,
      ...(TMPDIR === undefined ? {} : { TMPDIR }),
      WORKERS: process.env.TEST_WORKERS ?? '1',
      NODE_COMPILE_CACHE: join(projectRoot, 'node_modules', '.cache', 'node-compile-cache'),
      ...variables,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${process.execPath} cannot be started.`)
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  const finished = once(child, 'close').then(
    (): Finished => ({
      code: child.exitCode,
      signal: child.signalCode,
      stdout: stdout(),
      stderr: stderr(),
    }),
  )
  return {
    pid,
    finished,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stdout,
    stderr,
    signal: (name) => child.kill(name),
    signalGroup: (name) => process.kill(-pid, name),
  }
}

function collect(stream: ChildProcess['stdout']): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return () => text
}

const buildPatienceMs = 120_000

/**
 * Compiles the program when a source is newer. Test files run at the same time: one compiles, the
 * others wait.
 */
export async function compileProgram(): Promise<void> {
  const dist = join(projectRoot, 'dist')
  const lock = join(dist, '.compiling')
  mkdirSync(dist, { recursive: true })
  await acquire(lock)
  try {
    // The stamp is our own: the build info of tsc does not tell, because `tsc --noEmit` renews that too.
    const stamp = join(dist, '.compiled-for-tests')
    if (isFresh(stamp)) return
    const startedAt = new Date()
    // Otherwise an incremental tsc would take what is written now for what it wrote itself.
    rmSync(join(dist, '.tsbuildinfo'), { force: true })
    // Types are checked by `npm run check`.
    const tsc = join(projectRoot, 'node_modules', '.bin', 'tsc')
    const settings = join(projectRoot, 'tsconfig.emit.json')
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', settings], { encoding: 'utf8' })
    if (!existsSync(main)) throw new Error(`The program cannot be compiled: ${stdout}`)
    writeFileSync(stamp, '')
    utimesSync(stamp, startedAt, startedAt)
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

/** Builds the console when it is missing or older than its source. */
export async function buildConsole(): Promise<void> {
  const cache = join(projectRoot, 'node_modules', '.cache')
  const lock = join(cache, '.building-console')
  mkdirSync(cache, { recursive: true })
  await acquire(lock)
  try {
    const build = join(projectRoot, 'console', 'build.mjs')
    const { status, stderr } = spawnSync(process.execPath, [build], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`The console cannot be built: ${stderr}`)
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

async function acquire(lock: string): Promise<void> {
  const deadline = Date.now() + buildPatienceMs
  for (;;) {
    try {
      mkdirSync(lock)
      return
    } catch (error) {
      // A killed run may have left it behind.
      if (Date.now() > deadline) rmSync(lock, { recursive: true, force: true })
      if (!existsSync(lock)) continue
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      await sleep(50)
    }
  }
}

function isFresh(stamp: string): boolean {
  if (!existsSync(stamp) || !existsSync(main)) return false
  const builtMs = statSync(stamp).mtimeMs
  return ['gateway', 'rest-facade', 'schema', 'site', 'subgraphs', 'tools'].every((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .every((name) => statSync(join(projectRoot, folder, name)).mtimeMs <= builtMs),
  )
}
