/** The time for opening a connection that no statement of a request waits for. */
const defaultMs = 2000
const maximumMs = 60_000

/**
 * How long opening a connection to `url` may take, in ms: `connect_timeout` of the URL, which libpq defines
 * in seconds, at most 60; without it `otherwiseMs`. libpq takes 0 as no limit; here, nothing waits so long.
 */
export function connectTimeoutMs(url: string, otherwiseMs = defaultMs): number {
  const seconds = Number(new URL(url).searchParams.get('connect_timeout'))
  return seconds > 0 ? Math.min(seconds * 1000, maximumMs) : otherwiseMs
}
