// Exit code 0 when the role that runs beside it is ready: the health check of a container, which has no curl.
const port = process.env.INTERNAL_PORT || 4000
const { ok } = await fetch(`http://127.0.0.1:${port}/ready`, { signal: AbortSignal.timeout(2000) })
process.exitCode = ok ? 0 : 1
