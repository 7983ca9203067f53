import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../catalog/load-catalog.ts'
import type { Operation } from '../catalog/operation.ts'
import { sample } from './sample.ts'
import { parseScenario, type Scenario, scenarioHeader } from './scenario.ts'

/** All backend modules of the catalog in one server, each below its own path. */
export interface Simulator {
  /** Where a module lives; `GET <url>/health` answers 200. */
  readonly urlOf: (backendModule: string) => string
  /** Below which all modules are. */
  readonly url: string
  close(): Promise<void>
}

const maxBodyBytes = 1024 * 1024 + 1024
const defaultLength = 3
const plain: Scenario = { kind: 'ok' }

/** Starts the simulated backends, on a free port of the loopback interface unless told. */
export async function startSimulator(
  catalog: Catalog,
  where: { readonly host: string; readonly port: number } = { host: '127.0.0.1', port: 0 },
): Promise<Simulator> {
  const handlers = catalog.services.map(({ backendModule, operations }) => ({
    prefix: `/${backendModule}`,
    operations: operations.map((operation) => ({
      operation,
      pattern: pathPattern(operation.path),
    })),
  }))
  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => {
      res.destroy(error instanceof Error ? error : undefined)
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(where.port, where.host, resolve)
  })
  const { port } = server.address() as AddressInfo

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', 'http://simulator')
    const module = handlers.find(({ prefix }) => url.pathname.startsWith(`${prefix}/`))
    const path = url.pathname.slice(module?.prefix.length ?? 0)
    const text = await readText(req)
    if (module && path === '/health') {
      // Whoever asks can tell it from a module that does what it says.
      res.setHeader('X-Simulator', 'true')
      return sendJson(res, 200, { status: 'ok' })
    }
    const match = module?.operations.find(
      ({ operation, pattern }) => operation.method === req.method && pattern.test(path),
    )
    if (!match) return sendJson(res, 404, { message: 'The simulator has no such operation.' })
    const given = {
      ...Object.fromEntries(url.searchParams),
      ...parseObject(text),
      ...match.pattern.exec(path)?.groups,
    }
    const header = req.headers[scenarioHeader.toLowerCase()]
    const scenario = typeof header === 'string' ? (parseScenario(header) ?? plain) : plain
    await play(scenario, match.operation, { given, seed: `${req.method}${req.url}${text}`, res })
  }

  const url = `http://127.0.0.1:${port}`
  return {
    url,
    urlOf: (backendModule) => `${url}/${backendModule}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface PlayOptions {
  readonly given: Readonly<Record<string, unknown>>
  readonly seed: string
  readonly res: ServerResponse
}

async function play(
  scenario: Scenario,
  { response, price }: Operation,
  { given, seed, res }: PlayOptions,
): Promise<void> {
  if (scenario.kind === 'reset') return void res.socket?.destroy()
  if (scenario.kind === 'status') {
    const message = `The simulator was asked for status ${scenario.status}.`
    return sendJson(res, scenario.status, { message })
  }
  if (scenario.kind === 'slow') await sleep(scenario.durationMs)
  const asked = Number(given.limit)
  const length = Number.isInteger(asked) ? asked : defaultLength
  const body = sample(response.schema, { given, seed, length: lengthOf(scenario, length) })
  // Some operations report what they used, others leave it to be counted, as real modules do.
  const headers: Record<string, string> = {}
  if (price.unitsAt && scenario.kind === 'units') {
    headers['X-Credits-Used'] = String(scenario.units * price.creditsPerUnit)
  }
  sendJson(res, response.status, body, headers)
}

function lengthOf(scenario: Scenario, length: number): number {
  if (scenario.kind === 'empty') return 0
  return scenario.kind === 'units' ? scenario.units : length
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{([a-z_]+)\}/g, '(?<$1>[^/]+)')}$`)
}

async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of req) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) throw new Error('The body is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseObject(text: string): Record<string, unknown> {
  if (text === '') return {}
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body)
  res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text)
}
