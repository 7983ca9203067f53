import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { z } from 'zod'
import { scratchFolder } from '../database/scratch-folder.ts'
import { patience } from '../time/patience.ts'
import { until } from '../time/until.ts'
import { type Finished, type Program, startProgram } from './program.ts'

const demoFile = z.strictObject({
  base_url: z.url(),
  sandbox_url: z.url(),
  internal_url: z.url(),
  account_id: z.string(),
  live_key: z.string(),
  sandbox_key: z.string(),
  internal_token: z.string(),
})
const passwordsFile = z.object({ postgres: z.string() })

type Variables = Readonly<Record<string, string>>

export interface StartedGateway extends Program {
  readonly baseUrl: string
  readonly sandboxUrl: string
  readonly internalUrl: string
}

/** A folder of the test's own in which the real program runs; nothing outlives it. */
export interface Workplace {
  readonly folder: string
  readonly dataDir: string
  /** Starts any command and leaves it running. */
  spawn(args: readonly string[], variables?: Variables): Program
  /** Runs a command to its end. */
  run(args: readonly string[], variables?: Variables): Promise<Finished>
  /** `gateway start`, once its banner is printed. */
  start(variables?: Variables): Promise<StartedGateway>
  /** `DATA_DIR/demo.json`. */
  demo(): z.infer<typeof demoFile>
  /** The pids of the PostgreSQL servers that have the cluster of `DATA_DIR`. */
  postmasters(): number[]
  /** Asks the embedded database, as superuser: to look at stored effects, never to make them. */
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>
  /**
   * Takes locks in the embedded database, and keeps them until the returned function is called or the
   * database stops.
   */
  hold(sql: string): Promise<() => Promise<void>>
  close(): Promise<void>
}

export interface WorkplaceOptions {
  /** Where the folder is made, by default `scratchFolder()`. */
  readonly parent?: string
  /** The beginning of the folder's name. */
  readonly prefix?: string
  /** 0o700 unless told. */
  readonly mode?: number
  /** Further flags for Node itself. */
  readonly nodeFlags?: readonly string[]
  /** The user that owns the folder and runs everything in it, by default us. */
  readonly user?: { readonly uid: number; readonly gid: number }
}

export function openWorkplace(options: WorkplaceOptions = {}): Workplace {
  const { parent = scratchFolder(), prefix = 'gateway-start-', mode = 0o700 } = options
  const { nodeFlags, user } = options
  const folder = mkdtempSync(join(parent, prefix))
  chmodSync(folder, mode)
  if (user) chownSync(folder, user.uid, user.gid)
  const dataDir = join(folder, 'data')
  const programs: Program[] = []

  function spawn(args: readonly string[], variables: Variables = {}): Program {
    const program = startProgram({
      args,
      cwd: folder,
      variables: {
        HOME: folder,
        PORT: '0',
        SANDBOX_PORT: '0',
        INTERNAL_PORT: '0',
        DATA_DIR: dataDir,
        // Where no outage is under test, a loaded machine must not be one.
        DATABASE_TIMEOUT_MS: '30000',
        ...variables,
      },
      nodeFlags,
      user,
    })
    programs.push(program)
    return program
  }

  function postmasters(): number[] {
    const servers = commandLines().filter(
      ({ program, args }) => program === 'postgres' && isOn(args, join(dataDir, 'postgres')),
    )
    // A child has its parent's command line until it has set its own title.
    const pids = new Set(servers.map(({ pid }) => pid))
    return servers.filter(({ parent }) => !pids.has(parent)).map(({ pid }) => pid)
  }

  return {
    folder,
    dataDir,
    spawn,
    postmasters,
    run: (args, variables) => spawn(args, variables).finished,
    async start(variables) {
      const program = spawn(['start'], variables)
      return { ...program, ...(await untilStarted(program)) }
    },
    demo: () => demoFile.parse(JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))),
    async query<Row extends object>(sql: string, values: unknown[] = []) {
      const client = new pg.Client({ connectionString: superuserUrl(dataDir) })
      await client.connect()
      try {
        return (await client.query<Row>(sql, values)).rows
      } finally {
        await client.end()
      }
    },
    async hold(sql) {
      const client = new pg.Client({ connectionString: superuserUrl(dataDir) })
      // The database may stop before the locks are released.
      client.on('error', () => {})
      await client.connect()
      await client.query('BEGIN')
      await client.query(sql)
      return () => client.end()
    },
    async close() {
      await Promise.all(programs.map(stop))
      for (const pid of postmasters()) killIfThere(pid)
      await until(() => postmasters().length === 0)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function untilStarted(program: Program) {
  const urlOf = (label: string) =>
    new RegExp(`${label} +(http://[^/\\s]+)/(?:v1|graphql)\n`).exec(program.stdout())?.[1] ?? ''
  const deadline = Date.now() + patience.timeout
  while (urlOf('Internal GraphQL') === '') {
    if (!program.isRunning()) {
      const { code, stderr } = await program.finished
      throw new Error(`The gateway ended with ${code}: ${stderr}`)
    }
    if (Date.now() > deadline) throw new Error(`The gateway does not start: ${program.stderr()}`)
    await sleep(10)
  }
  return {
    baseUrl: urlOf('Credit gateway'),
    sandboxUrl: urlOf('Sandbox'),
    internalUrl: urlOf('Internal GraphQL'),
  }
}

/** Kindly first, so that no lock stays behind; a drain that a failed test left hanging is cut. */
async function stop(program: Program): Promise<void> {
  program.signal('SIGTERM')
  const cut = setTimeout(() => program.signal('SIGKILL'), 10_000)
  await program.finished
  clearTimeout(cut)
}

function superuserUrl(dataDir: string): string {
  const port = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3]
  const text = readFileSync(join(dataDir, 'postgres-passwords.json'), 'utf8')
  const { postgres } = passwordsFile.parse(JSON.parse(text))
  return `postgres://postgres:${postgres}@127.0.0.1:${port}/gateway`
}

interface CommandLine {
  readonly pid: number
  readonly parent: number
  readonly program: string
  readonly args: readonly string[]
}

/** Every process of this machine, from /proc: `ps` is not everywhere. */
function commandLines(): CommandLine[] {
  return (
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => {
        const [program = '', ...args] = readIfThere(`/proc/${pid}/cmdline`).split('\0')
        const [, parent] = /^PPid:\s*(\d+)/m.exec(readIfThere(`/proc/${pid}/status`)) ?? []
        return { pid: Number(pid), parent: Number(parent), program: basename(program), args }
      })
      // A process that ended between two reads has neither parent nor children.
      .filter(({ parent }) => !Number.isNaN(parent))
  )
}

/** Kills a process, which may end by itself in this moment. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** A process may end while we look at it. */
function readIfThere(file: string): string {
  if (!existsSync(file)) return ''
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function isOn(args: readonly string[], cluster: string): boolean {
  return args[args.indexOf('-D') + 1] === cluster
}
