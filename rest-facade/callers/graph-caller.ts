import type { Caller } from '../../schema/credentials/caller.ts'
import type { Call } from '../http/call.ts'

/** The caller as the graph knows it: an account, an app, or an anonymous caller. */
export function graphCaller({
  caller,
  client,
  environment,
  requestId,
  traceId,
  address,
}: Call): Caller {
  if (caller) return caller
  if (client) return client
  return { kind: 'anonymous', environment, requestId, traceId, address: address || null }
}
