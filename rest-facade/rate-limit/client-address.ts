import type { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import { plainAddress } from '../../schema/vocabulary/ip-allowlist.ts'

/**
 * The client's address: from a trusted proxy, else from the socket. It is empty if a proxy states
 * no valid address. Without trusted proxies this skips Express's reading of forwarding headers.
 */
export function clientAddress(req: IncomingMessage & Partial<Pick<Request, 'app' | 'ip'>>): string {
  const { remoteAddress = '' } = req.socket
  const isDirect = !req.app || req.app.get('trust proxy') === false
  const said = isDirect ? remoteAddress : req.ip
  // A zone such as `%eth0` of the socket is local to this host; in a header it would be foreign.
  return plainAddress(said === remoteAddress ? remoteAddress.replace(/%.*/, '') : (said ?? ''))
}
