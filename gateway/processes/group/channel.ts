import { z } from 'zod'
import type { Call } from './messages.ts'

type Calls = Readonly<Record<string, Call>>
type Params<One extends Call> = z.output<One['params']>
type Answer<One extends Call> = One['answer'] extends z.ZodType ? z.output<One['answer']> : unknown

/** The handlers for the calls of the other process. */
export type Handlers<Ours extends Calls> = {
  readonly [Name in keyof Ours]: (
    params: Params<Ours[Name]>,
  ) => Answer<Ours[Name]> | Promise<Answer<Ours[Name]>>
}

type Told<Theirs extends Calls> = {
  [Name in keyof Theirs]: Theirs[Name]['answer'] extends null ? Name : never
}[keyof Theirs] &
  string
type Asked<Theirs extends Calls> = Exclude<keyof Theirs & string, Told<Theirs>>

/** Calls between two processes of a gateway, in order. */
export interface Channel<Theirs extends Calls> {
  tell<Name extends Told<Theirs>>(name: Name, params: Params<Theirs[Name]>): void
  /** Rejects when the other process fails, or ends. */
  ask<Name extends Asked<Theirs>>(
    name: Name,
    params: Params<Theirs[Name]>,
  ): Promise<Answer<Theirs[Name]>>
  /** Sends the waiting messages now, not at the end of this turn of the event loop. */
  flush(): void
  /** Takes a message that arrived; false: it is not a message of a channel. */
  receive(message: unknown): boolean
  /** The other process is gone. */
  close(): void
}

interface ChannelOptions<Ours extends Calls, Theirs extends Calls> {
  readonly ours: Ours
  readonly theirs: Theirs
  readonly handlers: Handlers<Ours>
  readonly send: (message: object) => void
  /** Receives messages that cannot be understood, and failures of handlers. */
  readonly onFailure: (error: unknown) => void
}

const batch = z.object({
  gateway: z.array(
    z.object({
      call: z.string().optional(),
      reply: z.int().optional(),
      id: z.int().optional(),
      value: z.unknown(),
      hasFailed: z.boolean().optional(),
    }),
  ),
})
type Item = z.infer<typeof batch>['gateway'][number]

interface Waiting {
  readonly name: string
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
}

/**
 * Sends the messages of one turn of the event loop together, because a message costs about the same
 * however much is in it.
 */
export function createChannel<Ours extends Calls, Theirs extends Calls>(
  options: ChannelOptions<Ours, Theirs>,
): Channel<Theirs> {
  const { ours, theirs, handlers, send, onFailure } = options
  const waiting = new Map<number, Waiting>()
  let outgoing: Item[] = []
  let lastId = 0
  let isClosed = false

  function push(item: Item): void {
    if (isClosed) return
    outgoing.push(item)
    if (outgoing.length === 1) setImmediate(flush)
  }

  function flush(): void {
    if (outgoing.length === 0) return
    const gateway = outgoing
    outgoing = []
    send({ gateway })
  }

  async function answer(name: string, { id, value }: Item): Promise<void> {
    const call = ours[name]
    const handle = handlers[name]
    try {
      if (!call || !handle) throw new Error(`No call is named ${name}.`)
      const result = await handle(call.params.parse(value) as Params<Ours[string]>)
      if (id !== undefined) push({ reply: id, value: result ?? null })
    } catch (error) {
      onFailure(error)
      if (id !== undefined) push({ reply: id, value: null, hasFailed: true })
    }
  }

  function settle(id: number, { value, hasFailed }: Item): void {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (!asked) return
    const checked = theirs[asked.name]?.answer?.safeParse(value)
    if (checked?.success && !hasFailed) asked.resolve(checked.data)
    else asked.reject(new Error(`Another process failed at ${asked.name}.`))
  }

  return {
    tell: (name, value) => push({ call: name, value }),
    ask(name, value) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      if (isClosed) reject(new Error('The other process has ended.'))
      lastId += 1
      waiting.set(lastId, { name, resolve, reject })
      push({ call: name, id: lastId, value })
      return promise as Promise<Answer<Theirs[typeof name]>>
    },
    flush,
    receive(message) {
      const arrived = batch.safeParse(message)
      if (!arrived.success) return false
      for (const item of arrived.data.gateway) {
        if (item.call !== undefined) void answer(item.call, item)
        else if (item.reply !== undefined) settle(item.reply, item)
      }
      return true
    },
    close() {
      isClosed = true
      for (const { reject } of waiting.values()) reject(new Error('The other process has ended.'))
      waiting.clear()
    },
  }
}
