import type { Request, Response } from 'express'
import { type BodyKind, free, readBytes, unreadable } from './body-bytes.ts'
import { ApiError } from './errors.ts'
import { maxSmallBytes, takeRoom } from './large-body.ts'
import { utf8Problem } from './unicode/utf8.ts'

/**
 * Reads a body of any kind as text, with its byte order mark. A large one waits as bytes, outside of the
 * heap, until there is room for it. Throws UNSUPPORTED_MEDIA_TYPE; gives every other failure to `done`.
 */
export function readText(
  req: Request,
  res: Response,
  kind: BodyKind,
  done: (failure: unknown, text: string) => void,
): void {
  const decode = decoderFor(req, kind)
  readBytes(req, kind, (failure, bytes) => {
    if (failure) return done(failure, '')
    const isLarge = bytes.length > maxSmallBytes
    const use = () => {
      res.locals.call?.spent?.noteTurn()
      const text = decode(bytes)
      if (isLarge) free(bytes)
      if (text instanceof ApiError) done(text, '')
      else done(undefined, text)
    }
    if (!isLarge) return use()
    takeRoom(res, bytes.length)
      .then(use)
      .catch((error: unknown) => done(error, ''))
  })
}

/** Whether the request announces no body. */
export function comesWithout({ headers }: Request): boolean {
  return headers['transfer-encoding'] === undefined && !Number(headers['content-length'])
}

/** A byte order mark at the beginning of a text is no part of it. */
export function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

type Decode = (bytes: Buffer) => string | ApiError

/** How bytes of this request become text. Throws if its media type or its charset is not read. */
function decoderFor(req: Request, { mediaType, charset }: BodyKind): Decode {
  const { 'content-type': type = '', 'content-length': length } = req.headers
  // What nearly all clients send is known without parsing it.
  const isUsual = type.startsWith(mediaType) && usualParameters.has(type.slice(mediaType.length))
  const isAsSent = charset === 'as sent'
  // A request without a signed body gets a problem of its body, not of its media type.
  const isRead = (isUsual && length !== undefined) || (isAsSent && comesWithout(req))
  if (!isRead && !req.is(mediaType))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${mediaType}.`)
  if (isAsSent) return (bytes) => bytes.toString()
  const name = isUsual ? 'utf-8' : charsetOf(type)
  if (name === 'utf-8' || name === 'utf8') return decodeUtf8
  // Decoders of other charsets make the same character of different bytes, too.
  if (charset === 'any of Unicode' && name.startsWith('utf-')) return otherDecoder(name)
  throw notUtf8()
}

const usualParameters = new Set([
  '',
  '; charset=utf-8',
  ';charset=utf-8',
  '; charset=UTF-8',
  ';charset=UTF-8',
])

/** `utf8` is a common name of UTF-8, although RFC 3629 knows only `utf-8`. */
function charsetOf(type: string): string {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(type) ?? []
  return (quoted || plain || 'utf-8').toLowerCase()
}

function decodeUtf8(bytes: Buffer): string | ApiError {
  const problem = utf8Problem(bytes)
  return problem === null ? bytes.toString() : unreadable(problem)
}

/** JSON is in UTF-8; the other charsets of Unicode that Node knows are read too. */
function otherDecoder(name: string): Decode {
  const decoder = decoderOf(name)
  return (bytes) => {
    try {
      return decoder.decode(bytes)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      return unreadable(`is not ${decoder.encoding.toUpperCase()}`)
    }
  }
}

function decoderOf(name: string): TextDecoder {
  try {
    return new TextDecoder(name, { fatal: true })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw notUtf8()
  }
}

function notUtf8(): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as UTF-8.')
}
