const tickMs = 50
/** A tick may be so late although the process runs. */
const lateMs = 250

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * Milliseconds that leave out those in which this process stood still: a gateway in it could not
 * answer either. Time in which it kept its processor busy counts, because that may be the gateway.
 */
export function startRunningClock() {
  let stoodMs = 0
  let last = { ms: performance.now(), cpuMs: cpuMs() }
  function standstillMs(nowMs: number): number {
    const idleMs = nowMs - last.ms - (cpuMs() - last.cpuMs)
    return Math.max(0, idleMs - lateMs)
  }
  const ticks = setInterval(() => {
    const nowMs = performance.now()
    stoodMs += standstillMs(nowMs)
    last = { ms: nowMs, cpuMs: cpuMs() }
  }, tickMs)
  return {
    now() {
      const nowMs = performance.now()
      return nowMs - stoodMs - standstillMs(nowMs)
    },
    stop: () => clearInterval(ticks),
  }
}
