import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { writeSecretFile } from '../../config/secret-file.ts'
import { freePort } from './free-port.ts'
import { acquireInstanceLock, type InstanceLock } from './instance-lock.ts'
import { findBinaries, type PostgresBinaries, startAsServiceUser } from './postgres-process.ts'

/** An embedded PostgreSQL server, from npm, with its data in one folder. */
export interface EmbeddedPostgres {
  /** The role that owns the schemas and runs migrations. */
  readonly ownerUrl: string
  /** The role that requests run as. */
  readonly serviceUrl: string
  /** The role that jobs run as; it may become the role that requests run as. */
  readonly workerUrl: string
  /** The superuser, for tests that make their own databases. */
  readonly superuserUrl: string
  /** Stops the server cleanly; safe to call twice. */
  stop(): Promise<void>
}

interface Passwords {
  readonly postgres: string
  readonly gateway_owner: string
  readonly gateway_service: string
  readonly gateway_worker: string
}

/**
 * The settings that keep values out of the log: it may hold the text of a statement, and details of
 * errors can have values.
 */
const withoutValues = [
  ...['log_parameter_max_length=0', 'log_parameter_max_length_on_error=0'],
  'log_error_verbosity=terse',
]

const startPatienceMs = 60_000
const orphanPatienceMs = 20_000

/**
 * Starts the server; the first start makes its cluster. Only one process can use a folder: a second
 * one is refused. A server that a killed process left behind is stopped first. Tests give the binaries of
 * other versions; `port` is that of an earlier server whose clients are still there.
 */
export async function startEmbeddedPostgres(
  folder: string,
  binaries?: PostgresBinaries,
  port?: number,
): Promise<EmbeddedPostgres> {
  const home = resolve(folder)
  mkdirSync(home, { recursive: true })
  const lock = await acquireInstanceLock(home)
  try {
    return await startServer(home, lock, binaries ?? (await findBinaries()), port)
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Whether a start has made a cluster in this folder. */
export function hasCluster(folder: string): boolean {
  return existsSync(markerFile(folder))
}

/** The file that is written last: with it, a cluster is complete. */
function markerFile(folder: string): string {
  return join(folder, 'postgres-initialised')
}

async function startServer(
  home: string,
  lock: InstanceLock,
  binaries: PostgresBinaries,
  knownPort?: number,
): Promise<EmbeddedPostgres> {
  const cluster = join(home, 'postgres')
  // No other process writes the passwords, because this process has the lock of the folder.
  const passwords = keepPasswords(home)
  if (!hasCluster(home)) {
    await stopOrphan(cluster, passwords.postgres)
    rmSync(cluster, { recursive: true, force: true })
    await initialise(binaries, cluster, passwords)
    writeFileSync(markerFile(home), '')
  } else {
    await stopOrphan(cluster, passwords.postgres)
  }
  const port = knownPort ?? (await freePort())
  const server = startAsServiceUser(binaries.postgres, cluster, [
    ...['-D', cluster, '-p', String(port)],
    ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    ...['-c', 'max_connections=200', '-c', 'log_min_messages=warning'],
    ...['-c', 'autovacuum_naptime=15s'],
    ...withoutValues.flatMap((setting) => ['-c', setting]),
  ])
  // The server must not outlive this process, however it ends.
  const stopWithUs = () => void server.process.kill('SIGINT')
  process.once('exit', stopWithUs)
  const url = (user: keyof Passwords, database: string) =>
    urlOf({ user, password: passwords[user], port, database })
  try {
    await Promise.race([untilReady(url('postgres', 'postgres')), server.failed])
    await createDatabase(url('postgres', 'postgres'), passwords)
  } catch (error) {
    server.process.kill('SIGINT')
    throw error
  }
  return {
    ownerUrl: url('gateway_owner', 'gateway'),
    serviceUrl: url('gateway_service', 'gateway'),
    workerUrl: url('gateway_worker', 'gateway'),
    superuserUrl: url('postgres', 'postgres'),
    async stop() {
      // Fast shutdown: open connections are closed, everything committed is on disk.
      server.process.kill('SIGINT')
      await server.exited
      process.off('exit', stopWithUs)
      await lock.release()
    },
  }
}

interface Address {
  readonly user: string
  readonly password: string
  readonly port: number
  readonly database: string
}

/** The server is on this machine: when it is late, the machine is busy, and the server is not gone. */
function urlOf({ user, password, port, database }: Address): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}?connect_timeout=10`
}

function keepPasswords(home: string): Passwords {
  const known = loadPasswords(home)
  if (known) return known
  const random = () => randomBytes(24).toString('hex')
  const passwords: Passwords = {
    ...{ postgres: random(), gateway_owner: random() },
    ...{ gateway_service: random(), gateway_worker: random() },
  }
  writeSecretFile(passwordsFile(home), JSON.stringify(passwords))
  return passwords
}

function loadPasswords(home: string): Passwords | null {
  const file = passwordsFile(home)
  if (!existsSync(file)) return null
  return JSON.parse(readFileSync(file, 'utf8'))
}

function passwordsFile(home: string): string {
  return join(home, 'postgres-passwords.json')
}

async function initialise(
  binaries: PostgresBinaries,
  cluster: string,
  passwords: Passwords,
): Promise<void> {
  mkdirSync(cluster, { mode: 0o700 })
  const passwordFile = join(cluster, '..', 'initdb-password')
  writeFileSync(passwordFile, passwords.postgres, { mode: 0o600 })
  const owner = binaries.serviceUser
  if (owner) for (const path of [cluster, passwordFile]) chownSync(path, owner.uid, owner.gid)
  try {
    const initdb = startAsServiceUser(binaries.initdb, cluster, [
      ...['-D', cluster, '-U', 'postgres', '--pwfile', passwordFile],
      ...['--auth=scram-sha-256', '--encoding=UTF8', '--no-locale', '--no-instructions'],
    ])
    await Promise.race([initdb.exited, initdb.failed])
  } finally {
    rmSync(passwordFile)
  }
}

async function createDatabase(superuserUrl: string, passwords: Passwords): Promise<void> {
  await createRoles(superuserUrl, passwords)
  await withClient(superuserUrl, async (client) => {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = 'gateway'")
    if (!rowCount) await client.query('CREATE DATABASE gateway OWNER gateway_owner')
  })
}

/** Makes the logins: none is a superuser, and requests run as a role that owns nothing. */
async function createRoles(superuserUrl: string, passwords: Passwords): Promise<void> {
  await withClient(superuserUrl, async (client) => {
    // Several commands may run at the same time.
    await client.query("SELECT pg_advisory_lock(hashtext('gateway roles'))")
    const { rows } = await client.query<{ rolname: string }>('SELECT rolname FROM pg_roles')
    const existing = new Set(rows.map(({ rolname }) => rolname))
    for (const role of ['gateway_owner', 'gateway_service', 'gateway_worker'] as const) {
      if (existing.has(role)) continue
      const password = client.escapeLiteral(passwords[role])
      await client.query(`CREATE ROLE ${role} LOGIN NOINHERIT PASSWORD ${password}`)
    }
    if (!existing.has('gateway_auditor')) await client.query('CREATE ROLE gateway_auditor')
    // A process that runs jobs also serves all subgraphs, by SET ROLE.
    if (!existing.has('gateway_worker')) {
      await client.query('GRANT gateway_service TO gateway_worker')
    }
  })
}

async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + startPatienceMs
  for (;;) {
    try {
      await withClient(url, () => Promise.resolve())
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await sleep(25)
    }
  }
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  // The time to connect is long, because this process may be busy with loading its modules meanwhile.
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000 })
  // A connection that dies between two queries must not end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Stops a server that a killed gateway left behind. This process holds the folder's lock, so no
 * living gateway uses it. The pid gets a signal only after the server has accepted our password and
 * named our folder: after a reboot, the pid may belong to any process.
 */
async function stopOrphan(cluster: string, password: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const [pid, folder, , port] = readFileSync(pidFile, 'utf8').split('\n')
  const url = urlOf({ user: 'postgres', password, port: Number(port), database: 'postgres' })
  const isOurs = async () =>
    withClient(url, async (client) => {
      const { rows } = await client.query('SHOW data_directory')
      return rows[0]?.data_directory === folder
    }).catch(() => false)
  const mayAnswerBy = Date.now() + orphanPatienceMs
  // The server may still be recovering from the crash of its gateway.
  while (!(await isOurs()) && mayBeServerOf(Number(pid), cluster) && Date.now() < mayAnswerBy) {
    await sleep(100)
  }
  if (!(await isOurs())) {
    // The file is stale: PostgreSQL would take any living process of its user for a server.
    if (!mayBeServerOf(Number(pid), cluster)) rmSync(pidFile, { force: true })
    return
  }
  process.kill(Number(pid), 'SIGINT')
  const deadline = Date.now() + startPatienceMs
  while (existsSync(pidFile) && Date.now() < deadline) await sleep(20)
}

function mayBeServerOf(pid: number, cluster: string): boolean {
  const file = `/proc/${pid}/cmdline`
  if (process.platform !== 'linux') return true
  return existsSync(file) && readFileSync(file, 'utf8').split('\0').includes(cluster)
}

/** The addresses of a folder's running server, for commands beside a running gateway. Writes nothing. */
export async function findRunningServer(folder: string) {
  const home = resolve(folder)
  const pidFile = join(home, 'postgres', 'postmaster.pid')
  const passwords = loadPasswords(home)
  if (!passwords || !existsSync(pidFile)) return null
  const port = readFileSync(pidFile, 'utf8').split('\n')[3]
  const url = (user: keyof Passwords, database = 'gateway') =>
    urlOf({ user, password: passwords[user], port: Number(port), database })
  const isAlive = await withClient(url('gateway_service'), async () => true).catch(() => false)
  if (!isAlive) return null
  return {
    ownerUrl: url('gateway_owner'),
    serviceUrl: url('gateway_service'),
    workerUrl: url('gateway_worker'),
    superuserUrl: url('postgres', 'postgres'),
  }
}
