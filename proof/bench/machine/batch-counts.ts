/** The batches that one batcher has sent so far, and their items. */
export interface BatchCount {
  readonly batches: number
  readonly items: number
}

/** By the name of the queue, such as `reserve`. */
export type BatchCounts = ReadonlyMap<string, BatchCount>

const names = { batches: 'gateway_batches_total', items: 'gateway_batch_items_total' } as const

/** Reads them from the text of a gateway's /metrics; a build without these metrics has none. */
export function parseBatchCounts(text: string): BatchCounts {
  const counts = new Map<string, BatchCount>()
  const items = samplesOf(text, names.items)
  for (const [queue, batches] of samplesOf(text, names.batches)) {
    counts.set(queue, { batches, items: items.get(queue) ?? 0 })
  }
  return counts
}

function samplesOf(text: string, name: string): ReadonlyMap<string, number> {
  const samples = text.matchAll(new RegExp(`^${name}\\{.*?queue="([^"]*)".*?\\} (\\S+)`, 'gm'))
  return new Map([...samples].map(([, queue = '', value]) => [queue, Number(value)]))
}

/** The mean size of the batches between two readings, or null when there was none. */
export function meanBatch(before: BatchCounts, after: BatchCounts, queue: string): number | null {
  const [from, to] = [before.get(queue), after.get(queue)]
  const batches = (to?.batches ?? 0) - (from?.batches ?? 0)
  return batches > 0 ? ((to?.items ?? 0) - (from?.items ?? 0)) / batches : null
}
