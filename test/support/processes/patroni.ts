import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { vi } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { freePort } from '../../../rest-facade/embedded-postgres/free-port.ts'
import {
  type StartedProcess,
  startAsServiceUser,
} from '../../../rest-facade/embedded-postgres/postgres-process.ts'
import { askOnce } from '../database/ask-once.ts'
import { patientlyConnected, type TestDatabase } from '../database/database.ts'
import { binariesIn, debianFolder } from '../database/postgres-binaries.ts'
import { scratchFolder } from '../database/scratch-folder.ts'
import { patience } from '../time/patience.ts'
import { until } from '../time/until.ts'

const programs = ['patroni', 'etcd', 'haproxy'] as const
const missing = programs.filter((name) => spawnSync(name, ['--version']).error)

/** Without these programs, tests of a failover are skipped. */
export const hasPatroni = missing.length === 0 && existsSync(join(debianFolder, 'postgres'))
if (!hasPatroni) process.stdout.write(`skipped: ${missing.join(', ')} are not on PATH\n`)

/** One server, with the Patroni that looks after it. */
export interface PatroniNode {
  readonly name: string
  /** The server itself, whatever its part is, with the login of the gateway. */
  readonly serviceUrl: string
  /** SIGKILL to both at once, as when the machine is lost. */
  kill(): Promise<void>
  /** After `kill`. */
  start(): void
  /** Its Patroni stops and cannot give up its part, while PostgreSQL goes on. */
  freeze(): void
  thaw(): void
}

/** Three PostgreSQL servers behind HAProxy, with the configuration of `deploy/failover`. */
export interface PatroniCluster {
  /** The primary, wherever it is. */
  readonly database: TestDatabase
  primary(): Promise<PatroniNode>
  /** Hands over to a standby that has everything; resolves when that is done. */
  switchover(): Promise<void>
  /** Resolves when both standbys replicate, at least one of them synchronously. */
  untilWhole(): Promise<void>
  close(): Promise<void>
}

interface Ports {
  readonly postgres: number
  readonly patroni: number
}

const member = z.object({ name: z.string(), role: z.string(), state: z.string() })
type Member = z.infer<typeof member>
const cluster = z.object({ members: z.array(member) })
const isLeader = ({ role, state }: Member) => role === 'leader' && state === 'running'
const password = 'only for tests'
/** A lease of Patroni is at least this long; what else waits is shorter than in production. */
const quick = { ttl: 20, loop_wait: 1, retry_timeout: 3 }

/** With `isAsynchronous`, commits do not wait for a standby: to see what that loses. */
export async function startPatroniCluster({
  isAsynchronous = false,
} = {}): Promise<PatroniCluster> {
  const folder = mkdtempSync(join(scratchFolder(), 'gateway-failover-'))
  const { serviceUser } = await binariesIn(debianFolder)
  if (serviceUser) chownSync(folder, serviceUser.uid, serviceUser.gid)
  const [etcdPort, peerPort, proxyPort] = [await freePort(), await freePort(), await freePort()]
  const etcd = startEtcd(folder, etcdPort, peerPort)
  const strict = isAsynchronous ? { synchronous_mode: false, synchronous_mode_strict: false } : {}
  const ports = new Map<string, Ports>()
  for (const name of ['a', 'b', 'c']) {
    ports.set(name, { postgres: await freePort(), patroni: await freePort() })
  }
  const nodes = [...ports].map(([name, own]) =>
    startNode({ name, ports: own, folder, etcdPort, dcs: { ...quick, ...strict } }),
  )
  const haproxy = startHaproxy(proxyPort, ports)
  const url = (user: string, port = proxyPort, database = 'gateway') =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

  async function query<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return askOnce<Row>(url('postgres'), sql, values)
  }

  /** All nodes, as one of those sees them that answer. */
  async function membersNow(): Promise<readonly Member[]> {
    for (const { patroni } of ports.values()) {
      const known = cluster.safeParse(await read(`http://127.0.0.1:${patroni}/cluster`))
      if (known.data?.members.some(isLeader)) return known.data.members
    }
    return []
  }

  async function leader(): Promise<string> {
    const found = await vi.waitUntil(async () => (await membersNow()).find(isLeader), patience)
    return found.name
  }

  async function isWhole(): Promise<boolean> {
    const sql = `SELECT count(*) FILTER (WHERE state = 'streaming')::int AS streaming,
      count(*) FILTER (WHERE sync_state = 'sync')::int AS synchronous FROM pg_stat_replication`
    const [row] = await askOnce<{ streaming: number; synchronous: number }>(
      url('postgres', proxyPort, 'postgres'),
      sql,
    ).catch(() => [])
    if (row?.streaming !== 2) return false
    if (isAsynchronous) return true
    // Patroni hands over to a standby that it knows to be synchronous.
    const known = await membersNow()
    return row.synchronous > 0 && known.some(({ role }) => role === 'sync_standby')
  }

  async function untilWhole(): Promise<void> {
    try {
      await until(isWhole)
    } catch (cause) {
      const logs = [...ports.keys()].map((name) => `${name}:\n${endOfLog(join(folder, name))}`)
      const known = JSON.stringify(await membersNow())
      throw new Error(`The cluster is not whole: ${known}\n${logs.join('\n')}`, { cause })
    }
  }

  await untilWhole()
  await makeLogins(url('postgres', proxyPort, 'postgres'))
  return {
    database: {
      ownerUrl: url('gateway_owner'),
      serviceUrl: patientlyConnected(url('gateway_jobs')),
      query,
      drop: async () => {},
    },
    async primary() {
      const name = await leader()
      const node = nodes.find((one) => one.name === name)
      if (!node) throw new Error(`No node is named ${name}.`)
      const { postgres = 0 } = ports.get(name) ?? {}
      return { ...node, serviceUrl: patientlyConnected(url('gateway_jobs', postgres)) }
    },
    async switchover() {
      const name = await leader()
      const { patroni = 0 } = ports.get(name) ?? {}
      const answer = await fetch(`http://127.0.0.1:${patroni}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: name }),
      })
      if (!answer.ok) throw new Error(`No switchover: ${answer.status} ${await answer.text()}`)
    },
    untilWhole,
    async close() {
      for (const node of nodes) await node.kill()
      for (const child of [haproxy, etcd.process]) child.kill('SIGKILL')
      await etcd.exited
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Null while nothing answers: the machine is lost, or its Patroni is frozen. */
async function read(url: string): Promise<unknown> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2000) })
    return await answer.json()
  } catch {
    return null
  }
}

function startEtcd(folder: string, port: number, peerPort: number): StartedProcess {
  const clients = `http://127.0.0.1:${port}`
  const peers = `http://127.0.0.1:${peerPort}`
  return startAsServiceUser('/usr/bin/etcd', folder, [
    ...['--data-dir', join(folder, 'etcd'), '--log-level', 'error', '--name', 'one'],
    ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
    ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
    ...['--initial-cluster', `one=${peers}`, '--enable-v2'],
  ])
}

interface NodeOptions {
  readonly name: string
  readonly ports: Ports
  readonly folder: string
  readonly etcdPort: number
  readonly dcs: Readonly<Record<string, unknown>>
}

function startNode(options: NodeOptions): Omit<PatroniNode, 'serviceUrl'> {
  const { name, folder } = options
  const home = join(folder, name)
  const data = join(home, 'data')
  const file = writeConfiguration(home, data, options)
  const start = () => startAsServiceUser('/usr/bin/patroni', folder, [file])
  let patroni = start()
  return {
    name,
    async kill() {
      const postmaster = readPid(data)
      patroni.process.kill('SIGKILL')
      if (postmaster) killIfThere(postmaster)
      await patroni.exited
      await until(() => postmaster === null || !existsSync(`/proc/${postmaster}`))
    },
    start() {
      patroni = start()
    },
    freeze: () => void patroni.process.kill('SIGSTOP'),
    thaw: () => void patroni.process.kill('SIGCONT'),
  }
}

/** `deploy/failover/patroni.yml` with what tells this node apart; YAML contains JSON. */
function writeConfiguration(home: string, data: string, options: NodeOptions): string {
  const { name, ports, folder, etcdPort, dcs } = options
  const deployed = parse(readFileSync('deploy/failover/patroni.yml', 'utf8'))
  const login = (username: string) => ({ username, password })
  const configuration = {
    ...deployed,
    name,
    bootstrap: { ...deployed.bootstrap, dcs: { ...deployed.bootstrap.dcs, ...dcs } },
    etcd: { host: `127.0.0.1:${etcdPort}` },
    restapi: {
      listen: `127.0.0.1:${ports.patroni}`,
      connect_address: `127.0.0.1:${ports.patroni}`,
    },
    postgresql: {
      ...deployed.postgresql,
      listen: `127.0.0.1:${ports.postgres}`,
      connect_address: `127.0.0.1:${ports.postgres}`,
      data_dir: data,
      bin_dir: debianFolder,
      pgpass: join(home, 'pgpass'),
      authentication: { superuser: login('postgres'), replication: login('replicator') },
      parameters: { ...deployed.postgresql.parameters, unix_socket_directories: home },
    },
    log: { dir: home, level: 'INFO' },
  }
  mkdirSync(home)
  const file = join(home, 'patroni.yml')
  writeFileSync(file, JSON.stringify(configuration), { mode: 0o644 })
  const { uid, gid } = statSync(folder)
  for (const path of [home, file]) chownSync(path, uid, gid)
  return file
}

function startHaproxy(port: number, ports: ReadonlyMap<string, Ports>): ChildProcess {
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, LISTEN: `127.0.0.1:${port}` }
  for (const [name, { postgres, patroni }] of ports) {
    env[`NODE_${name.toUpperCase()}`] = `127.0.0.1:${postgres}`
    env[`PATRONI_PORT_${name.toUpperCase()}`] = String(patroni)
  }
  const args = ['-db', '-q', '-f', 'deploy/failover/haproxy.cfg']
  return spawn('haproxy', args, { stdio: 'ignore', env })
}

/** The postmaster of this data folder; null if none has run there. */
function readPid(data: string): number | null {
  const file = join(data, 'postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : null
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function endOfLog(home: string): string {
  return readFileSync(join(home, 'patroni.log'), 'utf8').split('\n').slice(-25).join('\n')
}

/** As `deploy/postgres/logins.sql`, which reads the passwords from files. */
async function makeLogins(superuserUrl: string): Promise<void> {
  const secret = pg.escapeLiteral(password)
  const statements = [
    'CREATE ROLE gateway_service NOLOGIN',
    'CREATE ROLE gateway_worker NOLOGIN',
    'CREATE ROLE gateway_auditor NOLOGIN',
    `CREATE ROLE gateway_owner LOGIN PASSWORD ${secret}`,
    `CREATE ROLE gateway_jobs LOGIN NOINHERIT PASSWORD ${secret}`,
    'GRANT gateway_service, gateway_worker TO gateway_jobs',
    'CREATE DATABASE gateway OWNER gateway_owner',
  ]
  for (const statement of statements) await askOnce(superuserUrl, statement)
}
