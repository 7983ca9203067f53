import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import type { Request } from 'express'
import { inBody } from './body-shape.ts'
import { headerOf } from './call.ts'
import { ApiError, invalidRequest } from './errors.ts'
import { maxSmallBytes } from './large-body.ts'

/** What is read of bodies of one kind, and what a refusal of them says. */
export interface BodyKind {
  readonly mediaType: string
  /** The limit of what arrives, and of what it is after decompression. */
  readonly maxBytes: number
  /** `maxBytes` in words. */
  readonly limit: string
  /** Of a body that did not arrive whole. */
  readonly incomplete: string
  /** `as sent` is not decompressed, and its bytes are not checked. */
  readonly charset: 'utf-8' | 'any of Unicode' | 'as sent'
}

type Done = (failure: ApiError | undefined, bytes: Buffer) => void
type Decompress = (
  bytes: Buffer,
  options: { readonly maxOutputLength: number },
  done: (error: NodeJS.ErrnoException | null, bytes: Buffer) => void,
) => void

const decompressors: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['gzip', gunzip],
  ['deflate', inflate],
  ['br', brotliDecompress],
  ['zstd', zstdDecompress],
])
const codings = [...decompressors.keys()]
const noBytes = Buffer.alloc(0)

/**
 * Reads a body and decompresses it. A body that is too large fails before it is read if its length is
 * stated, and otherwise at the limit. Throws UNSUPPORTED_MEDIA_TYPE for an unknown coding.
 */
export function readBytes(req: Request, kind: BodyKind, done: Done): void {
  const decompress = decompressorOf(req, kind)
  receive(req, kind, (failure, bytes) => {
    if (failure || !decompress || bytes.length === 0) return done(failure, bytes)
    decompress(bytes, { maxOutputLength: kind.maxBytes }, (error, inflated) => {
      if (!error) return done(undefined, inflated)
      const isTooLarge = error.code === 'ERR_BUFFER_TOO_LARGE'
      done(isTooLarge ? tooLarge(kind) : unreadable('cannot be decompressed'), noBytes)
    })
  })
}

/** Null for a body that is not compressed. */
function decompressorOf(req: Request, { charset }: BodyKind): Decompress | null {
  const coding = headerOf(req, 'content-encoding').toLowerCase()
  if (coding === '' || coding === 'identity') return null
  if (charset === 'as sent')
    throw unknownCoding('The body must have no Content-Encoding.', 'identity')
  // RFC 9110 §8.4.1.3: `x-gzip` is `gzip`.
  const decompress = decompressors.get(coding === 'x-gzip' ? 'gzip' : coding)
  if (decompress) return decompress
  const all = codings.join(', ')
  throw unknownCoding(`The Content-Encoding of the body must be ${all} or none.`, all)
}

/** RFC 9110 §15.5.16: the header tells this refusal from that of a media type. */
function unknownCoding(message: string, accepted: string): ApiError {
  const headers = { 'Accept-Encoding': accepted }
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', message, { headers })
}

/**
 * Receives the bytes as they were sent. If their length is stated and not small, they get one piece of
 * memory, and the pieces in which they arrive are freed. After a failure the rest is thrown away.
 */
function receive(req: Request, kind: BodyKind, done: Done): void {
  const length = Number(req.headers['content-length'])
  if (length > kind.maxBytes || req.destroyed) {
    done(length > kind.maxBytes ? tooLarge(kind) : unreadable(kind.incomplete), noBytes)
    return
  }
  // Not zeroed: nobody reads it before the whole body has been written to it.
  const whole = length > maxSmallBytes ? Buffer.allocUnsafeSlow(length) : null
  const pieces: Buffer[] = []
  let arrived = 0
  let isOver = false

  function end(): void {
    if (isOver) return
    isOver = true
    done(undefined, whole ?? joined(pieces))
  }

  function fail(failure: ApiError): void {
    isOver = true
    pieces.length = 0
    done(failure, noBytes)
  }

  function keep(chunk: Buffer): void {
    if (isOver) return
    const start = arrived
    arrived += chunk.length
    if (arrived > kind.maxBytes) fail(tooLarge(kind))
    else if (!whole) pieces.push(chunk)
    else {
      whole.set(chunk, start)
      free(chunk)
    }
  }

  /** Every request closes; a failure is made only for one whose body did not end. */
  function abort(): void {
    if (!isOver) fail(unreadable(kind.incomplete))
  }

  req.on('data', keep)
  req.on('end', end)
  req.on('error', abort)
  req.on('close', abort)
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [first = noBytes] = pieces
  return pieces.length > 1 ? Buffer.concat(pieces) : first
}

/** Frees the memory of bytes at once that nobody needs any more: a garbage collection may come much later. */
export function free({ buffer, length }: Buffer): void {
  // Parts of a larger buffer may belong to others, so only a whole buffer is freed.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

function tooLarge({ limit }: BodyKind): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body exceeds ${limit}.`)
}

/** The failure of a body as a whole. */
export function unreadable(message: string): ApiError {
  return invalidRequest([inBody(message)])
}
