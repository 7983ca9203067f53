import { parentPort } from 'node:worker_threads'
import type { RenderAnswer, RenderRequest } from './pdf-renderer.ts'
import { renderInvoice } from './render-invoice.ts'

// Documents are rendered one after the other, in the order of the messages.
let work = Promise.resolve()
parentPort?.on('message', (request: RenderRequest) => {
  work = work.then(() => answer(request))
})

async function answer({ id, document }: RenderRequest): Promise<void> {
  try {
    reply({ id, pdf: await renderInvoice(document) })
  } catch (error) {
    reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}

function reply(message: RenderAnswer): void {
  parentPort?.postMessage(message)
}
