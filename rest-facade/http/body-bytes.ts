import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import type { Request } from 'express'
import { headerOf } from './call.ts'
import { ApiError } from './errors.ts'

/** Which bodies are read. */
export interface BodyRules {
  /** The limit of what arrives, and of what it is after decompression. */
  readonly maxBytes: number
  /** A compressed body is refused. */
  readonly isAsSent?: boolean
}

type Done = (error: Error | undefined, bytes: Buffer) => void
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
export function readBytes(req: Request, rules: BodyRules, done: Done): void {
  const { maxBytes, isAsSent = false } = rules
  const decompress = decompressorOf(req, isAsSent)
  receive(req, maxBytes, (error, bytes) => {
    if (error || !decompress || bytes.length === 0) return done(error, bytes)
    decompress(bytes, { maxOutputLength: maxBytes }, (failure, inflated) => {
      if (!failure) return done(undefined, inflated)
      const isTooLarge = failure.code === 'ERR_BUFFER_TOO_LARGE'
      done(isTooLarge ? tooLarge() : failed('entity.undecodable', failure.message), noBytes)
    })
  })
}

/** Null for a body that is not compressed. */
function decompressorOf(req: Request, isAsSent: boolean): Decompress | null {
  const coding = headerOf(req, 'content-encoding').toLowerCase()
  if (coding === '' || coding === 'identity') return null
  if (isAsSent) throw unknownCoding('The body must have no Content-Encoding.', 'identity')
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
 * Receives the bytes as they were sent. If their length is stated, they get one piece of memory, and the
 * pieces in which they arrive are freed. After a failure the rest is thrown away.
 */
function receive(req: Request, maxBytes: number, done: Done): void {
  const stated = req.headers['content-length']
  const length = Number(stated)
  if (length > maxBytes || req.destroyed) {
    done(length > maxBytes ? tooLarge() : aborted(), noBytes)
    return
  }
  // Not zeroed: nobody reads it before the whole body has been written to it.
  const whole = stated === undefined ? null : Buffer.allocUnsafeSlow(length)
  const pieces: Buffer[] = []
  let arrived = 0
  let isOver = false

  function finish(error?: Error): void {
    if (isOver) return
    isOver = true
    const bytes = whole ?? Buffer.concat(error ? [] : pieces)
    pieces.length = 0
    done(error, bytes)
  }

  function keep(chunk: Buffer): void {
    if (isOver) return
    const start = arrived
    arrived += chunk.length
    if (arrived > maxBytes) finish(tooLarge())
    else if (!whole) pieces.push(chunk)
    else {
      whole.set(chunk, start)
      free(chunk)
    }
  }

  const abort = () => finish(aborted())
  req.on('data', keep)
  req.on('end', () => finish())
  req.on('error', abort)
  req.on('close', abort)
}

/** Frees the memory of bytes at once that nobody needs any more: a garbage collection may come much later. */
export function free({ buffer, length }: Buffer): void {
  // Parts of a larger buffer may belong to others, so only a whole buffer is freed.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

/** Failures to read a body have a `type`, as those of body-parser have. */
function failed(type: string, message: string): Error {
  return Object.assign(new Error(message), { type })
}

function tooLarge(): Error {
  return failed('entity.too.large', 'The body is too large.')
}

/** The failure of a body whose client has left. */
export function aborted(): Error {
  return failed('request.aborted', 'The body did not arrive whole.')
}
