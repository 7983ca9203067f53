const tickMs = 50
/** A tick may be so late although the process runs. */
const lateMs = 250

/**
 * Milliseconds that leave out those in which this process stood still: a gateway in it could not
 * answer either.
 */
export function startRunningClock() {
  let stoodMs = 0
  let lastMs = performance.now()
  const standstill = (nowMs: number) => Math.max(0, nowMs - lastMs - lateMs)
  const ticks = setInterval(() => {
    const nowMs = performance.now()
    stoodMs += standstill(nowMs)
    lastMs = nowMs
  }, tickMs)
  return {
    now() {
      const nowMs = performance.now()
      return nowMs - stoodMs - standstill(nowMs)
    },
    stop: () => clearInterval(ticks),
  }
}
