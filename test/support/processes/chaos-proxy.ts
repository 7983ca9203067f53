import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How the proxy treats traffic, from now on and also on open connections. */
export type ProxyMode =
  | 'pass'
  /** Bytes vanish in both directions; the sockets stay open. */
  | 'black hole'
  /** Every connection that moves a byte is reset. */
  | 'reset'
  /** New connections are reset at once, open ones as in `reset`. */
  | 'refuse'
  | { readonly delayMs: number }

/**
 * A fault in one request to PostgreSQL: `cut the reply` lets the server do the work and resets the
 * client instead of answering, `lose the request` resets it before the server hears of it.
 */
export type RequestFault = 'cut the reply' | 'lose the request' | null

/** Told of the bytes of each request; they hold the name of a prepared statement. */
export type JudgeRequest = (bytes: Buffer) => RequestFault

export interface ChaosProxy {
  /** The URL by way of this proxy. */
  through(url: string): string
  set(mode: ProxyMode): void
  /** From now on each request is judged while the mode is `pass`; null: none is. */
  judge(judge: JudgeRequest | null): void
  /**
   * Behaves as a network that has forgotten connections which nobody used for long: whatever moves
   * on the open connections of this application vanishes. Returns how many they are.
   */
  forget(application: string): number
  /** Requests and connections that were harmed. */
  readonly injections: () => number
  close(): Promise<void>
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  isReplyCut: boolean
  /** The first bytes: they say whose connection it is. */
  startup: Buffer | null
  isForgotten: boolean
  /** Delayed bytes, by their receiving socket: later bytes wait behind them. */
  readonly delayed: Map<Socket, Promise<void>>
}

/** PostgreSQL is done with a request, and its transaction is over: ReadyForQuery, idle. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

/** A TCP proxy before PostgreSQL that harms connections as the test says. */
export async function startChaosProxy(targetUrl: string): Promise<ChaosProxy> {
  const target = new URL(targetUrl)
  const pairs = new Set<Pair>()
  let mode: ProxyMode = 'pass'
  let judgeRequest: JudgeRequest | null = null
  let injections = 0

  function harm(client: Socket, server?: Socket): void {
    injections += 1
    client.resetAndDestroy()
    server?.destroy()
  }

  /** Whether the mode passes the bytes on unchanged; otherwise applies the fault. */
  function passes(pair: Pair, target: Socket, deliver: () => void): boolean {
    if (pair.isForgotten) {
      injections += 1
      return false
    }
    const before = pair.delayed.get(target)
    if (mode === 'pass' && !before) return true
    if (mode === 'pass' || typeof mode === 'object') {
      const due = sleep(mode === 'pass' ? 0 : mode.delayMs)
      const delivery = Promise.all([before, due]).then(() => {
        if (pair.delayed.get(target) === delivery) pair.delayed.delete(target)
        deliver()
      })
      pair.delayed.set(target, delivery)
      return false
    }
    if (mode === 'black hole') injections += 1
    else harm(pair.client, pair.server)
    return false
  }

  function fromClient(pair: Pair, bytes: Buffer): void {
    pair.startup ??= bytes
    const deliver = () => pair.server.writable && pair.server.write(bytes)
    if (!passes(pair, pair.server, deliver)) return
    const fault = judgeRequest?.(bytes) ?? null
    if (fault === 'cut the reply') pair.isReplyCut = true
    if (fault === 'lose the request') harm(pair.client, pair.server)
    else deliver()
  }

  function fromServer(pair: Pair, bytes: Buffer): void {
    if (!pair.isReplyCut) {
      const deliver = () => pair.client.writable && pair.client.write(bytes)
      if (passes(pair, pair.client, deliver)) deliver()
      return
    }
    if (!pair.client.destroyed) harm(pair.client)
    // The server must notice the end only after its work is committed.
    if (bytes.subarray(-readyForQuery.length).equals(readyForQuery)) pair.server.destroy()
  }

  const listener = createServer({ noDelay: true }, (client) => {
    if (mode === 'refuse') return harm(client)
    const server = dial({ host: target.hostname, port: Number(target.port), noDelay: true })
    const pair: Pair = {
      ...{ client, server, isReplyCut: false, startup: null, isForgotten: false },
      delayed: new Map(),
    }
    pairs.add(pair)
    client.on('data', (bytes: Buffer) => fromClient(pair, bytes))
    server.on('data', (bytes: Buffer) => fromServer(pair, bytes))
    for (const socket of [client, server]) socket.on('error', () => socket.destroy())
    client.on('close', () => {
      // The server still executes the requests that it has received; then it rolls back open transactions.
      if (pair.isReplyCut) server.end()
      else server.destroy()
    })
    server.on('close', () => {
      client.destroy()
      pairs.delete(pair)
    })
  })
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve)
  })
  const { port } = addressOf(listener.address())

  return {
    through(url) {
      const changed = new URL(url)
      changed.host = `127.0.0.1:${port}`
      // Through a sick network, the gateway has its own patience.
      changed.searchParams.delete('connect_timeout')
      return changed.href
    },
    set(newMode) {
      mode = newMode
      if (newMode !== 'refuse' && newMode !== 'reset') return
      for (const { client, server } of pairs) harm(client, server)
    },
    judge(judge) {
      judgeRequest = judge
    },
    forget(application) {
      const forgotten = [...pairs].filter(({ startup }) => startup?.includes(application))
      for (const pair of forgotten) pair.isForgotten = true
      return forgotten.length
    },
    injections: () => injections,
    close: () =>
      new Promise((resolve) => {
        for (const { client, server } of pairs) {
          client.destroy()
          server.destroy()
        }
        listener.close(() => resolve())
      }),
  }
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('No TCP port.')
  return address
}
