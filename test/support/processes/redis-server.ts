import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { until } from '../time/until.ts'

/** Without it, what needs a real Redis is skipped. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis) process.stdout.write('skipped: redis-server is not on PATH\n')

/** A `redis-server` of one's own. */
export interface RedisServer {
  readonly port: number
  /** The port for messages between the nodes of a cluster. */
  readonly clusterPort: number
  /** For `REDIS_URL`. */
  readonly url: string
  /** Runs one command on a connection of its own. */
  run(...command: readonly string[]): Promise<unknown>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Ends it at once; connections to it are refused. */
  kill(): Promise<void>
  /** After `kill`, empty and on the same port. */
  start(): Promise<void>
  close(): Promise<void>
}

interface RedisOptions {
  /** Command-line options, such as `--maxmemory`. */
  readonly args?: readonly string[]
  /** Makes it a sentinel with these lines of configuration. */
  readonly sentinel?: readonly string[]
}

export async function startRedisServer({
  args = [],
  sentinel,
}: RedisOptions = {}): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-redis-'))
  const port = await freePort()
  const clusterPort = await freePort()
  let child: ChildProcess

  /** A sentinel writes its findings into its configuration. */
  function configuration(): readonly string[] {
    if (!sentinel) return ['--save', '']
    const file = join(folder, 'sentinel.conf')
    writeFileSync(file, sentinel.join('\n'))
    return [file, '--sentinel']
  }

  async function run(...command: readonly string[]): Promise<unknown> {
    const [name = '', ...words] = command
    const client = new Redis({ port, retryStrategy: null, enableReadyCheck: false })
    client.on('error', () => {})
    try {
      return await client.call(name, ...words)
    } finally {
      client.disconnect()
    }
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  async function start(): Promise<void> {
    const own = ['--port', `${port}`, '--cluster-port', `${clusterPort}`, '--dir', folder]
    child = spawn('redis-server', [...configuration(), ...own, ...args])
    await until(() =>
      run('PING').then(
        () => true,
        () => false,
      ),
    )
  }

  await start()
  return {
    port,
    clusterPort,
    url: `redis://127.0.0.1:${port}`,
    run,
    signal: (name) => child.kill(name),
    kill,
    start,
    async close() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
