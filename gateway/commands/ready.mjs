// Exit code 0 when the role in the same container is ready: the container's health check, because it has no
// curl. The role `simulator` has no internal port, so its container needs another check.
const port = process.env.INTERNAL_PORT || 4000
const { ok } = await fetch(`http://127.0.0.1:${port}/ready`, { signal: AbortSignal.timeout(2000) })
process.exitCode = ok ? 0 : 1
