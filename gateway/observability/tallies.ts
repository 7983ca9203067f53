import type { Metric, Registry } from '@prometheus-io/client'

interface TallyConfig<Label extends string> {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly Label[]
  readonly registers: readonly Registry[]
}

type Labels<Label extends string> = Readonly<Record<Label, string>>

/** A value in the form in which the registry of the library reads it. */
interface Value {
  readonly value: number
  readonly labels: Readonly<Record<string, string | number>>
  readonly metricName?: string
}

interface Series<Label extends string, Tally> {
  readonly labels: Labels<Label>
  readonly tally: Tally
}

/**
 * A metric that every request counts in. The library checks the labels and makes a key of them each
 * time. Here a series is looked up once, and counting is an addition. Monitors read the same text.
 */
abstract class TallyMetric<Label extends string, Tally> {
  abstract readonly type: string
  readonly name: string
  readonly help: string
  readonly aggregator = 'sum'
  readonly labelNames: readonly Label[]
  readonly #series = new Map<string, Series<Label, Tally>>()

  constructor({ name, help, labelNames, registers }: TallyConfig<Label>) {
    this.name = name
    this.help = help
    this.labelNames = labelNames
    for (const registry of registers) registry.registerMetric(this as unknown as Metric)
  }

  /** One series, for callers that keep it. It is made when it is first needed. */
  labels(labels: Labels<Label>): Tally {
    let key = ''
    for (const name of this.labelNames) key += `${labels[name]}\n`
    const known = this.#series.get(key)
    if (known) return known.tally
    const tally = this.create()
    this.#series.set(key, { labels: { ...labels }, tally })
    return tally
  }

  get() {
    const { name, help, type, aggregator } = this
    const values = [...this.#series.values()].flatMap(({ tally, labels }) =>
      this.read(tally, labels),
    )
    return Promise.resolve({ name, help, type, aggregator, values })
  }

  reset(): void {
    this.#series.clear()
  }

  protected abstract create(): Tally
  protected abstract read(tally: Tally, labels: Labels<Label>): readonly Value[]
}

class Count {
  value = 0

  inc(count = 1): void {
    this.value += count
  }
}

/** A counter of the library, for labels that are often the same. */
export class TallyCounter<Label extends string> extends TallyMetric<Label, Count> {
  readonly type = 'counter'

  inc(labels: Labels<Label>, count = 1): void {
    this.labels(labels).inc(count)
  }

  protected create(): Count {
    return new Count()
  }

  protected read({ value }: Count, labels: Labels<Label>): readonly Value[] {
    return [{ value, labels }]
  }
}

class Distribution {
  sum = 0
  count = 0
  /** The number of observations in each step: above the bound before and up to its own. */
  readonly counts: number[]
  readonly #bounds: readonly number[]

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = bounds.map(() => 0)
  }

  observe(value: number): void {
    this.sum += value
    this.count += 1
    const index = this.#bounds.findIndex((bound) => value <= bound)
    if (index >= 0) this.counts[index] = (this.counts[index] ?? 0) + 1
  }
}

interface HistogramConfig<Label extends string> extends TallyConfig<Label> {
  /** Upper bounds, in ascending order. */
  readonly buckets: readonly number[]
}

/** A histogram of the library, for labels that are often the same. */
export class TallyHistogram<Label extends string> extends TallyMetric<Label, Distribution> {
  readonly type = 'histogram'
  readonly #bounds: readonly number[]

  constructor({ buckets, ...config }: HistogramConfig<Label>) {
    super(config)
    this.#bounds = buckets
  }

  observe(labels: Labels<Label>, value: number): void {
    this.labels(labels).observe(value)
  }

  protected create(): Distribution {
    return new Distribution(this.#bounds)
  }

  protected read({ sum, count, counts }: Distribution, labels: Labels<Label>): readonly Value[] {
    const metricName = `${this.name}_bucket`
    let below = 0
    const buckets = this.#bounds.map((bound, index) => {
      below += counts[index] ?? 0
      return { value: below, labels: { le: bound, ...labels }, metricName }
    })
    return [
      ...buckets,
      { value: count, labels: { le: '+Inf', ...labels }, metricName },
      { value: sum, labels, metricName: `${this.name}_sum` },
      { value: count, labels, metricName: `${this.name}_count` },
    ]
  }
}
