import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { vi } from 'vitest'
import { z } from 'zod'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import {
  type StartedProcess,
  startAsServiceUser,
} from '../../../gateway/trial/embedded-postgres/postgres-process.ts'
import { askOnce } from '../database/ask-once.ts'
import { patientlyConnected, type TestDatabase } from '../database/database.ts'
import { binariesIn, debianFolder } from '../database/postgres-binaries.ts'
import { scratchFolder } from '../database/scratch-folder.ts'
import { patience } from '../time/patience.ts'
import { until } from '../time/until.ts'
import { endOfLog, type PatroniNode, type Ports, password, startNode } from './patroni-node.ts'

/** What must be there, with a command that fails without it. Debian's Patroni runs on Debian's Python. */
const needed = {
  patroni: ['patroni', '--version'],
  etcd: ['etcd', '--version'],
  haproxy: ['haproxy', '-v'],
  'python3-etcd': ['/usr/bin/python3', '-c', 'import etcd'],
  'PostgreSQL 15': [join(debianFolder, 'postgres'), '--version'],
} as const
const missing = Object.entries(needed).flatMap(([what, [program, ...args]]) =>
  spawnSync(program, args).status === 0 ? [] : [what],
)

/** Without all of them, tests of a failover are skipped. */
export const hasPatroni = missing.length === 0
if (!hasPatroni) process.stdout.write(`skipped: a failover needs ${missing.join(', ')}\n`)

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

const member = z.object({ name: z.string(), role: z.string(), state: z.string() })
type Member = z.infer<typeof member>
const cluster = z.object({ members: z.array(member) })
const isLeader = ({ role, state }: Member) => role === 'leader' && state === 'running'
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
      isDisturbed: true,
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

function startHaproxy(port: number, ports: ReadonlyMap<string, Ports>): ChildProcess {
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, LISTEN: `127.0.0.1:${port}` }
  for (const [name, { postgres, patroni }] of ports) {
    env[`NODE_${name.toUpperCase()}`] = `127.0.0.1:${postgres}`
    env[`PATRONI_PORT_${name.toUpperCase()}`] = String(patroni)
  }
  const args = ['-db', '-q', '-f', 'deploy/failover/haproxy.cfg']
  return spawn('haproxy', args, { stdio: 'ignore', env })
}

/** Makes the logins of `deploy/postgres/logins.sql`, which reads the passwords from files. */
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
