/** A second signal this long after the first means it: npm forwards a group's signal twice. */
const impatienceMs = 2000

/** Resolves at the first SIGINT or SIGTERM; a second one, if it is not the same, ends the process. */
export function untilSignalled(): Promise<void> {
  return new Promise((resolveSignalled) => {
    let firstAtMs: number | null = null
    function onSignal(): void {
      firstAtMs ??= performance.now()
      if (performance.now() - firstAtMs > impatienceMs) process.exit(1)
      resolveSignalled()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}
