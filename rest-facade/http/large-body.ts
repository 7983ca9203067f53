import { Readable } from 'node:stream'
import type { Request, Response } from 'express'
import { type ApiError, unavailable } from './errors.ts'

const mebibyte = 1024 * 1024

/** Of bodies that arrive or wait; they are outside of the heap. */
const maxArriving = 160 * mebibyte
/** Of bodies that are parsed and whose requests are not answered: on the heap each takes some times as much. */
const maxParsed = 24 * mebibyte
/** As long as a request may take to arrive. */
const patienceMs = 30_000

/** Bytes of which there are so many in this process. Shares are handed out in the order of asking. */
interface Budget {
  /** Calls back with whether the share was given; with no patience, at once. */
  take(bytes: number, patienceMs: number, done: (isGiven: boolean) => void): void
  give(bytes: number): void
}

function createBudget(max: number): Budget {
  let taken = 0
  const waiting: { readonly bytes: number; readonly start: () => void }[] = []

  function startNext(): void {
    for (let [first] = waiting; first && taken + first.bytes <= max; [first] = waiting) {
      waiting.shift()
      taken += first.bytes
      first.start()
    }
  }

  return {
    take(bytes, patience, done) {
      if (waiting.length === 0 && taken + bytes <= max) {
        taken += bytes
        return done(true)
      }
      if (patience === 0) return done(false)
      const asking = {
        bytes,
        start() {
          clearTimeout(timer)
          done(true)
        },
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(asking), 1)
        done(false)
        startNext()
      }, patience)
      waiting.push(asking)
    },
    give(bytes) {
      taken -= bytes
      startNext()
    },
  }
}

const arriving = createBudget(maxArriving)
const parsed = createBudget(maxParsed)

interface LargeBody {
  /** The most bytes that it may have, also when they are inflated. */
  readonly maxBytes: number
  /** Gets a request that has the same headers, and the body as it arrived. */
  readonly parse: (whole: Request, done: (error?: unknown) => void) => void
}

/**
 * Parses a body when all of it has arrived and there is room for it on the heap, so that whoever sends
 * slowly takes no room. When there is none for too long, the failure is SERVICE_UNAVAILABLE.
 */
export function readLargeBody(
  req: Request,
  res: Response,
  { maxBytes, parse }: LargeBody,
  done: (error?: unknown) => void,
): void {
  const { 'content-length': length, 'content-encoding': encoding } = req.headers
  const announced = length === undefined ? maxBytes : Number(length)
  // It is refused without being read.
  if (announced > maxBytes) {
    parse(req, done)
    return
  }
  arriving.take(announced, 0, (hasRoom) => {
    if (!hasRoom) return done(tooMany())
    whenClosed(res, () => arriving.give(announced))
    collect(req, maxBytes, (error, bytes) => {
      if (error) return done(error)
      const share = encoding === undefined ? bytes.length : maxBytes
      parsed.take(share, patienceMs, (isGiven) => {
        if (!isGiven) return done(tooMany())
        whenClosed(res, () => parsed.give(share))
        parse(replayed(req, bytes), done)
      })
    })
  })
}

function whenClosed(res: Response, work: () => void): void {
  if (res.closed) work()
  else res.once('close', work)
}

function tooMany(): ApiError {
  return unavailable('Too many large bodies are being worked on; try again.')
}

/** Compressed bytes can be a little more than what they are inflated to. */
const slackBytes = 64 * 1024

function collect(
  req: Request,
  maxBytes: number,
  done: (error: Error | null, bytes: Buffer) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  let isOver = false
  function end(error: Error | null): void {
    if (isOver) return
    isOver = true
    done(error, Buffer.concat(chunks))
  }
  // Its events are over.
  if (req.destroyed) {
    end(aborted())
    return
  }
  req.on('data', (chunk: Buffer) => {
    if (length > maxBytes + slackBytes) return
    length += chunk.length
    chunks.push(chunk)
    // The rest is read and dropped; whoever parses this much refuses it.
    if (length > maxBytes + slackBytes) end(null)
  })
  req.on('end', () => end(null))
  req.on('close', () => end(aborted()))
  req.on('error', () => end(aborted()))
}

/** As body-parser has it. */
function aborted(): Error {
  return Object.assign(new Error('The request was aborted.'), { type: 'request.aborted' })
}

function replayed({ headers, method, url }: Request, bytes: Buffer): Request {
  const length = { 'content-length': String(bytes.length), 'transfer-encoding': undefined }
  const stream = Readable.from([bytes], { objectMode: false })
  return Object.assign(stream, { method, url, headers: { ...headers, ...length } }) as never
}
