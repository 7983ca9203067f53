import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'

/** A process of its own, started by `startChild`. */
export interface Child<Ready> {
  /** The message that it sent when it was ready. */
  readonly ready: Ready
  readonly pid: number
  /** One question at a time, answered by the module's `answer`. */
  ask<Answer>(question: object, answer: z.ZodType<Answer>): Promise<Answer>
  stop(): Promise<void>
}

/** The result of `serve`, which a module of servers/ exports. */
export interface Served {
  readonly ready: unknown
  readonly answer?: (question: unknown) => Promise<unknown>
  readonly stop: () => Promise<void>
}

const message = z.union([
  z.object({ kind: z.enum(['ready', 'answer']), value: z.unknown() }),
  z.object({ kind: z.literal('failed'), reason: z.string() }),
])

/** The flags of `npm start`: the gateway, its floors and its peers run with the same. */
const flagsFile = join(projectRoot, 'gateway/commands/node-flags.json')
const productionFlags = z.array(z.string()).parse(JSON.parse(readFileSync(flagsFile, 'utf8')))

interface StartOptions<Ready> {
  readonly role: string
  readonly ready: z.ZodType<Ready>
  readonly options?: object
  /** For node itself, such as `--cpu-prof`. */
  readonly nodeFlags?: readonly string[]
}

/** Starts `serve` of a module in servers/ and waits until it is ready. */
export async function startChild<Ready>(start: StartOptions<Ready>): Promise<Child<Ready>> {
  const { role, ready, options = {}, nodeFlags = [] } = start
  const main = join(import.meta.dirname, '../main.js')
  const child = fork(main, ['child', role, JSON.stringify(options)], {
    execArgv: [...productionFlags, ...nodeFlags],
    // The environment that gateway.mjs sets.
    env: { ...process.env, MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' },
  })
  const exited = once(child, 'exit')

  async function next(): Promise<unknown> {
    const gone = exited.then(([code]) => [{ kind: 'failed', reason: `exit ${String(code)}` }])
    const [received] = await Promise.race([once(child, 'message'), gone])
    const parsed = message.parse(received)
    if (parsed.kind === 'failed') throw new Error(`${role}: ${parsed.reason}`)
    return parsed.value
  }

  return {
    ready: ready.parse(await next()),
    pid: child.pid ?? 0,
    async ask(question, answer) {
      child.send(question)
      return answer.parse(await next())
    },
    async stop() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

/** The other side: serves until the parent is gone or has had enough. */
export async function runChild(serve: (options: unknown) => Promise<Served>, options: unknown) {
  const say = (value: object) => process.send?.(value)
  const parentGone = once(process, 'disconnect')
  try {
    const { ready, answer, stop } = await serve(options)
    process.on('message', (question: unknown) => {
      if (!answer) return
      answer(question).then(
        (value) => say({ kind: 'answer', value }),
        (error: unknown) => say({ kind: 'failed', reason: describe(error) }),
      )
    })
    say({ kind: 'ready', value: ready })
    await parentGone
    await stop()
  } catch (error) {
    if (process.connected) say({ kind: 'failed', reason: describe(error) })
    process.exitCode = 1
    if (process.connected) process.disconnect()
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
