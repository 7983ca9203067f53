import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ErrorRequestHandler } from 'express'
import type { Logger } from 'pino'
import type { RefusedCallers } from '../../callers/refused-callers.ts'
import { callOf, logFieldsOf } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import { isGone, startStream } from '../../http/respond.ts'
import type { SendResult } from '../../http/send-result.ts'

/** The storage of export results. */
export interface ExportFiles {
  /** Opens a file; null when no file has this name. */
  open(name: string): Promise<{ readonly bytes: number; readonly stream: Readable } | null>
}

/** A file in the storage, and the name under which it is sent. */
export interface NamedFile {
  readonly file: string
  readonly fileName: string
}

/**
 * A client that reads nothing for this long is cut off, because it holds a connection and an open
 * file.
 */
const idleMs = 60_000

/**
 * Sends the file as fast as the client reads it. When the client hangs up, all resources are
 * released.
 */
export function sendExport(files: ExportFiles | null, log: Logger): SendResult<NamedFile> {
  return async function sendExport({ file, fileName }, req, res) {
    const opened = (await files?.open(file)) ?? null
    if (!opened) throw new ApiError('NOT_FOUND', 'The result has been deleted.')
    const { bytes, stream } = opened
    if (req.method === 'HEAD' || isGone(res)) stream.destroy()
    startStream(res, {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Length': String(bytes),
      'Content-Disposition': `attachment; filename="${fileName}"`,
    })
    if (stream.destroyed) {
      res.end()
      return true
    }
    res.setTimeout(idleMs, () => res.destroy())
    try {
      await pipeline(stream, res)
    } catch (error) {
      // The client notices a partial file by its length. The answer has begun, so only the log can
      // say more.
      if (!isHangUp(error)) {
        log.warn(
          { err: error, ...logFieldsOf(callOf(res)), file },
          'A result could not be sent whole',
        )
      }
    }
    return true
  }
}

function isHangUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

/** Counts a refused link like any other failure of an anonymous caller. */
export function noteRefusedLink(trail: RefusedCallers): ErrorRequestHandler {
  return function noteRefusedLink(error, _req, res, next) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') {
      trail.note(callOf(res), 'FORBIDDEN')
    }
    next(error)
  }
}
