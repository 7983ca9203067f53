import { Counter, Histogram, Registry } from '@prometheus-io/client'
import { expect, test } from 'vitest'
import { TallyCounter, TallyHistogram } from '../../../gateway/observability/tallies.ts'

const labelNames = ['route', 'status'] as const
const series = [
  { route: '/v1/account', status: '200' },
  { status: '404', route: 'unmatched' },
  { route: 'a "quoted"\nline \\', status: '200' },
]
const buckets = [0.005, 0.1, 1]
const observed = [0, 0.005, 0.0051, 0.1, 0.5, 1, 1.5, 30]
const about = { name: 'answers_total', help: 'Answers.', labelNames }
const timed = { name: 'answer_seconds', help: 'Of answers.', labelNames, buckets }

test('a tally counter is read as the same text as a counter of the library', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const tally = new TallyCounter({ ...about, registers: [ours] })
  const counter = new Counter({ ...about, registers: [theirs] })

  expect(await ours.metrics()).toBe(await theirs.metrics())
  for (const [index, labels] of [...series, ...series].entries()) {
    tally.inc(labels)
    counter.inc(labels)
    tally.inc(labels, index)
    counter.inc(labels, index)
    tally.labels(labels).inc()
    counter.labels(labels).inc()
  }

  expect(await ours.metrics()).toBe(await theirs.metrics())
  expect(await ours.metrics()).toContain('answers_total{route="/v1/account",status="200"} 7')
})

test('a tally histogram is read as the same text as a histogram of the library', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const tally = new TallyHistogram({ ...timed, registers: [ours] })
  const histogram = new Histogram({ ...timed, registers: [theirs] })

  expect(await ours.metrics()).toBe(await theirs.metrics())
  for (const labels of series) {
    for (const value of observed) {
      tally.observe(labels, value)
      histogram.observe(labels, value)
      tally.labels(labels).observe(value / 3)
      histogram.labels(labels).observe(value / 3)
    }
  }

  expect(await ours.metrics()).toBe(await theirs.metrics())
})

test('a tally that is reset has no series', async () => {
  const registry = new Registry()
  const tally = new TallyCounter({ ...about, registers: [registry] })
  tally.inc({ route: '/v1/account', status: '200' })

  registry.resetMetrics()

  expect(await registry.metrics()).not.toContain('{')
})
