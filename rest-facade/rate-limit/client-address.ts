import type { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import { plainAddress } from '../../schema/vocabulary/ip-allowlist.ts'

/** Whether the proxy with this address, so many hops before the gateway, may say where a request comes from. */
type TrustsProxy = (address: string, hop: number) => boolean

/**
 * The client's address: from a trusted proxy, else from the socket. It is empty if a proxy states no valid
 * address. Express reads the same header, but takes an address with a port for none.
 */
export function clientAddress(req: IncomingMessage & Partial<Pick<Request, 'app'>>): string {
  const { remoteAddress = '' } = req.socket
  const isDirect = !req.app || req.app.get('trust proxy') === false
  const trusts: TrustsProxy = isDirect ? trustsNone : req.app?.get('trust proxy fn')
  const said = saidBy(req.headers['x-forwarded-for'], remoteAddress, trusts)
  // A zone such as `%eth0` of the socket is local to this host; in a header it would be foreign.
  return plainAddress(said ?? remoteAddress.replace(/%.*/, ''))
}

const trustsNone: TrustsProxy = () => false

/** The address before the last trusted proxy; null: the socket is not that of a trusted proxy, or it says nothing. */
function saidBy(
  header: string | readonly string[] | undefined,
  remoteAddress: string,
  trusts: TrustsProxy,
): string | null {
  if (!trusts(remoteAddress, 0)) return null
  const entries = String(header ?? '')
    .split(',')
    .map((entry) => withoutPort(entry.trim()))
    .filter((entry) => entry !== '')
    .reverse()
  const client = entries.findIndex((entry, index) => !trusts(entry, index + 1))
  return entries.at(client) ?? null
}

const v4WithPort = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/
const v6InBrackets = /^\[([0-9a-f:.]*:[0-9a-f:.]*)\](?::\d{1,5})?$/i

/** Azure's gateways write `203.0.113.7:51234` and `[2001:db8::1]:443`. */
function withoutPort(entry: string): string {
  return v4WithPort.exec(entry)?.[1] ?? v6InBrackets.exec(entry)?.[1] ?? entry
}
