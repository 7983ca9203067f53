type Labels<Label extends string> = Readonly<Record<Label, string>>

interface Counter<Label extends string> {
  /** Returns one series, for callers that keep it. */
  labels(labels: Labels<Label>): { inc(count?: number): void }
  inc(labels: Labels<Label>, count?: number): void
}

interface Histogram<Label extends string> {
  /** Returns one series, for callers that keep it. */
  labels(labels: Labels<Label>): { observe(value: number): void }
}

/** What requests and calls are counted in. Labels are bounded: never an id. */
export interface CallMetrics {
  readonly requests: Counter<'listener' | 'method' | 'route' | 'status'>
  readonly requestSeconds: Histogram<'listener' | 'method' | 'route' | 'status_class'>
  readonly rateLimited: Counter<'listener' | 'limiter'>
  readonly creditsCharged: Counter<'service'>
  readonly charges: Counter<'environment' | 'service' | 'outcome'>
  /**
   * The time that the gateway adds to a metered call: the time of the call without the time of the
   * module.
   */
  readonly addedSeconds: Histogram<'environment'>
  readonly backendRequests: Counter<'environment' | 'module' | 'outcome'>
  readonly backendSeconds: Histogram<'environment' | 'module'>
  /** Whether calls of a live module are being refused; it is asked at each request for metrics. */
  watchBreaker(module: string, isOpen: () => boolean): void
}
