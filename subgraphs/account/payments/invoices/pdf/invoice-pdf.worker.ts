import { parentPort } from 'node:worker_threads'
import type { InvoiceDocument } from './invoice-document.ts'
import type { RenderAnswer } from './pdf-renderer.ts'
import { renderInvoice } from './render-invoice.ts'

// The next document comes when this one is answered.
parentPort?.on('message', (document: InvoiceDocument) => void answer(document))

async function answer(document: InvoiceDocument): Promise<void> {
  try {
    reply({ pdf: await renderInvoice(document) })
  } catch (error) {
    reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}

function reply(message: RenderAnswer): void {
  parentPort?.postMessage(message)
}
