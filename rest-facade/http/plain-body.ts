import type { Request } from 'express'
import { aborted } from './body-bytes.ts'
import { maxSmallBytes } from './large-body.ts'
import { MalformedText, utf8Problem } from './unicode/utf8.ts'

/** Media types in the spellings that clients send for UTF-8. */
export function spellingsOf(type: string): ReadonlySet<string> {
  const charsets = ['', '; charset=utf-8', ';charset=utf-8', '; charset=UTF-8', ';charset=UTF-8']
  return new Set(charsets.map((charset) => `${type}${charset}`))
}

/**
 * Whether the body is of the kind that nearly all requests have: small, of a known length, in UTF-8,
 * not compressed.
 */
export function isPlainBody({ headers }: Request, types: ReadonlySet<string>): boolean {
  const { 'content-type': type = '', 'content-length': length = '' } = headers
  return (
    types.has(type) &&
    headers['transfer-encoding'] === undefined &&
    headers['content-encoding'] === undefined &&
    /^\d{1,5}$/.test(length) &&
    Number(length) <= maxSmallBytes
  )
}

/**
 * Reads such a body from the events of the request instead of through a stack of libraries. Node has
 * checked the length. A byte order mark is left out. A failure has the type of body-parser.
 */
export function readPlainText(
  req: Request,
  done: (error: Error | undefined, text: string) => void,
): void {
  let first: Buffer | null = null
  let others: Buffer[] | null = null
  let isOver = false

  function finish(): void {
    if (isOver) return
    isOver = true
    const bytes = others ? Buffer.concat(others) : first
    const problem = bytes && utf8Problem(bytes)
    if (problem !== null) {
      done(new MalformedText(problem), '')
      return
    }
    const text = bytes?.toString('utf8') ?? ''
    done(undefined, text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  }

  /** Every request closes; an error is made only for one whose body did not end. */
  function abort(): void {
    if (isOver) return
    isOver = true
    done(aborted(), '')
  }

  if (req.destroyed) {
    // The request sends no more events, so the listeners below would wait for ever.
    abort()
    return
  }
  req.on('data', (chunk: Buffer) => {
    if (first === null) first = chunk
    else if (others === null) others = [first, chunk]
    else others.push(chunk)
  })
  req.on('end', finish)
  req.on('error', abort)
  req.on('close', abort)
}
