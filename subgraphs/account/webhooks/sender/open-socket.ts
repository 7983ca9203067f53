import { isIP, connect as openTcp, type Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { connect as openTls } from 'node:tls'
import { type EndpointUrlRules, hostOf } from './endpoint-url.ts'
import { connectionFailure, DeliveryFailure, resolverFailure, tlsFailure } from './failure.ts'
import type { ResolveHost } from './resolve-host.ts'
import { isLoopbackAddress, isPublicAddress } from './special-addresses.ts'

export interface SocketRules extends Pick<EndpointUrlRules, 'allowsLoopback' | 'deniedCidrs'> {
  readonly resolve: ResolveHost
}

const maxAddresses = 4
/** Before the next address is tried too; the last has all the time that is left. */
const addressPatienceMs = 2000

/**
 * A connection to the URL's host, ready for HTTP/1.1, on which nothing was sent but TLS. The name is
 * resolved once and every address judged, and the connection goes to one of them, as a number: there
 * is no second answer for a resolver to change. One forbidden address is enough to refuse them all,
 * because a name that has one is either an attack or a mistake. Throws DeliveryFailure.
 */
export async function openSocket(
  url: URL,
  rules: SocketRules,
  signal: AbortSignal,
): Promise<Socket> {
  const host = hostOf(url)
  const isPermitted = permission(host, rules)
  const addresses = await addressesOf(host, rules.resolve, signal)
  signal.throwIfAborted()
  if (addresses.length === 0) throw new DeliveryFailure('host not found')
  if (!addresses.every(isPermitted)) throw new DeliveryFailure('forbidden address')
  const socket = await connectToAny(addresses, portOf(url), signal)
  const peer = socket.remoteAddress
  // Only a mistake above can make this differ; the kernel is asked before anything is sent.
  if (peer === undefined || !isPermitted(peer)) {
    socket.destroy()
    throw new DeliveryFailure(peer === undefined ? 'connection reset' : 'forbidden address')
  }
  return url.protocol === 'https:' ? await secure(socket, host, signal) : socket
}

/** Loopback is for those who write it: no other name leads there, whoever answers for it. */
function permission(
  host: string,
  { allowsLoopback, deniedCidrs }: SocketRules,
): (address: string) => boolean {
  const mayBeLoopback = allowsLoopback && (host === 'localhost' || isIP(host) !== 0)
  return (address) => {
    return isLoopbackAddress(address) ? mayBeLoopback : isPublicAddress(address, deniedCidrs)
  }
}

async function addressesOf(
  host: string,
  resolve: ResolveHost,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  // RFC 6761: nobody has to be asked.
  if (host === 'localhost') return ['127.0.0.1', '::1']
  // A resolver that does not answer cannot be stopped, only left.
  return await Promise.race([resolve(host, signal), aborted(signal)]).catch((error: unknown) => {
    throw resolverFailure(error)
  })
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

async function connectToAny(
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const targets = addresses
    .slice(0, maxAddresses)
    .map((address) => ({ address, family: isIP(address) }))
  const socket = openTcp({
    // Never asked for: the answer is there.
    host: 'judged.invalid',
    port,
    lookup: (_host, _options, answer) => answer(null, targets),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressPatienceMs,
    signal,
  })
  await ready(socket, 'connect').catch((error: unknown) => {
    throw connectionFailure(error)
  })
  return socket
}

/** Whoever answers at the address must prove to be the URL's host. */
async function secure(tcp: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const servername = isIP(host) === 0 ? host : ''
  const socket = openTls({ socket: tcp, host, servername, ALPNProtocols: ['http/1.1'] })
  addAbortSignal(signal, socket)
  await ready(socket, 'secureConnect').catch((error: unknown) => {
    tcp.destroy()
    throw tlsFailure(error)
  })
  return socket
}

/** The listener of errors stays: one that comes after all is over must not end the process. */
function ready(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve)
    socket.on('error', reject)
  })
}
