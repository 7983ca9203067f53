import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { DomainError } from '../../../../shared/graph/errors.ts'
import type { InvoiceDocument } from './invoice-document.ts'

export interface RenderRequest {
  readonly id: number
  readonly document: InvoiceDocument
}

export type RenderAnswer =
  | { readonly id: number; readonly pdf: Uint8Array }
  | { readonly id: number; readonly error: string }

/**
 * The thread ends after this time without work, because it holds the fonts and the library in
 * memory.
 */
const idleMs = 30_000
/** A document takes about 0.1 s, and the first one of a thread some tenths more. */
const renderTimeoutMs = 30_000
/** The limit of waiting documents. Further requests are refused. */
const maxWaiting = 50
/**
 * With a larger space for young objects, the thread takes 270 MB instead of 90 MB and is no faster.
 */
const heapLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

interface Waiting {
  readonly resolve: (pdf: Uint8Array) => void
  readonly reject: (error: Error) => void
}

let thread: RenderThread | null = null

/**
 * Renders a document in a thread of its own, because it would hold up every other request for about 0.1 s.
 * The thread is started by the first document. Throws SERVICE_UNAVAILABLE if too many documents wait, and
 * after 30 s.
 */
export function renderPdf(document: InvoiceDocument): Promise<Uint8Array> {
  thread ??= new RenderThread(() => {
    thread = null
  })
  return thread.render(document)
}

class RenderThread {
  readonly #worker = new Worker(workerFile, {
    env: {},
    resourceLimits: heapLimits,
  })
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #timer: NodeJS.Timeout | undefined
  #isEnded = false
  readonly #onEnd: () => void

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
    this.#worker.on('message', (answer: RenderAnswer) => this.#settle(answer))
    this.#worker.on('error', (cause) => this.#end(new Error('Rendering failed.', { cause })))
    this.#worker.on('exit', () => this.#end(new Error('Rendering was interrupted.')))
  }

  render(document: InvoiceDocument): Promise<Uint8Array> {
    if (this.#waiting.size >= maxWaiting) return Promise.reject(busy())
    this.#lastId += 1
    const id = this.#lastId
    const rendered = new Promise<Uint8Array>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
    })
    this.#worker.ref()
    if (this.#waiting.size === 1) this.#endAfter(renderTimeoutMs, busy)
    this.#worker.postMessage({ id, document } satisfies RenderRequest)
    return rendered
  }

  #settle(answer: RenderAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('pdf' in answer) waiting?.resolve(answer.pdf)
    else waiting?.reject(new Error(`An invoice could not be rendered: ${answer.error}`))
    const isIdle = this.#waiting.size === 0
    // An idle thread keeps no process running.
    if (isIdle) this.#worker.unref()
    this.#endAfter(isIdle ? idleMs : renderTimeoutMs, busy)
  }

  #endAfter(ms: number, reason: () => Error): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#end(reason()), ms).unref()
  }

  #end(reason: Error): void {
    if (this.#isEnded) return
    this.#isEnded = true
    clearTimeout(this.#timer)
    this.#onEnd()
    for (const { reject } of this.#waiting.values()) reject(reason)
    this.#waiting.clear()
    void this.#worker.terminate()
  }
}

/** The file of compiled code has another ending than the source. */
const workerFile = new URL(`./invoice-pdf.worker${extname(import.meta.filename)}`, import.meta.url)

function busy(): DomainError {
  const message = 'Too many invoices are being rendered. Try again soon.'
  return new DomainError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 })
}
