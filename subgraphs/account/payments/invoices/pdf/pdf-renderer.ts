import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { AccountScope } from '../../../../../schema/credentials/account-scope.ts'
import type { PrintFont } from './fonts/print-font.ts'
import { printFonts } from './fonts/print-fonts.ts'
import type { InvoiceDocument } from './invoice-document.ts'
import { busy, WaitingDocuments } from './waiting-documents.ts'

export interface RenderQuestion {
  readonly document: InvoiceDocument
  readonly fonts: readonly PrintFont[]
}

export type RenderAnswer = { readonly pdf: Uint8Array } | { readonly error: string }

/**
 * The thread ends after this time without work, because it holds the fonts and the library in
 * memory.
 */
const idleMs = 30_000
/** The limit for a document: far more than it takes. */
const renderTimeoutMs = 30_000
/**
 * The limits of the thread's heap. A larger space for young objects takes more memory and makes
 * nothing faster (proof/bench/notes.md).
 */
const heapLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

interface Waiting {
  readonly document: InvoiceDocument
  readonly fontFolder: string | undefined
  readonly resolve: (pdf: Uint8Array) => void
  readonly reject: (error: Error) => void
}

const waiting = new WaitingDocuments<Waiting>()
let thread: RenderThread | null = null

/**
 * Renders a document in a thread of its own, because it would hold up every other request for about 0.1 s.
 * The thread is started by the first document, and renders one after the other. `fontFolder` has fonts for
 * letters that the built-in font lacks. Throws RATE_LIMIT_EXCEEDED and SERVICE_UNAVAILABLE as
 * `WaitingDocuments` does, and SERVICE_UNAVAILABLE after 30 s.
 */
export function renderPdf(
  document: InvoiceDocument,
  owner: AccountScope,
  fontFolder?: string,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    waiting.add(owner, { document, fontFolder, resolve, reject })
    renderNext()
  })
}

/** A document that ends its thread takes no other with it: the next one starts another thread. */
function renderNext(): void {
  if (thread?.isBusy) return
  const next = waiting.next()
  if (!next) return
  thread ??= new RenderThread((ended) => {
    if (thread === ended) thread = null
    renderNext()
  })
  thread.render(next)
}

class RenderThread {
  readonly #worker = new Worker(workerFile, {
    env: {},
    resourceLimits: heapLimits,
  })
  #rendered: Waiting | null = null
  #timer: NodeJS.Timeout | undefined
  #isEnded = false
  readonly #onEnd: (ended: RenderThread) => void

  constructor(onEnd: (ended: RenderThread) => void) {
    this.#onEnd = onEnd
    this.#worker.on('message', (answer: RenderAnswer) => this.#settle(answer))
    this.#worker.on('error', (cause) => this.#end(new Error('Rendering failed.', { cause })))
    this.#worker.on('exit', () => this.#end(new Error('Rendering was interrupted.')))
  }

  get isBusy(): boolean {
    return this.#rendered !== null
  }

  /** Renders the next document; the thread must not be busy. */
  render(next: Waiting): void {
    this.#rendered = next
    this.#worker.ref()
    this.#endAfter(renderTimeoutMs)
    void this.#ask(next)
  }

  async #ask({ document, fontFolder }: Waiting): Promise<void> {
    try {
      const fonts = await printFonts(fontFolder)
      this.#worker.postMessage({ document, fonts } satisfies RenderQuestion)
    } catch (error) {
      this.#settle({ error: String(error) })
    }
  }

  #settle(answer: RenderAnswer): void {
    const rendered = this.#rendered
    this.#rendered = null
    if ('pdf' in answer) rendered?.resolve(answer.pdf)
    else rendered?.reject(new Error(`An invoice could not be rendered: ${answer.error}`))
    // An idle thread keeps no process running.
    this.#worker.unref()
    this.#endAfter(idleMs)
    renderNext()
  }

  #endAfter(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#end(busy()), ms).unref()
  }

  #end(reason: Error): void {
    if (this.#isEnded) return
    this.#isEnded = true
    clearTimeout(this.#timer)
    this.#rendered?.reject(reason)
    this.#rendered = null
    void this.#worker.terminate()
    this.#onEnd(this)
  }
}

/** The file of compiled code has another ending than the source. */
const workerFile = new URL(`./invoice-pdf.worker${extname(import.meta.filename)}`, import.meta.url)
