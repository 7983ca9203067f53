import { connect, type Socket } from 'node:net'
import { statusOf } from './answer.ts'

/** A connection that is kept, with one request under way at a time. */
export interface Connection {
  /** Resolves to the status once the whole answer is here; rejects when the connection breaks. */
  exchange(request: string): Promise<number>
  close(): void
}

const nothing = Buffer.alloc(0)

/** Connects with its first request, and again with the first one after it broke. */
export function createConnection({ hostname, port }: URL): Connection {
  let socket: Socket | null = null
  let received: Buffer = nothing
  let pending: PromiseWithResolvers<number> | null = null

  function open(): Socket {
    const opened = connect({ host: hostname, port: Number(port), noDelay: true })
    opened.on('data', (bytes: Buffer) => {
      received = received.length === 0 ? bytes : Buffer.concat([received, bytes])
      const status = statusOf(received)
      if (status === null) return
      received = nothing
      finish()?.resolve(status)
    })
    opened.on('error', () => {})
    opened.once('close', () => {
      if (socket !== opened) return
      socket = null
      received = nothing
      finish()?.reject(new Error('The connection broke.'))
    })
    return opened
  }

  function finish() {
    const finished = pending
    pending = null
    return finished
  }

  return {
    exchange(request) {
      socket ??= open()
      pending = Promise.withResolvers<number>()
      socket.write(request)
      return pending.promise
    },
    close() {
      socket?.destroy()
    },
  }
}
