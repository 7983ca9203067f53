import { parentPort } from 'node:worker_threads'
import type { RenderAnswer, RenderQuestion } from './pdf-renderer.ts'
import { renderInvoice } from './render-invoice.ts'

// The next document comes when this one is answered.
parentPort?.on('message', (question: RenderQuestion) => void answer(question))

async function answer({ document, fonts }: RenderQuestion): Promise<void> {
  try {
    reply({ pdf: await renderInvoice(document, fonts) })
  } catch (error) {
    reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}

function reply(message: RenderAnswer): void {
  parentPort?.postMessage(message)
}
