const defaultMs = 2000
const maximumMs = 60_000

/**
 * How long a statement waits for a connection to `url`, in ms: `connect_timeout` of the URL, which libpq
 * defines in seconds, at most 60; without it 2 s. libpq takes 0 as no limit; here, nothing waits so long.
 */
export function connectTimeoutMs(url: string): number {
  const seconds = Number(new URL(url).searchParams.get('connect_timeout'))
  return seconds > 0 ? Math.min(seconds * 1000, maximumMs) : defaultMs
}
