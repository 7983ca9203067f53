import { isIP, connect as openTcp, type Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { connect as openTls } from 'node:tls'
import { type EndpointUrlRules, hostOf } from './endpoint-url.ts'
import { ConnectionFailure, connectionFailure, resolverFailure, tlsFailure } from './failure.ts'
import type { ResolveHost } from './resolve-host.ts'
import { isLoopbackAddress, isPublicAddress } from './special-addresses.ts'

export interface SocketRules extends Pick<EndpointUrlRules, 'allowsLoopback' | 'deniedCidrs'> {
  readonly resolve: ResolveHost
}

const maxAddresses = 4
/** After this time the next address is tried in parallel. The last has all the remaining time. */
const addressPatienceMs = 2000

/**
 * Opens a connection to the URL's host that is ready for HTTP/1.1; only TLS messages were sent on
 * it. The name is resolved once, every address is checked, and the socket connects to one of these
 * addresses. So a resolver cannot give a second, different answer. One forbidden address refuses
 * them all, because a name with such an address is an attack or a mistake. Throws ConnectionFailure.
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
  if (addresses.length === 0) throw new ConnectionFailure('host not found')
  if (!addresses.every(isPermitted)) throw new ConnectionFailure('forbidden address')
  const socket = await connectToAny(addresses, portOf(url), signal)
  const peer = socket.remoteAddress
  // Defence against a bug above: the kernel reports the real peer before anything is sent.
  if (peer === undefined || !isPermitted(peer)) {
    socket.destroy()
    throw new ConnectionFailure(peer === undefined ? 'connection reset' : 'forbidden address')
  }
  return url.protocol === 'https:' ? await secure(socket, host, signal) : socket
}

/** Loopback is permitted only if the URL itself contains it. No other name may lead there. */
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
  // RFC 6761: this name needs no resolver.
  if (host === 'localhost') return ['127.0.0.1', '::1']
  // A resolver that does not answer cannot be stopped, so the race abandons it.
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
    // This name is never resolved: `lookup` returns the checked addresses.
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

/** The receiver must prove with its certificate that it is the URL's host. */
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

/** The error listener is never removed: a late error must not end the process. */
function ready(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve)
    socket.on('error', reject)
  })
}
