import { chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { startAsServiceUser } from '../../../gateway/trial/embedded-postgres/postgres-process.ts'
import { debianFolder } from '../database/postgres-binaries.ts'
import { until } from '../time/until.ts'

/** One server, with the Patroni that looks after it. */
export interface PatroniNode {
  readonly name: string
  /** The server itself, whatever its part is, with the login of the gateway. */
  readonly serviceUrl: string
  /** SIGKILL to both at once, as when the machine is lost. */
  kill(): Promise<void>
  /** After `kill`. */
  start(): void
  /** Stops Patroni, which then cannot give up its part, while PostgreSQL goes on. */
  freeze(): void
  thaw(): void
}

/** On 127.0.0.1. */
export interface Ports {
  readonly postgres: number
  readonly patroni: number
}

/** The password of every login. */
export const password = 'only for tests'

interface NodeOptions {
  readonly name: string
  readonly ports: Ports
  readonly folder: string
  readonly etcdPort: number
  readonly dcs: Readonly<Record<string, unknown>>
}

/** Makes its folder with its configuration, and starts its Patroni, which makes or copies the database. */
export function startNode(options: NodeOptions): Omit<PatroniNode, 'serviceUrl'> {
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

/** The last lines that its Patroni has logged. */
export function endOfLog(home: string): string {
  return readFileSync(join(home, 'patroni.log'), 'utf8').split('\n').slice(-25).join('\n')
}
