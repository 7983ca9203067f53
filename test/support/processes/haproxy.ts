import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { patience } from '../time/patience.ts'

/** Without it, tests of a load balancer are skipped. */
export const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0
if (!hasHaproxy) process.stdout.write('skipped: haproxy is not on PATH\n')

/** A load balancer before several facades. */
export interface Haproxy {
  readonly url: string
  /** Resolves once its health checks have found all servers. */
  untilAllUp(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts HAProxy as in `deploy/haproxy/haproxy.cfg`, with quicker checks: only requests that
 * reached no server are repeated.
 */
export async function startHaproxy(serverUrls: readonly string[]): Promise<Haproxy> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-haproxy-'))
  const [port, statisticsPort] = [await freePort(), await freePort()]
  const servers = serverUrls.map((url, index) => `  server s${index} ${new URL(url).host} check`)
  const file = join(folder, 'haproxy.cfg')
  const lines = [
    'defaults',
    '  mode http',
    '  timeout connect 2s',
    '  timeout client 75s',
    '  timeout server 60s',
    // Otherwise a check must be answered within its interval, which a loaded machine may miss.
    '  timeout check 30s',
    '  retries 3',
    '  retry-on conn-failure',
    '  option redispatch',
    'frontend live',
    `  bind 127.0.0.1:${port}`,
    '  default_backend facades',
    'backend facades',
    '  balance leastconn',
    '  option httpchk GET /v1/ready',
    '  http-check expect status 200',
    '  default-server inter 100ms fall 1 rise 1',
    ...servers,
    'frontend statistics',
    `  bind 127.0.0.1:${statisticsPort}`,
    '  stats enable',
    '  stats uri /',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const child: ChildProcess = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: 'ignore' })
  const exited = once(child, 'exit')

  async function countUp(): Promise<number> {
    const answer = await fetch(`http://127.0.0.1:${statisticsPort}/;csv`).catch(() => null)
    const text = (await answer?.text()) ?? ''
    return text.split('\n').filter((line) => /^facades,s\d+,/.test(line) && line.includes(',UP,'))
      .length
  }

  return {
    url: `http://127.0.0.1:${port}`,
    async untilAllUp() {
      await vi.waitUntil(async () => (await countUp()) === serverUrls.length, patience)
    },
    async close() {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
