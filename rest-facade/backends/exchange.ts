import { isUtf8 } from 'node:buffer'
import type { Dispatcher } from 'undici'
import { maxSmallBytes } from '../http/large-body.ts'
import type { Deadline } from './deadlines.ts'

/** The answer of a backend module. */
export interface BackendAnswer {
  readonly status: number
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Whole, in UTF-8: text, or the bytes of a large one, which take no room on the heap. */
  readonly body: string | Buffer
}

/**
 * Sends one request and collects its whole answer. Rejects with undici's error when no whole answer
 * came, and when the deadline is over: then the connection is cut, or the request is not sent at all.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  deadline: Deadline,
): Promise<BackendAnswer> {
  return new Promise((resolve, reject) => {
    if (deadline.isOver) return reject(pastDeadline())
    dispatcher.dispatch(request, new Exchange(deadline, resolve, reject))
  })
}

/** undici's lowest interface: the body is held whole anyway, so it needs no stream. */
class Exchange implements Dispatcher.DispatchHandler {
  #status = 0
  #headers: BackendAnswer['headers'] = {}
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | null = null
  readonly #deadline: Deadline
  readonly #resolve: (answer: BackendAnswer) => void
  readonly #reject: (error: Error) => void

  constructor(
    deadline: Deadline,
    resolve: (answer: BackendAnswer) => void,
    reject: (error: Error) => void,
  ) {
    this.#deadline = deadline
    this.#resolve = resolve
    this.#reject = reject
    deadline.onOver = () => this.#end()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The deadline may have passed while the request waited for a connection.
    if (this.#deadline.isOver) this.#end()
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: BackendAnswer['headers'],
  ): void {
    // A 1xx comes before the answer; the headers of the answer replace its headers.
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#deadline.onOver = null
    const [first, ...others] = this.#chunks
    const bytes = others.length === 0 ? first : Buffer.concat(this.#chunks)
    const body = bytes ? textOrBytes(bytes) : ''
    this.#resolve({ status: this.#status, headers: this.#headers, body })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#deadline.onOver = null
    this.#reject(error)
  }

  #end(): void {
    const error = pastDeadline()
    if (this.#controller) this.#controller.abort(error)
    // Without a connection only the caller needs to know.
    this.#reject(error)
  }
}

function textOrBytes(bytes: Buffer): string | Buffer {
  const isLarge = bytes.length > maxSmallBytes
  if (isLarge && isUtf8(bytes)) return bytes
  const text = bytes.toString('utf8')
  return isLarge ? Buffer.from(text) : text
}

function pastDeadline(): Error {
  return new Error('The deadline is over.')
}
