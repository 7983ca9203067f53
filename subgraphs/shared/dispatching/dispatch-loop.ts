/** Processes due items until it is stopped. */
export interface DispatchLoop {
  /** Looks for due items now. */
  wake(): void
  /**
   * Stops: no attempt begins any more. Running attempts have a moment; other processes repeat those that
   * do not end.
   */
  stop(): Promise<void>
}

/** The arguments of an attempt. */
export interface Attempting {
  /** Is aborted when the process has no more time for the attempt. */
  readonly stopping: AbortSignal
  /** Writes to the log, at most every ten seconds: while something is unavailable, every attempt fails alike. */
  readonly warn: (message: string, cause: unknown) => void
}

interface DispatchLoopOptions<Claimed extends { readonly id: string }> {
  /** The name of an item in the log, for example `mail`. */
  readonly noun: string
  /** Claims due items for this time, as many as there is room for. */
  claim(running: readonly Claimed[], leaseSeconds: number): Promise<readonly Claimed[]>
  /** Makes the attempt and records its outcome. If that fails, the item is due again after the lease. */
  attempt(claimed: Claimed, attempting: Attempting): Promise<void>
  /** Releases an item that was claimed and not attempted. */
  release(claimed: Claimed): Promise<void>
  /** The limit of an attempt. */
  readonly timeoutMs: number
  /** The lease exceeds the timeout by this time, in which the result is recorded. */
  readonly leaseMarginMs: number
  /** How long running attempts have when the loop stops. */
  readonly stopPatienceMs: number
  readonly warn: (message: string, cause: unknown) => void
}

const pollMs = 1000
const warningPauseMs = 10_000

/**
 * Claims items that are due, and attempts them. Any number of loops may run in any number of processes. An
 * item belongs to one of them until its lease ends. Then it is due again, so no item is lost with a process.
 */
export function startDispatchLoop<Claimed extends { readonly id: string }>(
  options: DispatchLoopOptions<Claimed>,
): DispatchLoop {
  const { noun, timeoutMs } = options
  const stopping = new AbortController()
  const running = new Map<Promise<void>, Claimed>()
  const attempting: Attempting = { stopping: stopping.signal, warn }
  let claiming: Promise<void> | null = null
  let isWoken = false
  let isStopped = false
  let warnedAtMs = Number.NEGATIVE_INFINITY

  function warn(message: string, cause: unknown): void {
    if (performance.now() - warnedAtMs < warningPauseMs) return
    warnedAtMs = performance.now()
    options.warn(message, cause)
  }

  function begin(claimed: Claimed, leaseEndsMs: number): void {
    // A process that was frozen must not begin an attempt that may belong to another one.
    const isLate = performance.now() + timeoutMs > leaseEndsMs
    const attempted = (isLate ? options.release(claimed) : options.attempt(claimed, attempting))
      .catch((error: unknown) => warn(`The ${noun} ${claimed.id} went unrecorded`, error))
      .finally(() => {
        running.delete(attempted)
        wake()
      })
    running.set(attempted, claimed)
  }

  async function claimAll(): Promise<void> {
    while (!isStopped) {
      const leaseMs = timeoutMs + options.leaseMarginMs
      const leaseEndsMs = performance.now() + leaseMs
      const claimed = await options.claim([...running.values()], leaseMs / 1000)
      if (isStopped) await Promise.all(claimed.map((one) => options.release(one)))
      else for (const one of claimed) begin(one, leaseEndsMs)
      if (claimed.length === 0) return
    }
  }

  function wake(): void {
    isWoken = true
    claiming ??= claimWhileWoken().finally(() => {
      claiming = null
      if (isWoken && !isStopped) wake()
    })
  }

  async function claimWhileWoken(): Promise<void> {
    while (isWoken && !isStopped) {
      isWoken = false
      // The next poll tries again.
      await claimAll().catch((error: unknown) => warn(`No ${noun} was taken up`, error))
    }
  }

  const timer = setInterval(wake, pollMs)
  wake()
  return {
    wake,
    async stop() {
      isStopped = true
      clearInterval(timer)
      await claiming
      const patience = setTimeout(() => stopping.abort(), options.stopPatienceMs)
      await Promise.allSettled(running.keys())
      clearTimeout(patience)
    },
  }
}
