declare module 'autocannon' {
  export interface Request {
    readonly method?: string
    readonly path?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  }

  export interface Client {
    setRequests(requests: readonly Request[]): void
  }

  export interface Options {
    readonly url: string
    readonly connections: number
    /** Seconds. */
    readonly duration: number
    /** Requests in a second. */
    readonly overallRate?: number
    readonly requests: readonly Request[]
    readonly setupClient?: (client: Client) => void
  }

  export interface Result {
    /** Seconds that it really took. */
    readonly duration: number
    readonly errors: number
    readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>
    readonly latency: { readonly p50: number; readonly p99: number }
  }

  export default function autocannon(options: Options): Promise<Result>
}
