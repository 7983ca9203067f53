import { connect } from 'node:net'
import fc from 'fast-check'
import type { Answer } from '../../test/support/conformity/answers-conform.ts'
import type { ApiOperation } from '../../test/support/conformity/api-document.ts'
import type { WireRequest } from './world.ts'

/** A hostile change of a harmless request, which must be refused. */
export type Hostility =
  | { readonly kind: 'method'; readonly method: string }
  | { readonly kind: 'path'; readonly where: number; readonly text: string }
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  /** Bytes on a socket, which no client could send. */
  | { readonly kind: 'bytes'; readonly lines: readonly string[]; readonly body: string }

type Bytes = Extract<Hostility, { kind: 'bytes' }>

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'SEARCH',
  'PURGE',
]

const pathTexts = [
  ...[
    '/',
    '//',
    '/.',
    '/..',
    '/../..',
    '/%2e%2e',
    '/%2f',
    '%00',
    '%',
    '%zz',
    '%c0%af',
    ';a=b',
    '%20',
  ],
  ...[
    '.json',
    '~',
    '/x',
    '/{key_id}',
    '%ff',
    '%ed%a0%80',
    '?%ff=1',
    '?a=%c3',
    '?',
    '?&&&',
    '?=',
    '?%',
    '?a[b][c]=1',
    '?__proto__[x]=1',
    '%F0%9F%98%80',
  ],
  ...[
    `/${'a'.repeat(3000)}`,
    `?${'a=1&'.repeat(1000)}`,
    '/constructor',
    '/__proto__',
    '\\..\\',
    ':',
    '*',
  ],
]

const headerChoices: readonly (readonly [name: string, values: readonly string[]])[] = [
  [
    'authorization',
    [
      'Bearer',
      'Bearer ',
      'Bearer  x',
      'Basic eA==',
      'Bearer x, Bearer y',
      `Bearer ${'a'.repeat(4000)}`,
      'bearer svc_live_',
      'Digest a=b',
      'Bearer \u00ff',
    ],
  ],
  [
    'content-type',
    [
      'text/plain',
      'application/json; charset=utf-7',
      'application/xml',
      'multipart/form-data; boundary=x',
      '/',
      'application/json;;',
      'application/json, text/html',
      'application/x-www-form-urlencoded',
    ],
  ],
  ['content-encoding', ['gzip', 'br', 'deflate', 'identity', 'zstd', 'gzip, gzip', 'nonsense']],
  ['accept', ['text/html', 'image/*', '*/*;q=0', 'nonsense', 'application/xml']],
  // These values ask for no compressed answer, because the bare socket reads text.
  ['accept-encoding', ['identity;q=0', 'gzip;q=0', '*;q=0']],
  ['accept-language', ['de', 'x'.repeat(500)]],
  ['if-none-match', ['*', '"x"', 'W/"x"']],
  ['if-match', ['"x"']],
  ['if-modified-since', ['Thu, 01 Jan 2099 00:00:00 GMT', 'nonsense']],
  ['range', ['bytes=0-0', 'bytes=-1', 'lines=1-2']],
  ['cookie', ['a=b', '=', `session=${'x'.repeat(4000)}`, '__Host-svc_session=svc_osn_x']],
  ['origin', ['null', 'https://evil.example', 'file://', 'http://[::1', '']],
  ['referer', ['nonsense']],
  ['host', ['evil.example', 'localhost:1', '[::1]', 'a b', 'a, b', '']],
  ['x-forwarded-for', ['127.0.0.1', 'nonsense', '::ffff:10.0.0.1, 1.2.3.4', '1'.repeat(2000)]],
  ['x-forwarded-host', ['evil.example']],
  ['x-forwarded-proto', ['javascript']],
  ['forwarded', ['for="_x";proto=https']],
  ['x-http-method-override', ['DELETE', 'TRACE']],
  ['x-original-url', ['/v1/account/keys']],
  [
    'traceparent',
    ['00-00000000000000000000000000000000-0000000000000000-00', 'ff-x', '00', 'x'.repeat(600)],
  ],
  ['tracestate', ['a=b', ',,,,']],
  ['x-request-id', ['mine', 'req_mine']],
  ['x-svc-idempotency-key', ['', 'x'.repeat(255), 'x'.repeat(256), '\u00e9']],
  ['idempotency-key', ['a, b', 'x'.repeat(5000)]],
  [
    'x-sandbox-scenario',
    ['nonsense', 'slow=-1', 'slow=60001', 'status=200', 'units=1e3', 'ok=1', ''],
  ],
  ['access-control-request-method', ['POST', 'nonsense']],
  ['access-control-request-headers', ['x'.repeat(1000), 'x-svc-idempotency-key, ,']],
  ['sec-fetch-site', ['cross-site']],
  ['x-big', ['x'.repeat(15_000)]],
]

/** Heads of requests that no client of HTTP would send; `TARGET` is the path. */
const heads: readonly (readonly string[])[] = [
  ['GET TARGET HTTP/1.1'],
  ['GET TARGET HTTP/1.1', 'Host: a', 'Host: b'],
  ['GET TARGET HTTP/1.1', 'Host: a b'],
  ['GET TARGET HTTP/1.1', 'Host: a, a'],
  ['GET TARGET HTTP/1.1', 'Host:'],
  ['GET TARGET\u00e9 HTTP/1.1', 'Host: a'],
  ['GET TARGET HTTP/9.9', 'Host: a'],
  ['GET TARGET', 'Host: a'],
  ['get TARGET HTTP/1.1', 'Host: a'],
  ['NONSENSE TARGET HTTP/1.1', 'Host: a'],
  ['CONNECT TARGET HTTP/1.1', 'Host: a'],
  ['GET http://[ HTTP/1.1', 'Host: a'],
  ['GET http://evil.example/v1/health HTTP/1.1', 'Host: a'],
  ['GET * HTTP/1.1', 'Host: a'],
  ['OPTIONS * HTTP/1.1', 'Host: a'],
  ['GET \\ HTTP/1.1', 'Host: a'],
  ['GET //TARGET HTTP/1.1', 'Host: a'],
  ['GET TARGET#fragment HTTP/1.1', 'Host: a'],
  ['GET TARGET HTTP/1.1', 'Host: a', 'X-Nul: a\u0000b'],
  ['GET TARGET HTTP/1.1', 'Host: a', 'No colon'],
  ['GET TARGET HTTP/1.1', 'Host: a', ' folded: x'],
  ['GET TARGET HTTP/1.1', 'Host: a', `X-Long: ${'x'.repeat(17_000)}`],
  [
    'GET TARGET HTTP/1.1',
    'Host: a',
    ...Array.from({ length: 1500 }, (_, index) => `X-${index}: 1`),
  ],
  ['POST TARGET HTTP/1.1', 'Host: a', 'Content-Length: -1'],
  ['POST TARGET HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 2'],
  ['POST TARGET HTTP/1.1', 'Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
  ['POST TARGET HTTP/1.1', 'Host: a', 'Transfer-Encoding: nonsense'],
  ['POST TARGET HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked'],
  ['POST TARGET HTTP/1.1', 'Host: a', 'Expect: nonsense'],
  ['GET TARGET HTTP/1.1', 'Host: a', 'Upgrade: websocket', 'Connection: Upgrade'],
  ['POST TARGET HTTP/1.1', 'Host: a', 'Upgrade: h2c', 'Connection: Upgrade', 'Content-Length: 2'],
  ['GET TARGET HTTP/1.0'],
]

export const hostilities: fc.Arbitrary<Hostility> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('method' as const),
      method: fc.constantFrom(...methods),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('path' as const),
      where: fc.nat(60),
      text: fc.oneof(
        fc.constantFrom(...pathTexts),
        fc.string({ maxLength: 8 }).map((text) => encodeURI(text.toWellFormed())),
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('headers' as const), headers: someHeaders() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('bytes' as const),
      lines: fc.constantFrom(...heads),
      body: fc.constantFrom('', '\r\n\r\n', 'zz\r\n', '5\r\nhello\r\n0\r\n\r\n', '\u0000'),
    }),
  },
)

function someHeaders(): fc.Arbitrary<Record<string, string>> {
  const one = fc
    .constantFrom(...headerChoices)
    .chain(([name, values]) => fc.constantFrom(...values).map((value) => [name, value] as const))
  return fc.array(one, { minLength: 1, maxLength: 3 }).map((pairs) => Object.fromEntries(pairs))
}

/** The request that is sent instead; raw bytes go over a socket, see `sendBytes`. */
export function makeHostile(request: WireRequest, hostility: Hostility): WireRequest {
  switch (hostility.kind) {
    case 'method':
      return { ...request, method: hostility.method, body: null }
    case 'path': {
      const at = hostility.where % (request.target.length + 1)
      const target = request.target.slice(0, at) + hostility.text + request.target.slice(at)
      return { ...request, target: target.startsWith('/') ? target : `/${target}` }
    }
    case 'headers':
      return { ...request, headers: { ...request.headers, ...hostility.headers } }
    case 'bytes':
      return request
  }
}

const answerPatienceMs = 20_000

/**
 * Everything that comes back until the connection ends, or until nothing more comes for a while.
 */
export function sendBytes(
  origin: string,
  operation: ApiOperation,
  hostility: Bytes,
): Promise<string> {
  const { hostname, port } = new URL(origin)
  const target = targetOf(operation)
  const head = hostility.lines.map((line) => line.replaceAll('TARGET', target))
  const bytes = Buffer.from(
    `${head.join('\r\n')}\r\nConnection: close\r\n\r\n${hostility.body}`,
    'latin1',
  )
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.end(bytes))
    socket
      .setEncoding('utf8')
      .setTimeout(answerPatienceMs, () => socket.destroy(new Error('No answer came.')))
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    // A server that has refused need not read the rest.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(text) : reject(error),
    )
    socket.on('close', () => resolve(text))
  })
}

function targetOf({ path }: ApiOperation): string {
  return path.replaceAll(/[{}]/g, '')
}

interface RequestLine {
  readonly method: string
  readonly path: string
}

/** The first line, as a server reads it; of a whole address the path counts. */
export function requestLineOf(operation: ApiOperation, { lines }: Bytes): RequestLine {
  const [method = '', written = ''] =
    lines[0]?.replaceAll('TARGET', targetOf(operation)).split(' ') ?? []
  const isAddress = /^[a-z]+:/.test(written) && URL.canParse(written)
  return { method, path: isAddress ? new URL(written).pathname : written }
}

/** The first answer of what came over a socket; null, when nothing came. */
export function readAnswer(text: string, line: RequestLine): Answer | null {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
  if (!Number.isInteger(status)) return null
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { ...line, status, headers: Object.fromEntries(headers), body: rest.join('\r\n\r\n') }
}
