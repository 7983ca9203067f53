import { type IncomingMessage, request as newRequest } from 'node:http'
import type { Socket } from 'node:net'
import { ConnectionFailure } from '../../shared/outgoing/failure.ts'
import { openSocket, type SocketRules } from '../../shared/outgoing/open-socket.ts'

export interface FetchedDocument {
  readonly text: string
  /** How long the answer says that it is fresh; 0 if it does not say. */
  readonly maxAgeSeconds: number
}

/** An answer that came, and is no document. */
export class WrongAnswer extends ConnectionFailure {}

const maxDocumentBytes = 16 * 1024

/**
 * Fetches a document from a public address, by a connection of its own, without redirects, proxies and cookies. Throws
 * ConnectionFailure, and WrongAnswer for an answer that is not 200, not JSON or larger than `maxDocumentBytes`.
 */
export async function fetchDocument(
  url: URL,
  rules: SocketRules,
  signal: AbortSignal,
): Promise<FetchedDocument> {
  const socket = await openSocket(url, rules, signal)
  try {
    const response = await get(socket, url, signal)
    requireJson(response)
    return { text: await readText(response), maxAgeSeconds: maxAgeOf(response) }
  } finally {
    socket.destroy()
  }
}

function get(socket: Socket, url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const request = newRequest({
    method: 'GET',
    path: url.pathname,
    headers: {
      host: url.host,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'credit-gateway-client-documents/1',
    },
    createConnection: () => socket,
    signal,
  })
  return new Promise((resolve, reject) => {
    // This listener is never removed, because the socket may fail again at the end.
    request.on('error', reject)
    request.once('close', () => reject(new ConnectionFailure('connection reset')))
    request.once('response', resolve)
    request.end()
  })
}

/** A redirect is an answer like any other that is not 200 (OAuth Client ID Metadata Document). */
function requireJson({ statusCode, headers }: IncomingMessage): void {
  if (statusCode !== 200) throw new WrongAnswer(`http ${statusCode}`)
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (!/^application\/(?:[\w.-]+\+)?json$/i.test(type.trim())) {
    throw new WrongAnswer('not application/json')
  }
  const { 'content-encoding': encoding = 'identity' } = headers
  if (encoding !== 'identity') throw new WrongAnswer('a compressed answer')
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > maxDocumentBytes) throw new WrongAnswer('too large')
    chunks.push(chunk)
  }
  if (!response.complete) throw new ConnectionFailure('connection reset')
  return Buffer.concat(chunks).toString()
}

function maxAgeOf({ headers }: IncomingMessage): number {
  const [, seconds] = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(headers['cache-control'] ?? '') ?? []
  return Number(seconds ?? 0)
}
