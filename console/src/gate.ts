/** The limit of requests of this page at the same time. */
const mostInFlight = 4

/** Called when the gateway no longer accepts the session of this page. */
export const sessionEnds = new EventTarget()

/**
 * A `fetch` for all requests of the page: at most four at a time, and none until the window of a
 * 429 ends. It reads whole bodies, because a request counts until the last byte of its answer.
 */
export function createGate(send: typeof fetch): typeof fetch {
  let inFlight = 0
  let opensAt = 0
  const queue: (() => void)[] = []

  async function enter(signal: AbortSignal | null | undefined): Promise<void> {
    if (inFlight >= mostInFlight) {
      await new Promise<void>((resolve) => queue.push(resolve))
    } else {
      inFlight += 1
    }
    while (opensAt > Date.now() && !signal?.aborted) {
      const waitMs = opensAt - Date.now()
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }

  /** The request that has waited longest gets the place. */
  function leave(): void {
    const next = queue.shift()
    if (next) next()
    else inFlight -= 1
  }

  return async function gatedFetch(address, init) {
    await enter(init?.signal)
    try {
      const response = await send(address, init)
      if (response.status === 429) opensAt = Date.now() + waitOf(response)
      const body = await response.blob()
      if (response.status === 401 && !new Headers(init?.headers).has('authorization')) {
        sessionEnds.dispatchEvent(new Event('ended'))
      }
      const { status, statusText, headers } = response
      const isEmpty = status === 204 || status === 304
      return new Response(isEmpty ? null : body, { status, statusText, headers })
    } finally {
      leave()
    }
  }
}

function waitOf({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? '1')
  return (Number.isFinite(seconds) ? Math.min(seconds, 60) : 1) * 1000
}
