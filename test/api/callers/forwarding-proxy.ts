import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a proxy says whom it speaks for: nginx adds to the line that is there, HAProxy adds a line. */
export type ForwardingStyle = 'appends to the line' | 'adds a line'

export interface ForwardingProxy {
  readonly url: string
  close(): Promise<void>
}

interface ProxyOptions {
  readonly target: string
  /** The address that it connects from. */
  readonly localAddress: string
  readonly style: ForwardingStyle
}

/** An honest HTTP proxy: hands on every header, and behind them the address that it was called from. */
export async function startForwardingProxy(options: ProxyOptions): Promise<ForwardingProxy> {
  const { target, localAddress, style } = options
  const server = createServer((incoming, res) => {
    const headers = withClient(incoming.rawHeaders, incoming.socket.remoteAddress ?? '', style)
    const url = target + (incoming.url ?? '/')
    const outgoing = request(url, { method: incoming.method, headers, localAddress }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(res)
    })
    outgoing.on('error', () => res.writeHead(502).end())
    incoming.pipe(outgoing)
  })
  // The proxy must never close an idle connection while the next request is on its way.
  server.keepAliveTimeout = 600_000
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const headerName = 'X-Forwarded-For'

function withClient(raw: readonly string[], client: string, style: ForwardingStyle): string[] {
  if (style === 'adds a line') return [...raw, headerName, client]
  const pairs = raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : [],
  )
  const isForwarding = ([name]: readonly [string, string]) =>
    name.toLowerCase() === headerName.toLowerCase()
  const said = pairs.filter(isForwarding).map(([, value]) => value)
  const others = pairs.filter((pair) => !isForwarding(pair)).flat()
  return [...others, headerName, [...said, client].join(', ')]
}
