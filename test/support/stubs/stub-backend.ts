import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A backend module that answers as the test says, and records its requests. */
export interface StubBackend {
  readonly url: string
  readonly received: ReceivedRequest[]
  /** How to answer from now on. */
  answer(handler: (request: ReceivedRequest, res: ServerResponse) => void | Promise<void>): void
  close(): Promise<void>
}

export async function startStubBackend(): Promise<StubBackend> {
  const received: ReceivedRequest[] = []
  let handle: (request: ReceivedRequest, res: ServerResponse) => void | Promise<void> = (_, res) =>
    sendBackendJson(res, 200, {})
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const { method = '', url = '', headers } = req
      const request = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') }
      received.push(request)
      void handle(request, res)
    })
  })
  // The stub must never close an idle connection while the next request is under way.
  server.keepAliveTimeout = 600_000
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answer(handler) {
      handle = handler
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Sends JSON as a well-behaved backend does. */
export function sendBackendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  res
    .writeHead(status, { 'Content-Type': 'application/json', ...headers })
    .end(JSON.stringify(body))
}
