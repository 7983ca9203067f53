import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { lexer } from 'marked'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'

const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc')
const samples = ['sdk/README.md', 'site/guides/sdks.md'].flatMap((page) =>
  samplesOf(readFileSync(join(projectRoot, page), 'utf8'), page),
)

/** The package as it is published, where a program finds it. */
let folder: string
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  folder = mkdtempSync(join(tmpdir(), 'gateway-sdk-'))
  const installed = join(folder, 'node_modules/credit-gateway-sdk')
  mkdirSync(installed, { recursive: true })
  cpSync(join(projectRoot, 'sdk/package.json'), join(installed, 'package.json'))
  runTsc('-p', join(projectRoot, 'sdk'), '--outDir', join(installed, 'dist'))
  symlinkSync(join(projectRoot, 'node_modules/@types'), join(folder, 'node_modules/@types'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  for (const { file, code } of samples) writeFileSync(join(folder, file), code)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await gateway.close()
})

interface Sample {
  readonly title: string
  readonly file: string
  readonly code: string
  /** The output, as its comments tell it. */
  readonly printed: readonly string[]
}

/** Each block of TypeScript under the heading before it. */
function samplesOf(markdown: string, page: string): Sample[] {
  const found: Sample[] = []
  let title = ''
  for (const token of lexer(markdown)) {
    if (token.type === 'heading') title = String(token.text)
    if (token.type !== 'code' || token.lang !== 'ts') continue
    const code = String(token.text)
    const printed = [...code.matchAll(/(?:^|\) )\/\/ (.+)$/gm)].map(([, line = '']) => line)
    const file = `${page.replaceAll(/\W/g, '-')}-${found.length}.ts`
    found.push({ title, file, code, printed })
  }
  return found
}

function runTsc(...args: string[]): void {
  const { stdout, status } = spawnSync(process.execPath, [tsc, ...args], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stdout)
}

async function run(file: string, apiKey: string) {
  const env = { GATEWAY_URL: gateway.baseUrl, GATEWAY_API_KEY: apiKey }
  const child = spawn(process.execPath, [file], { cwd: folder, env })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { lines: stdout.trim().split('\n'), stderr }
}

describe('sdk/README.md and the guide about SDKs', () => {
  test('has samples that compile with the types of the package', () => {
    expect(samples.length).toBeGreaterThan(5)
    expect(() => runTsc('-p', folder)).not.toThrow()
  })

  test.each(samples)('shows the real output of $title', async ({ file, printed }) => {
    const { liveKey } = await gateway.createAccount({ credits: 1000 })

    const { lines, stderr } = await run(file, liveKey)

    expect({ lines, stderr }).toEqual({ lines: printed, stderr: '' })
  })
})

/** The package's files, from an origin that is not the gateway's. */
async function servePackage() {
  const server = createServer((req, res) => {
    const isModule = req.url?.endsWith('.js')
    const content = isModule
      ? readFileSync(join(folder, 'node_modules/credit-gateway-sdk/dist', req.url ?? ''))
      : '<!doctype html><title>Shop</title>'
    res.writeHead(200, { 'content-type': isModule ? 'text/javascript' : 'text/html' }).end(content)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

describe.skipIf(!browserPath)('the client in a browser', () => {
  test('makes a charged call and reads the reason of a refusal', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 1000 })
    const shop = await servePackage()
    const browser = await launchBrowser()
    const page = await browser.newPage()
    await page.goto(shop.url)

    const result: unknown = await page.evaluate(`(async () => {
      const { createGateway } = await import('/index.js')
      const gateway = createGateway({ apiKey: '${liveKey}', baseUrl: '${gateway.baseUrl}' })
      const answer = await gateway.contacts.reveal({ contact_id: 'con_5f1e0c7a9b3d2e48' })
      const { code, requestId } = await gateway.keys.get({ key_id: 'none' }).catch((error) => error)
      return { credits: answer.credits, requestId: answer.requestId, refusal: { code, requestId } }
    })()`)

    await browser.close()
    shop.close()
    expect(result).toEqual({
      credits: { charged: 5, remaining: 995 },
      requestId: expect.stringMatching(/^req_/),
      refusal: { code: 'NOT_FOUND', requestId: expect.stringMatching(/^req_/) },
    })
  })
})
