import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

const run = promisify(execFile)
const suite = join(projectRoot, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const excluded: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'excluded-scenarios.json'), 'utf8'),
)

let gateway: TestGateway
let folder: string
/** The suite sends no credential: this adds one. Its own origin is that of the listener. */
const proxy = createServer((req, res) => {
  const { hostname, port, origin: listener } = new URL(gateway.live.url)
  const { port: ownPort } = proxy.address() as AddressInfo
  const { origin } = req.headers
  const isOwn = origin === `http://127.0.0.1:${ownPort}` || origin === `http://localhost:${ownPort}`
  const headers = {
    ...req.headers,
    authorization: `Bearer ${key}`,
    ...(isOwn && { origin: listener }),
  }
  const { method, url: path } = req
  const passed = request({ hostname, port, method, path, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(res)
  })
  passed.on('error', () => res.destroy())
  req.pipe(passed)
})
let key: string
beforeAll(async () => {
  gateway = await sharedGateway()
  key = (await gateway.createAccount()).liveKey
  folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve)
  })
})
afterAll(async () => {
  await new Promise((resolve) => {
    proxy.close(resolve)
    proxy.closeAllConnections()
  })
  rmSync(folder, { recursive: true, force: true })
  await gateway.close()
})

async function scenarios(): Promise<string[]> {
  const { stdout } = await run(process.execPath, [suite, 'list', '--server'], { cwd: folder })
  const [ofServers = ''] = stdout.split('Client scenarios')
  return [...ofServers.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name)
}

test('the conformance suite of MCP: every scenario of servers passes, or is excluded by name', async () => {
  const { port } = proxy.address() as AddressInfo
  const names = await scenarios()
  expect(names.length).toBeGreaterThan(20)
  expect(Object.keys(excluded).filter((name) => !names.includes(name))).toEqual([])

  for (const name of names.filter((one) => !Object.hasOwn(excluded, one))) {
    const url = `http://127.0.0.1:${port}/mcp`
    const { stdout, stderr } = await run(
      process.execPath,
      [suite, 'server', '--url', url, '--scenario', name],
      { cwd: folder },
    ).catch((failure: { stdout: string; stderr: string }) => failure)
    expect(`${stdout}${stderr}`, name).toMatch(/Passed: (\d+)\/\1, 0 failed/)
  }
})
