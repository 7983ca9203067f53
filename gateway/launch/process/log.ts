import { isatty } from 'node:tty'
import { type DestinationStream, destination, type Logger, pino } from 'pino'
import { prettyLog } from './pretty-log.ts'

interface LogOptions {
  readonly level: string
  /** The format of the log: by default pretty on a terminal, otherwise one JSON object per line. */
  readonly format: 'pretty' | 'json' | undefined
  /** Standard error by default. */
  readonly into?: DestinationStream
}

const stderr = 2

/** Logs go to standard error; standard output belongs to the banner and to command results. */
export function createLog({ level, format, into }: LogOptions): Logger {
  const isPretty = format === 'pretty' || (format === undefined && isatty(stderr))
  const redact = { paths: ['*.authorization', '*.password', '*.plaintext', '*.secret'] }
  const options = { level, redact, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (!isPretty) return pino(options, into ?? destination({ dest: stderr, sync: false }))
  const isColoured = into === undefined && process.stderr.hasColors?.() === true
  return pino(options, prettyLog(into ?? destination({ dest: stderr, sync: true }), isColoured))
}
