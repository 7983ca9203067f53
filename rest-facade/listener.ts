import {
  createServer,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type ErrorCode, statusByErrorCode } from '../schema/error-codes.ts'
import { newId } from '../schema/ids.ts'

/** A listening port whose requests go to a handler that may come later. */
export interface Listener {
  readonly port: number
  /** From now on requests are handled; before, they are answered with 503. */
  serve(handler: RequestListener): void
  /** Stops accepting, lets running requests finish for so long, then cuts what is left. */
  close(patienceMs: number): Promise<void>
}

interface ListenOptions {
  readonly host: string
  /** 0 is any free port. */
  readonly port: number
  /** For the links of errors that are raised before any handler. */
  readonly docsUrl: () => string
  /** What such answers show as the limit: nobody has counted anything yet. */
  readonly anonymousRps: number
}

const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  // Longer than the idle timeout of common front proxies, so that they never reuse a closing socket.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5000,
  // Checked here, so that its refusal looks like all others.
  requireHostHeader: false,
}

export async function listen({
  host,
  port,
  docsUrl,
  anonymousRps,
}: ListenOptions): Promise<Listener> {
  let handler: RequestListener | null = null
  let isClosing = false
  const running = new Set<ServerResponse>()
  function forget(this: ServerResponse): void {
    running.delete(this)
  }
  const server = createServer(limits, (req, res) => {
    if (req.headers.host === undefined && req.httpVersion === '1.1') return refuse(req.socket, 400)
    if (isClosing) res.setHeader('Connection', 'close')
    running.add(res)
    res.on('close', forget)
    if (handler) return handler(req, res)
    const requestId = newId('req')
    const message = 'The gateway is starting.'
    const body = rawEnvelope('SERVICE_UNAVAILABLE', message, docsUrl(), requestId)
    const headers = { 'Content-Type': jsonType, 'Retry-After': '1', ...rawHeaders(requestId) }
    res.writeHead(503, headers).end(body)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    refuse(socket, error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400)
  })
  server.on('connect', (_req, socket: Socket) => refuse(socket, 400))
  server.on('checkExpectation', (req) => refuse(req.socket, 417))
  function rawHeaders(requestId: string): Record<string, string> {
    return {
      'X-Request-Id': requestId,
      'X-RateLimit-Limit': String(anonymousRps),
      'X-RateLimit-Remaining': String(anonymousRps),
      'X-RateLimit-Reset': String(Math.floor(Date.now() / 1000) + 1),
    }
  }

  /** What the HTTP parser refuses gets the envelope too, and the connection closes (contract §2). */
  function refuse(socket: Socket, status: number): void {
    if (!socket.writable) return void socket.destroy()
    const requestId = newId('req')
    const message = messages[status] ?? ''
    const body = rawEnvelope('BAD_REQUEST', message, docsUrl(), requestId, status)
    const headers = {
      Connection: 'close',
      'Content-Type': jsonType,
      'Content-Length': String(Buffer.byteLength(body)),
      ...rawHeaders(requestId),
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  return {
    port: address.port,
    serve(requestHandler) {
      handler = requestHandler
    },
    close(patienceMs) {
      isClosing = true
      // An answer that says so is the last one of its connection.
      for (const res of running) if (!res.headersSent) res.setHeader('Connection', 'close')
      return close(server, patienceMs)
    },
  }
}

const jsonType = 'application/json; charset=utf-8'

const messages: Readonly<Record<number, string>> = {
  400: 'This is not a valid HTTP request.',
  417: 'Only Expect: 100-continue is possible.',
  431: 'The headers exceed 16 KiB.',
}

function rawEnvelope(
  code: ErrorCode,
  message: string,
  docsUrl: string,
  request_id: string,
  status: number = statusByErrorCode[code],
): string {
  const documentation_url = `${docsUrl}/errors/${code}`
  return JSON.stringify({ error: { code, message, status, documentation_url, request_id } })
}

function close(server: Server, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), patienceMs)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
}
