import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { freePort } from '../../trial/embedded-postgres/free-port.ts'

/** A role that runs as its own process. */
export interface RoleProcess {
  readonly role: string
  readonly pid: number
  /** The addresses of the role, by listener; see `startRole`. */
  readonly urls: Readonly<Record<string, string>>
  /** The variables of its start. */
  readonly variables: Variables
  /** Resolves with its exit code, or null after a signal that killed it. */
  readonly exited: Promise<number | null>
  signal(name: NodeJS.Signals): void
}

export type Variables = Readonly<Record<string, string>>

const main = join(projectRoot, 'dist', 'gateway', 'commands', 'main.js')
const flagsFile = join(projectRoot, 'gateway', 'commands', 'node-flags.json')
const flags = z.array(z.string()).parse(JSON.parse(readFileSync(flagsFile, 'utf8')))
const started = z.record(z.string(), z.string())

/** The processes of the roles. They end with this process, however it ends. */
const children = new Set<ChildProcess>()
function endAll(): void {
  for (const child of children) child.kill('SIGTERM')
}

/** Starts one role with only these variables; resolves when it has told its addresses. */
export async function startProcess(role: string, variables: Variables): Promise<RoleProcess> {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [...flags, main, 'start', role], {
    env: { PATH, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
    // Ctrl-C must reach only this process: facades end before the processes that they need.
    detached: true,
  })
  if (children.size === 0) process.on('exit', endAll)
  children.add(child)
  const exited = once(child, 'close').then(() => {
    children.delete(child)
    if (children.size === 0) process.off('exit', endAll)
    return child.exitCode
  })
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then((code) => {
      throw new Error(`The role ${role} ended with exit code ${code} before it was ready.`)
    }),
  ])
  const { role: _role, ...urls } = started.parse(JSON.parse(line))
  return {
    ...{ role, pid: pidOf(child), urls, variables, exited },
    signal: (name) => void child.kill(name),
  }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('The process was not started.')
  return pid
}

/** All processes of one gateway. */
export interface ProcessSet {
  readonly processes: readonly RoleProcess[]
  /** The processes of one role. */
  of(role: string): readonly RoleProcess[]
  /** Starts one more process, or one that ended. Variables that are not given are the common ones. */
  start(role: string, more?: Variables): Promise<RoleProcess>
  /** Drains all processes, the facades first; resolves when they have ended. */
  stop(): Promise<void>
}

export interface ProcessSetOptions {
  /** The variables of every process: the database, the secret, Redis. */
  readonly variables: Variables
  /** Further variables of each facade, such as its ports: there is one facade for each element. */
  readonly facades: readonly Variables[]
  readonly supergraph?: Variables
  readonly worker?: Variables
  /** The number of processes of each subgraph; 1 by default. */
  readonly instances?: number
}

/** Starts all processes, each on its own port, like an orchestrator. */
export async function startProcesses({
  variables,
  facades,
  supergraph = {},
  worker = {},
  instances = 1,
}: ProcessSetOptions): Promise<ProcessSet> {
  const processes: RoleProcess[] = []
  async function start(role: string, more: Variables = {}): Promise<RoleProcess> {
    // The port is chosen here: the system would give port 0 to anyone while a process that starts again
    // is away.
    const INTERNAL_PORT = String(await freePort())
    const one = await startProcess(role, { ...variables, INTERNAL_PORT, ...more })
    processes.push(one)
    return one
  }
  const urlsOf = (all: readonly RoleProcess[]) => all.map(({ urls }) => urls.internal).join(',')
  const startAll = (role: string, more?: Variables) =>
    Promise.all(Array.from({ length: instances }, () => start(role, more)))

  async function stop(): Promise<void> {
    for (const isFirst of [true, false]) {
      const now = processes.filter(({ role }) => (role === 'facade') === isFirst)
      for (const one of now) one.signal('SIGTERM')
      await Promise.all(now.map(({ exited }) => exited))
    }
  }

  try {
    const [account, usage] = await Promise.all([startAll('account'), startAll('usage')])
    const ACCOUNT_SUBGRAPH_URL = urlsOf(account)
    const [keys, oauth] = await Promise.all([
      startAll('keys', { ACCOUNT_SUBGRAPH_URL }),
      startAll('oauth', { ACCOUNT_SUBGRAPH_URL }),
    ])
    const subgraphs = {
      ACCOUNT_SUBGRAPH_URL,
      KEYS_SUBGRAPH_URL: urlsOf(keys),
      OAUTH_SUBGRAPH_URL: urlsOf(oauth),
      USAGE_SUBGRAPH_URL: urlsOf(usage),
    }
    await Promise.all([
      start('worker', worker),
      start('supergraph', { ...subgraphs, ...supergraph }),
      ...facades.map((more) => start('facade', { ...subgraphs, ...more })),
    ])
  } catch (error) {
    await stop()
    throw error
  }
  return { processes, of: (role) => processes.filter((one) => one.role === role), start, stop }
}
