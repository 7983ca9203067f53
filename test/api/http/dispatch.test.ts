import { once } from 'node:events'
import { Agent, createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import express, {
  type ErrorRequestHandler,
  type Express,
  type RequestHandler,
  Router,
} from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Listener, listen } from '../../../gateway/listeners/listener.ts'
import { createProductFinder } from '../../../rest-facade/charge/quotes/product-finder.ts'
import { ApiError } from '../../../rest-facade/http/errors.ts'
import { methodNotAllowed, notFound } from '../../../rest-facade/http/unknown-route.ts'
import { routes } from '../../../rest-facade/routes/index.ts'
import { localRoutes } from '../../../rest-facade/routes/local.ts'
import { expressPath, mount, type Row } from '../../../rest-facade/steps/dispatch/mount.ts'
import { requestListenerOf } from '../../../rest-facade/steps/dispatch/request-listener.ts'
import type { NoteLateFailure } from '../../../rest-facade/steps/dispatch/steps.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { serviceSlugs } from '../../../schema/vocabulary/scopes.ts'
import { rounds, seed } from '../../support/extent/extent.ts'

interface Asked {
  readonly method: string
  readonly target: string
}

/** Answers with all that a route can know of the address of a request. */
function show(route: string): RequestHandler {
  return function show(req, res) {
    const { method, path, params, query, url, originalUrl, baseUrl } = req
    const seen = { route, method, path, params, query, url, originalUrl, baseUrl }
    res.setHeader('X-Route', route)
    res.end(JSON.stringify(seen))
  }
}

const answerFailure: ErrorRequestHandler = function answerFailure(error, _req, res, _next) {
  const { status, code, message, headers } =
    error instanceof ApiError ? error : new ApiError('NOT_FOUND', `${error.name}`)
  res.writeHead(status, headers).end(JSON.stringify({ code, message }))
}

const noteLate: NoteLateFailure = (failure) => {
  throw failure
}

/** The rows of the product, each with an answer that shows which one was found. */
function productRows(): Row[] {
  const products = loadCatalog().services.flatMap(({ operations, slug }) =>
    operations.map(({ method, path }) => ({
      ...{ method, path: `/${slug}${expressPath(path)}`, isRooted: false, refusesHead: true },
    })),
  )
  const local = localRoutes.map(({ path }) => ({ method: 'get', path, isRooted: false }))
  const entryPoint = { method: 'get', path: '/', isRooted: true }
  return [...local, ...routes, ...products, entryPoint].map((row) => ({
    ...{ method: row.method, path: row.path, isRooted: row.isRooted },
    refusesHead: 'refusesHead' in row,
    handlers: [show(`${row.method} ${row.path}`)],
  }))
}

/** All rows as routes of Express, which tries the pattern of one after the other. */
function expressRouter(all: readonly Row[]): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const byPath = Map.groupBy(all, ({ path, isRooted }) => (isRooted ? path : `/v1${path}`))
  for (const [path, methods] of [...byPath].sort(fixedFirst)) {
    const route = router.route(path)
    const hasHead = methods.some(({ method, refusesHead }) => method === 'get' && !refusesHead)
    const allowed = methods.map(({ method }) => method.toUpperCase())
    const refuse = methodNotAllowed(hasHead ? [...allowed, 'HEAD'] : allowed)
    if (!hasHead) route.head(refuse)
    for (const { method, handlers } of methods) route[verb(method)](...handlers)
    route.all(refuse)
  }
  return router
}

/** A path comes before one whose placeholder would match it: `things/new` and `:id.pdf` before `:id`. */
function fixedFirst([a]: [string, unknown], [b]: [string, unknown]): number {
  const sortKey = (path: string) =>
    path.replaceAll(':', '\uffff').replaceAll(/\uffff[a-z_]+(?=\.)/g, '\ufffe')
  return sortKey(a) < sortKey(b) ? -1 : 1
}

const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const

function verb(method: string): (typeof verbs)[number] {
  const found = verbs.find((name) => name === method.toLowerCase())
  if (!found) throw new Error(`${method} is not a method of this API.`)
  return found
}

const rows = productRows()
const fullPaths = rows.map(({ path, isRooted }) => (isRooted ? path : `/v1${path}`))
const words = [...new Set(fullPaths.flatMap((path) => path.split('/')))].filter(
  (word) => word !== '' && !word.startsWith(':'),
)

/** A segment of a path: another one of the product, an id, or what is hardly ever sent. */
const segment = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom('key_01kf0x4v2e5n8p0q3r5s7t9w10', 'x', '0', '-', '~', "'", ';a=b', '@', '*'),
  fc.constantFrom('%2f', 'a%2Fb', '%', '%zz', '%ff', '%20', '%C3%A4', '%00', '.', '..', ':key_id'),
  fc.stringMatching(/^[A-Za-z0-9_.!$&()+,=%-]{1,8}$/),
)

const change = fc.constantFrom(
  ...(['none', 'none', 'none', 'case', 'double', 'trailing', 'encode', 'drop', 'append'] as const),
)
const query = fc.constantFrom('', '', '?', '?a=1', '?a=1&a=2', '?x=/v1/account', '?%zz', '#part')
const method = fc.constantFrom(
  ...(['own', 'own', 'own', 'GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'] as const),
  ...(['PROPFIND', 'TRACE', 'QUERY'] as const),
)

function changed(path: string, kind: string, position: number, other: string): string {
  const index = position % Math.max(1, path.length)
  const character = path.charAt(index)
  const segments = path.split('/')
  switch (kind) {
    case 'case':
      return path.slice(0, index) + character.toUpperCase() + path.slice(index + 1)
    case 'double':
      return path.replaceAll('/', (slash, at: number) => (at >= index ? '//' : slash))
    case 'trailing':
      return `${path}/`
    case 'encode':
      return `${path.slice(0, index)}%${character.charCodeAt(0).toString(16)}${path.slice(index + 1)}`
    case 'drop':
      return segments.slice(0, -1).join('/')
    case 'append':
      return `${path}/${other}`
    default:
      return path
  }
}

const asked: fc.Arbitrary<Asked> = fc
  .record({
    index: fc.nat(rows.length - 1),
    segments: fc.array(segment, { minLength: 3, maxLength: 3 }),
    ...{ change, query, method, other: segment, position: fc.nat(200) },
    isAbsolute: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  })
  .map(({ index, segments, position, other, isAbsolute, ...rest }) => {
    const taken = [...segments]
    const path = (fullPaths[index] ?? '').replaceAll(/:[a-z_]+/g, () => taken.pop() ?? '')
    const address = `${changed(path, rest.change, position, other)}${rest.query}`
    const target = isAbsolute ? `http://gateway.test${address}` : address || '/'
    return {
      method: rest.method === 'own' ? (rows[index]?.method.toUpperCase() ?? '') : rest.method,
      target: target.startsWith('/') || isAbsolute ? target : `/${target}`,
    }
  })
  // The listener refuses these before any step, and the parser of Node a fragment behind a host.
  .filter(({ target }) => target.startsWith('/') || URL.canParse(target))
  .filter(({ target }) => !/^http:\/\/[^/?]*#/.test(target))

describe('the dispatch of requests', () => {
  const agent = new Agent({ keepAlive: true })
  const plain = createServer()
  let listener: Listener
  let port = 0
  let expressPort = 0

  function appWith(router: RequestHandler): Express {
    const app = express()
    app.disable('x-powered-by')
    app.set('case sensitive routing', true)
    return app.use(router, notFound, answerFailure)
  }

  beforeAll(async () => {
    const app = express()
    app.disable('x-powered-by')
    app.set('case sensitive routing', true)
    app.use(notFound, answerFailure)
    const docsUrl = () => 'http://gateway.test/docs'
    listener = await listen({ host: '127.0.0.1', port: 0, docsUrl, anonymousRps: 1 })
    listener.serve(requestListenerOf([mount(rows, noteLate), answerFailure], app, noteLate), app)
    port = listener.port
    plain.on('request', appWith(expressRouter(rows)))
    plain.listen(0, '127.0.0.1')
    await once(plain, 'listening')
    expressPort = (plain.address() as AddressInfo).port
  })
  afterAll(async () => {
    agent.destroy()
    await listener.close(0)
    plain.close()
  })

  async function ask(port: number, { method, target }: Asked) {
    const sent = httpRequest({ host: '127.0.0.1', port, agent, method, path: target })
    sent.end()
    const [res] = await once(sent, 'response')
    const { date: _date, 'keep-alive': _keepAlive, ...headers } = res.headers
    return { status: res.statusCode, headers, body: await text(res) }
  }

  test('answers every route of the product as the router of Express does', async () => {
    for (const [index, { method }] of rows.entries()) {
      const target = (fullPaths[index] ?? '').replaceAll(/:[a-z_]+/g, 'x')
      const one = { method: method.toUpperCase(), target }

      const answer = await ask(port, one)

      expect(answer.status).toBe(200)
      expect(answer).toEqual(await ask(expressPort, one))
    }
  })

  test.each(['HEAD', 'OPTIONS', 'GET', 'POST', 'PATCH'])(
    '%s: answers every path as that router does, and names the methods of the path in Allow',
    async (method) => {
      for (const path of new Set(fullPaths)) {
        const one = { method, target: path.replaceAll(/:[a-z_]+/g, 'x') }

        expect([one, await ask(port, one)]).toEqual([one, await ask(expressPort, one)])
      }
    },
  )

  test.each([
    ...['', '.', '..', '.pdf', 'a.pdf', 'a.b.pdf', 'a:b', ':key_id', 'a-b', 'a;b', '*', '~'],
    ...['%41', 'a%2Fb', 'a%3Fb', '%25', '%2525', '%C3%A4', '%', '%zz', '%ff', 'a%zz.pdf'],
    'x'.repeat(8000),
  ])('with the placeholder %j: answers every path as that router does', async (text) => {
    for (const path of new Set(fullPaths.filter((one) => one.includes(':')))) {
      const one = { method: 'GET', target: path.replaceAll(/:[a-z_]+/g, () => text) }

      expect([one, await ask(port, one)]).toEqual([one, await ask(expressPort, one)])
    }
  })

  test('takes * for no path', async () => {
    const one = { method: 'OPTIONS', target: '*' }

    expect(await ask(port, one)).toEqual(await ask(expressPort, one))
  })

  test('answers random addresses as the router of Express does', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (one) => {
        expect(await ask(port, one)).toEqual(await ask(expressPort, one))
      }),
      { seed, numRuns: rounds('DISPATCHED_ADDRESSES', { all: 150, nightly: 20_000 }) },
    )
  })

  test('and quotes find the product operation of a random address as that router does', async () => {
    const findProduct = createProductFinder(loadCatalog())
    // A quoted path has neither a host nor a fragment.
    const quotable = asked.filter(({ target }) => /^\/[^#]*$/.test(target))
    const found = ({ method, target }: Asked) => {
      const product = findProduct(method, target.split('?')[0] ?? '')
      if (!product) return null
      const { service, path } = product.operation
      const route = `${product.operation.method} /${service}${expressPath(path)}`
      return { route, params: { ...product.params } }
    }
    await fc.assert(
      fc.asyncProperty(quotable, async (one) => {
        const { status, headers, body } = await ask(expressPort, one)
        const name = String(headers['x-route'])
        const isProduct = status === 200 && serviceSlugs.some((slug) => name.includes(` /${slug}/`))
        const params = isProduct && one.method !== 'HEAD' ? JSON.parse(body).params : {}

        expect([one, found(one)]).toEqual([one, isProduct ? { route: name, params } : null])
      }),
      { seed, numRuns: rounds('DISPATCHED_ADDRESSES', { all: 150, nightly: 20_000 }) },
    )
  })
})
