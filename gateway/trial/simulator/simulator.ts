import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import type { Operation } from '../../../schema/catalog/operation.ts'
import { isSampleId, sample } from '../../../schema/catalog/sample.ts'
import { parseScenario, type Scenario, scenarioHeader } from '../../../schema/catalog/scenario.ts'
import { type CallerCheckOptions, createCallerCheck, type VerifiedCaller } from './caller-check.ts'
import { type CollectionUse, collectionUses, shownMembers } from './collections.ts'
import { createKeptObjects, type KeptObjects } from './kept-objects.ts'

/** All backend modules of the catalog in one server, each below its own path. */
export interface Simulator {
  /** The address of a module; `GET <url>/health` answers 200. */
  readonly urlOf: (backendModule: string) => string
  /** The address above all modules. */
  readonly url: string
  close(): Promise<void>
}

type Fields = Readonly<Record<string, unknown>>

const maxBodyBytes = 1024 * 1024 + 1024
const defaultLength = 3
const plain: Scenario = { kind: 'ok' }

interface SimulatorOptions extends CallerCheckOptions {
  readonly host?: string
  readonly port?: number
}

/** The addresses of the modules below the address of a simulator. */
export function moduleUrls(url: string): Simulator['urlOf'] {
  return (backendModule) => `${url}/${backendModule}`
}

/** Starts the simulated backends, by default on a free port of the loopback interface. */
export async function startSimulator(
  catalog: Catalog,
  { host = '127.0.0.1', port: wantedPort = 0, ...gateway }: SimulatorOptions,
): Promise<Simulator> {
  const callers = createCallerCheck(gateway)
  const objects = createKeptObjects()
  const handlers = handlersOf(catalog)
  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => {
      res.destroy(error instanceof Error ? error : undefined)
    })
  })
  server.keepAliveTimeout = 60_000
  const port = await bind(server, wantedPort, host)

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', 'http://simulator')
    const module = handlers.find(({ prefix }) => url.pathname.startsWith(`${prefix}/`))
    const path = url.pathname.slice(module?.prefix.length ?? 0)
    // Health concerns no account, so it needs no token.
    if (module && path === '/health') {
      // Lets a client tell the simulator from a real module.
      res.setHeader('X-Simulator', 'true')
      return sendJson(res, 200, { status: 'ok' })
    }
    const match = module?.operations.find(
      ({ operation, pattern }) => operation.method === req.method && pattern.test(path),
    )
    if (!module || !match) return sendJson(res, 404, { message: 'There is no such operation.' })
    const token = req.headers['gateway-caller']
    const caller = await identify(typeof token === 'string' ? token : undefined, module)
    if (caller === 'unknown') return sendJson(res, 503, { message: 'The keys cannot be had.' })
    if (!caller) return sendJson(res, 401, { message: 'Only the gateway may ask.' })
    if (!caller.scopes.includes(match.operation.scope)) {
      return sendJson(res, 403, { message: `The scope ${match.operation.scope} is missing.` })
    }
    const text = await readText(req)
    const given = withSize({
      ...Object.fromEntries(url.searchParams),
      ...parseObject(text),
      ...match.pattern.exec(path)?.groups,
    })
    const header = req.headers[scenarioHeader.toLowerCase()]
    const scenario = typeof header === 'string' ? (parseScenario(header) ?? plain) : plain
    const seed = `${req.method}${req.url}${text}`
    await play(scenario, match.operation, { given, seed, res, use: match.use, caller, objects })
  }

  async function identify(token: string | undefined, { backendModule }: { backendModule: string }) {
    try {
      return await callers.verify(token, backendModule)
    } catch {
      // The gateway's keys are unavailable, so the caller cannot be verified.
      return 'unknown' as const
    }
  }

  const url = `http://127.0.0.1:${port}`
  return {
    url,
    urlOf: moduleUrls(url),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The operations of each module, and how their paths are recognised. */
function handlersOf(catalog: Catalog) {
  return catalog.services.map(({ backendModule, operations }) => {
    const uses = collectionUses(operations)
    return {
      backendModule,
      prefix: `/${backendModule}`,
      operations: operations.map((operation) => ({
        operation,
        pattern: pathPattern(operation.path),
        use: uses.get(operation) ?? null,
      })),
    }
  })
}

/** Returns the port. */
async function bind(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, exclusive: true }, resolve)
  })
  return (server.address() as AddressInfo).port
}

interface PlayOptions {
  readonly given: Readonly<Record<string, unknown>>
  readonly seed: string
  readonly res: ServerResponse
  /** The use of kept objects by the operation; null if it keeps nothing. */
  readonly use: CollectionUse | null
  readonly caller: VerifiedCaller
  readonly objects: KeptObjects
}

async function play(
  scenario: Scenario,
  operation: Operation,
  { res, ...options }: PlayOptions,
): Promise<void> {
  const { response, price } = operation
  if (scenario.kind === 'reset') return void res.socket?.destroy()
  if (scenario.kind === 'status') {
    const message = `The simulator was asked for status ${scenario.status}.`
    return sendJson(res, scenario.status, { message })
  }
  if (scenario.kind === 'slow') await sleep(scenario.durationMs)
  const asked = Number(options.given.limit)
  const length = lengthOf(scenario, Number.isInteger(asked) ? asked : defaultLength)
  const isResized = scenario.kind === 'empty' || scenario.kind === 'units'
  const body = bodyOf(operation, { ...options, length, isResized })
  if (body === null) return sendJson(res, 404, { message: 'There is no such object.' })
  // Like real modules, some operations report their credits, and others let the gateway count.
  const headers: Record<string, string> = {}
  if (price.unitsAt && scenario.kind === 'units') {
    headers['X-Credits-Used'] = String(scenario.units * price.creditsPerUnit)
  }
  sendJson(res, response.status, body, headers)
}

interface BodyOptions extends Omit<PlayOptions, 'res'> {
  /** The length of lists. */
  readonly length: number
  /** Whether a scenario sets the length: kept lists are then ignored. */
  readonly isResized: boolean
}

/** An answer from the schema, the same for all accounts, or the account's own kept objects. */
function bodyOf({ request, response: { schema } }: Operation, options: BodyOptions): unknown {
  const { use, given, seed, length, caller, objects, isResized } = options
  if (!areKnown(request.schemas.body, given, { areFree: true })) return null
  if (!use) {
    const isShown = areKnown(request.schemas.path, given, { areFree: false })
    return isShown ? sample(schema, { given, seed, length }) : null
  }
  const { collection, does } = use
  const { path, idName, listName } = collection
  const owner = `${caller.environment} ${caller.accountId}`
  const own = { given, seed: `${owner}${seed}`, length }
  if (does === 'create') {
    const answer = { ...Object(sample(schema, own)) }
    objects.keep(
      owner,
      `${path}/${answer[idName]}`,
      shownMembers(collection, { ...given, ...answer }),
    )
    return answer
  }
  if (does === 'show') {
    const id = String(given[idName])
    const kept = objects.find(owner, `${path}/${id}`)
    if (!kept && !examplesOf(request.schemas.path, idName).includes(id)) return null
    return withKept(sample(schema, own), kept ?? {}, isResized)
  }
  const answer = { ...Object(sample(schema, own)) }
  const samples: readonly unknown[] = listName === null ? [] : answer[listName]
  const [item] = samples
  const kept = objects.list(owner, `${path}/`).map((object) => withKept(item, object, isResized))
  return { ...answer, [String(listName)]: [...kept, ...samples].slice(0, samples.length) }
}

/** Replaces sampled members with those of the created object. */
function withKept(sampled: unknown, kept: Fields, isResized: boolean): Fields {
  const members = Object.entries(kept).filter(([, value]) => !(isResized && Array.isArray(value)))
  return { ...Object(sampled), ...Object.fromEntries(members) }
}

/**
 * Whether each id in a part of a request is one that the simulator has shown, or that of an example. A body may
 * name others of a free form.
 */
function areKnown(
  part: unknown,
  given: Fields,
  { areFree }: { readonly areFree: boolean },
): boolean {
  const names = Object.keys(Object(Object(part).properties)).filter((name) => name.endsWith('_id'))
  return names.every(
    (name) =>
      (isSampleId(String(given[name])) ?? areFree) || examplesOf(part, name).includes(given[name]),
  )
}

/** A stored file has the size of its content. */
function withSize(given: Fields): Fields {
  const { content_base64: content } = given
  if (typeof content !== 'string') return given
  return { ...given, size_bytes: Buffer.from(content, 'base64').length }
}

/**
 * Ids of examples. Every account has an object with these, so that the documentation's examples
 * work.
 */
function examplesOf(schema: unknown, name: string): readonly unknown[] {
  const { examples } = Object(Object(Object(schema).properties)[name])
  return Array.isArray(examples) ? examples : []
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
