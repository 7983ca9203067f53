import type { Request, Response } from 'express'
import { createByteBudget } from './byte-budget.ts'
import { callOf } from './call.ts'
import { ClientGone, unavailable } from './errors.ts'
import { isGone, onGone } from './respond.ts'

/** A larger body waits for room before it is parsed. */
export const maxSmallBytes = 16 * 1024
/**
 * The bytes of all bodies that this process parses at once. On the heap, parsed bodies take several times as
 * much.
 */
const maxParsedBytes = 8 * 1024 * 1024
/** How long a body waits for room: as long as a request may take to arrive. */
const patienceMs = 30_000
/** The longest DATABASE_TIMEOUT_MS: no work for a client that has hung up takes longer. */
const longestWorkMs = 60_000

const room = createByteBudget(maxParsedBytes)

/**
 * Resolves when a body of so many bytes may be parsed. The room is the request's until `dropBody` or its
 * answer, whichever comes first: until then somebody refers to the parsed body. Throws ClientGone if
 * the client hangs up while it waits, and SERVICE_UNAVAILABLE when it has waited for too long.
 */
export async function takeRoom(res: Response, bytes: number): Promise<void> {
  const account = res.locals.call?.caller?.accountId
  const onLeave = (leave: () => void) => onGone(res, leave)
  const share = await room.take({ account, bytes, patienceMs, onGone: onLeave })
  if (share === 'gone') throw new ClientGone()
  if (share === 'late') throw unavailable('Too many large bodies are being worked on; try again.')
  if (isGone(res)) {
    share()
    throw new ClientGone()
  }
  releaseWhenDone(res, share)
}

/** The request is done with its body: from now on nobody may refer to what was parsed. */
export function dropBody(req: Request, res: Response): void {
  req.body = undefined
  callOf(res).releaseRoom?.()
}

function releaseWhenDone(res: Response, release: () => void): void {
  const { socket } = res.req
  const { call } = res.locals
  let ending: NodeJS.Timeout | undefined

  function end(): void {
    clearTimeout(ending)
    for (const one of [res, socket]) one.off('close', closed)
    if (call) call.releaseRoom = null
    release()
  }

  /** A client that hangs up ends no work: the handler still refers to the body until it answers. */
  function closed(): void {
    if (!call || res.writableEnded) end()
    else ending ??= setTimeout(end, longestWorkMs).unref()
  }

  if (call) call.releaseRoom = end
  // A response that waits behind others of its connection does not close with it.
  for (const one of [res, socket]) one.on('close', closed)
}
