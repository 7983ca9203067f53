/** The reason why an attempt had no answer. The delivery log shows its message to the customer. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure'
}

const connectionFailures = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['EPIPE', 'connection reset'],
  ['ETIMEDOUT', 'timeout'],
  ['EHOSTUNREACH', 'host unreachable'],
  ['ENETUNREACH', 'host unreachable'],
  ['EADDRNOTAVAIL', 'host unreachable'],
])

/**
 * Converts an error of a socket or an HTTP parser. Rethrows errors that are bugs of the gateway.
 */
export function connectionFailure(cause: unknown): ConnectionFailure {
  if (cause instanceof ConnectionFailure) return cause
  const code = codeOf(cause)
  if (cause instanceof TypeError || code === null) throw cause
  const isUnreadable = code.startsWith('HPE_')
  const said = isUnreadable ? 'invalid response' : connectionFailures.get(code)
  return new ConnectionFailure(said ?? 'connection failed', { cause })
}

/** The code names the problem of a certificate: `tls failure: CERT_HAS_EXPIRED`. */
export function tlsFailure(cause: unknown): ConnectionFailure {
  const code = codeOf(cause) ?? 'unknown'
  return new ConnectionFailure(connectionFailures.get(code) ?? `tls failure: ${code}`, { cause })
}

export function resolverFailure(cause: unknown): ConnectionFailure {
  const code = codeOf(cause)
  const isUnknown = code === 'ENOTFOUND' || code === 'ENODATA'
  return new ConnectionFailure(isUnknown ? 'host not found' : 'host not resolved', { cause })
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null
}
