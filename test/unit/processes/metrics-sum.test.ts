import { expect, test } from 'vitest'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import { createMetricsHistory, jsonOf, sum } from '../../../gateway/processes/group/metrics-sum.ts'

const labels = { listener: 'live', method: 'GET', route: '/v1/account', status: '200' }

function createWorker(requests: number, drifts: number) {
  const metrics = createMetrics()
  metrics.requests.inc(labels, requests)
  metrics.requestSeconds.observe({ ...labels, status_class: '2xx' } as never, 0.02)
  metrics.oldestUsageEpochSeconds.set(drifts)
  return metrics
}

const lineOf = (text: string, name: string) =>
  text.split('\n').find((line) => line.startsWith(name) && !line.startsWith('#'))

test('GET /metrics: counters and histograms are summed, and ages are the greatest', async () => {
  const [one, two] = [createWorker(3, 40), createWorker(4, 7)]

  const text = await sum([await jsonOf(one.registry), await jsonOf(two.registry)]).metrics()

  expect(lineOf(text, 'gateway_http_requests_total')).toBe(
    'gateway_http_requests_total{listener="live",method="GET",route="/v1/account",status="200"} 7',
  )
  expect(lineOf(text, 'gateway_http_request_duration_seconds_count')).toMatch(/ 2$/)
  expect(lineOf(text, 'gateway_usage_epoch_oldest_seconds')).toBe(
    'gateway_usage_epoch_oldest_seconds 40',
  )
  one.close()
  two.close()
})

test('GET /metrics: the counters of a process that has ended stay, its gauges do not', async () => {
  const history = createMetricsHistory()
  const [one, two] = [createWorker(3, 40), createWorker(4, 7)]
  history.note(1, await jsonOf(one.registry))
  await history.end(1)
  await history.end(2)

  const text = await sum([...history.all(), await jsonOf(two.registry)]).metrics()

  expect(lineOf(text, 'gateway_http_requests_total')).toMatch(/ 7$/)
  expect(lineOf(text, 'gateway_usage_epoch_oldest_seconds')).toMatch(/ 7$/)
  one.close()
  two.close()
})

test('GET /metrics: no counter falls while processes end, or do not answer', async () => {
  const history = createMetricsHistory()
  const workers = [createWorker(1, 0), createWorker(2, 0), createWorker(4, 0)]
  for (const [id, { registry }] of workers.entries()) history.note(id, await jsonOf(registry))
  const counted = async () =>
    lineOf(await sum(history.all()).metrics(), 'gateway_http_requests_total')
      ?.split(' ')
      .at(-1)

  expect(await counted()).toBe('7')
  const ends = [history.end(0), history.end(2)]
  expect(await counted()).toBe('7')
  await Promise.all(ends)
  expect(await counted()).toBe('7')
  await history.end(1)

  expect(await counted()).toBe('7')
  expect(history.all()).toHaveLength(1)
  for (const worker of workers) worker.close()
})
