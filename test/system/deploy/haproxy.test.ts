import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { hasHaproxy } from '../../support/processes/haproxy.ts'
import { type StubBackend, startStubBackend } from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

const config = readFileSync(join(projectRoot, 'deploy/haproxy/haproxy.cfg'), 'utf8')
const request = 'GET /v1/health HTTP/1.1\r\nHost: gateway\r\n\r\n'

describe.runIf(hasHaproxy)('MAX_CONNECTIONS_PER_ADDRESS of deploy/haproxy/haproxy.cfg', () => {
  const sockets: Socket[] = []
  let folder: string
  let facade: StubBackend
  let child: ChildProcess | null
  let ports: { readonly live: number; readonly sandbox: number }
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-haproxy-'))
    facade = await startStubBackend()
    child = null
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    if (child) {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }
    await facade.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The file as it is, but for its ports, its facades, and as few connections as a test may open. */
  async function start(maxPerAddress: number): Promise<void> {
    const [live, sandbox, internal, alive] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ]
    ports = { live, sandbox }
    const text = config
      .replace('bind :8080', `bind 127.0.0.1:${live}`)
      .replace('bind :8081', `bind 127.0.0.1:${sandbox}`)
      .replace('bind :4000', `bind 127.0.0.1:${internal}`)
      .replace('bind 127.0.0.1:8404', `bind 127.0.0.1:${alive}`)
      .replace(/^ {2}maxconn \d+$/m, '  maxconn 200')
      .replaceAll(/server-template facade .*/g, `server facade ${new URL(facade.url).host}`)
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(file, text)
    child = spawn('haproxy', ['-db', '-q', '-f', file], {
      stdio: 'ignore',
      env: {
        ...process.env,
        DOCS_URL: 'http://localhost/docs',
        MAX_CONNECTIONS_PER_ADDRESS: String(maxPerAddress),
      },
    })
    await vi.waitFor(async () => {
      expect((await fetch(`http://127.0.0.1:${alive}/alive`)).status).toBe(200)
    }, patience)
  }

  /** Asks on a connection of its own, which stays open; null when it is closed without an answer. */
  async function ask(port: number, localAddress = '127.0.0.1') {
    const socket = connect({ host: '127.0.0.1', port, localAddress })
    sockets.push(socket)
    const { promise, resolve } = Promise.withResolvers<number | null>()
    socket
      .on('error', () => {})
      .on('close', () => resolve(null))
      .on('data', (chunk) => resolve(Number(chunk.toString('latin1').split(' ')[1])))
    socket.write(request)
    return { socket, status: await promise }
  }

  async function askTimes(count: number): Promise<(number | null)[]> {
    const statuses: (number | null)[] = []
    for (let asked = 0; asked < count; asked += 1) statuses.push((await ask(ports.live)).status)
    return statuses
  }

  test('closes excess connections of one address, serves others, and accepts again when one ends', async () => {
    await start(20)
    const first = await ask(ports.live)

    expect(first.status).toBe(200)
    expect(await askTimes(19)).toEqual(Array(19).fill(200))
    expect((await ask(ports.live)).status).toBeNull()
    expect((await ask(ports.live, '127.0.0.2')).status).toBe(200)
    expect((await ask(ports.sandbox)).status).toBe(200)
    first.socket.destroy()
    await vi.waitFor(async () => expect((await ask(ports.live)).status).toBe(200), patience)
    expect((await ask(ports.live)).status).toBeNull()
  })

  test('sets no limit when it is 0', async () => {
    await start(0)

    expect(await askTimes(21)).toEqual(Array(21).fill(200))
  })
})
