import { expect, it } from 'vitest'
import { meanBatch, parseBatchCounts } from '../../../proof/bench/machine/batch-counts.ts'

const before = parseBatchCounts(`# TYPE gateway_batches_total counter
gateway_batches_total{queue="reserve"} 10
gateway_batches_total{queue="settle"} 4
gateway_batch_items_total{queue="reserve"} 100
gateway_batch_items_total{queue="settle"} 40
gateway_queue_depth{queue="reserve"} 3
`)
const after = parseBatchCounts(`gateway_batches_total{process="1",queue="reserve"} 14
gateway_batch_items_total{process="1",queue="reserve"} 170
gateway_batches_total{queue="settle"} 4
gateway_batch_items_total{queue="settle"} 40
`)

it('meanBatch: the items between two readings, divided by the batches', () => {
  expect(meanBatch(before, after, 'reserve')).toBe(17.5)
})

it('meanBatch: counts from 0 for a queue that the first reading lacks', () => {
  expect(meanBatch(new Map(), after, 'reserve')).toBeCloseTo(170 / 14)
})

it('meanBatch: is null without batches, and for a build without these metrics', () => {
  expect(meanBatch(before, after, 'settle')).toBeNull()
  expect(meanBatch(parseBatchCounts(''), parseBatchCounts('up 1\n'), 'reserve')).toBeNull()
})
