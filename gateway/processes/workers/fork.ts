import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { z } from 'zod'
import { type Channel, createChannel, type Handlers } from '../group/channel.ts'
import { childCalls, type HandedConnection, primaryCalls } from '../group/messages.ts'
import type { Child } from '../group/workers.ts'

/** The purpose of a child process. */
const purpose = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('worker') }),
  z.object({
    kind: z.literal('jobs'),
    /** The ports that workers know from an earlier process; null if there was none. */
    postgresPort: z.nullable(z.int()),
    simulatorPort: z.nullable(z.int()),
  }),
])
export type Purpose = z.infer<typeof purpose>

const purposeVariable = 'GATEWAY_PROCESS'

/** The purpose of this process; null: it is not a child. */
export function ownPurpose(): Purpose | null {
  const text = process.env[purposeVariable]
  return cluster.isWorker && text ? purpose.parse(JSON.parse(text)) : null
}

export interface ForkedChild extends Child {
  readonly kind: Purpose['kind']
  readonly channel: Channel<typeof childCalls>
  hand(message: HandedConnection, socket: Socket, done: (error: Error | null) => void): void
}

/** The handlers of the primary for one child. */
export type PrimaryHandlers = Omit<Handlers<typeof primaryCalls>, 'ready'>

interface ForkOptions {
  readonly purpose: Purpose
  readonly log: Logger
  readonly handlersFor: (child: ForkedChild) => PrimaryHandlers
  /** Called after the child has said that it is ready. */
  readonly onReady: () => void
}

/** Starts this program once more. */
export function forkChild({ purpose, log, handlersFor, onReady }: ForkOptions): ForkedChild {
  const worker = cluster.fork({ [purposeVariable]: JSON.stringify(purpose) })
  const settled = Promise.withResolvers<void>()
  let isReady = false
  const ended = once(worker.process, 'exit').then(([code]) => {
    isReady = false
    channel.close()
    settled.resolve()
    return z.nullable(z.number()).parse(code)
  })
  // A message that could not be sent needs no report: the end of the process shows it.
  worker.on('error', () => {})

  const child: ForkedChild = {
    id: worker.id,
    pid: worker.process.pid ?? 0,
    kind: purpose.kind,
    isReady: () => isReady,
    settled: settled.promise,
    ended,
    get channel() {
      return channel
    },
    hand(message, socket, done) {
      if (worker.isConnected()) worker.process.send(message, socket, undefined, done)
      else done(new Error('The worker has ended.'))
    },
    end: (isReplaced) => channel.tell('end', { isReplaced }),
    kill: () => void worker.process.kill('SIGKILL'),
  }
  const channel = createChannel({
    ours: primaryCalls,
    theirs: childCalls,
    send(message) {
      if (worker.isConnected()) worker.process.send(message, () => {})
    },
    onFailure: (error) => log.error({ err: error }, 'A message of a process failed'),
    handlers: {
      ...handlersFor(child),
      ready() {
        isReady = true
        settled.resolve()
        onReady()
      },
    },
  })
  worker.process.on('message', (message) => void channel.receive(message))
  return child
}
