import type { Request, RequestHandler } from 'express'

/** Media types of JSON in UTF-8, in the spellings that clients send. */
const plainTypes = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json;charset=UTF-8',
])
const maxPlainBytes = 16 * 1024

/**
 * Whether the body is of the kind that nearly all requests have: small, of a known length, in UTF-8,
 * not compressed.
 */
export function isPlainJson({ headers }: Request): boolean {
  const { 'content-type': type = '', 'content-length': length = '' } = headers
  return (
    plainTypes.has(type) &&
    headers['transfer-encoding'] === undefined &&
    headers['content-encoding'] === undefined &&
    /^\d{1,5}$/.test(length) &&
    Number(length) <= maxPlainBytes
  )
}

/**
 * Reads such a body as `express.json` does, from the events of the request instead of through a
 * stack of libraries. Node has checked the length. Failures have the types of body-parser.
 */
export const readPlainJson: RequestHandler = function readPlainJson(req, _res, next) {
  let first: Buffer | null = null
  let others: Buffer[] | null = null
  let isOver = false

  function finish(error: Error | null): void {
    if (isOver) return
    isOver = true
    next(error ?? readAll())
  }

  /** Returns the failure, if there is one. */
  function readAll(): Error | undefined {
    const bytes = others ? Buffer.concat(others) : first
    try {
      req.body = parse(bytes?.toString('utf8') ?? '')
      return undefined
    } catch (error) {
      return Object.assign(new Error(String(error)), { type: 'entity.parse.failed' })
    }
  }

  req.on('data', (chunk: Buffer) => {
    if (first === null) first = chunk
    else if (others === null) others = [first, chunk]
    else others.push(chunk)
  })
  req.on('end', () => finish(null))
  req.on('error', () => finish(aborted()))
  req.on('close', () => finish(aborted()))
}

/** A byte order mark is no JSON, but some clients write one. Nothing but the mark counts as `{}`. */
function parse(text: string): unknown {
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  return json === '' ? {} : JSON.parse(json)
}

function aborted(): Error {
  return Object.assign(new Error('The body did not arrive whole.'), { type: 'request.aborted' })
}
