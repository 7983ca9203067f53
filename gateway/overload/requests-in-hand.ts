import { randomInt } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { inHandOf, type RequestInHand, setInHand } from '../../rest-facade/http/request-in-hand.ts'
import { createCredentialCounts, hashOf } from './credential-counts.ts'
import { knownSender, type Sender, unjudgedSender } from './sender.ts'
import { createStrangers, type Strangers } from './strangers.ts'

/** The requests that a listener has taken and not finished. */
export interface RequestsInHand {
  add(res: ServerResponse, sender?: Sender): void
  count(): number
  /** How many of them have this `Authorization` header; an empty string: none. */
  heldBy(credential: string): number
  /** About how many of the requests keep this process or its database busy. */
  working(): number
  /** The requests of this connection, in any order. The body of one of them may not be complete. */
  of(socket: Socket): readonly ServerResponse[]
  /**
   * Requests at work of strangers: their credential is not accepted yet or never will be, or they have none.
   */
  readonly strangers: Pick<Strangers, 'count' | 'of'>
  /** Notes a request that was answered before it was in hand. */
  answered(req: IncomingMessage): void
  /** Whether the request that comes on this connection was answered before its body was complete. */
  hasAnswered(socket: Socket): boolean
  /** Makes each unanswered request the last one of its connection. */
  letGo(): void
  stop(): void
}

/** What the requests of a listener are counted in while they are at work. */
interface AtWork {
  count: number
  readonly strangers: Strangers
}

/**
 * Requests in hand are kept in an array. When one leaves, the last one fills its place. A Set copies itself
 * every few dozen requests, and each copy that has become old keeps the next one, with all requests in it,
 * until the next full garbage collection.
 */
class InHand implements RequestInHand {
  readonly res: ServerResponse
  /** Names the credential of the request in the counts of credentials. */
  readonly holder: number
  position: number
  isElsewhere = false
  /** Whether the request counts as one at work. */
  isCounted = false
  readonly atWork: AtWork
  sender: Sender
  /** The time since which its answer is complete but not read. */
  untakenSinceMs: number | null = null

  constructor(
    res: ServerResponse,
    holder: number,
    position: number,
    atWork: AtWork,
    sender: Sender,
  ) {
    this.res = res
    this.holder = holder
    this.position = position
    this.atWork = atWork
    this.sender = sender
  }

  setElsewhere(isElsewhere: boolean): void {
    this.isElsewhere = isElsewhere
    setCounted(this, isWorking(this))
  }

  accept(): void {
    if (this.sender.isKnown) return
    if (this.isCounted) this.atWork.strangers.add(this.sender.block, -1)
    this.sender = knownSender
  }
}

/** A request that was answered before all of it had come. */
interface Unread {
  readonly req: IncomingMessage
  readonly answeredAtMs: number
}

function setCounted(request: InHand, isCounted: boolean): void {
  if (request.isCounted === isCounted) return
  request.isCounted = isCounted
  const { atWork, sender } = request
  const more = isCounted ? 1 : -1
  atWork.count += more
  if (!sender.isKnown) atWork.strangers.add(sender.block, more)
}

/**
 * Requests that wait for the rest of a body, for a backend module or for the reader of the answer
 * do not count.
 */
function isWorking({ res, isElsewhere }: InHand): boolean {
  return res.req.complete && !res.headersSent && !isElsewhere
}

const recountMs = 50

/** How long a client has after an answer, in milliseconds. */
interface AfterAnswer {
  /** The time until it has read the answer, which takes memory (docs/promises.md R8). */
  readonly answerTimeout: number
  /** The time until the rest of its request has come, which is thrown away. */
  readonly closingTimeout: number
}

/** Cuts off clients that take longer than this. */
export function trackRequests({ answerTimeout, closingTimeout }: AfterAnswer): RequestsInHand {
  const inHand: InHand[] = []
  const atWork = { count: 0, strangers: createStrangers() }
  const unread = createUnreadRequests(closingTimeout)
  const held = createCredentialCounts()
  const seed = randomInt(2 ** 32)

  function forget(this: ServerResponse): void {
    const request = inHandOf(this)
    if (!(request instanceof InHand)) return
    const last = inHand.pop()
    if (last && last !== request) {
      inHand[request.position] = last
      last.position = request.position
    }
    setCounted(request, false)
    held.add(request.holder, -1)
    unread.note(this.req)
    // A backend module or the database may still work for this request.
    setInHand(this, undefined)
  }

  /** No event tells when a body is complete or an answer was sent, so this checks it. */
  function recount(): void {
    for (const request of inHand) setCounted(request, isWorking(request))
  }

  function cutUntaken(): void {
    const now = performance.now()
    for (const request of inHand) {
      const { res } = request
      // An answer without a socket waits behind an earlier answer of its connection.
      if (!res.writableEnded || !res.socket) continue
      request.untakenSinceMs ??= now
      if (now - request.untakenSinceMs >= answerTimeout) res.socket.destroy()
    }
  }

  const timers = [
    setInterval(recount, recountMs).unref(),
    setInterval(cutUntaken, Math.ceil(answerTimeout / 10)).unref(),
    setInterval(unread.cut, Math.ceil(closingTimeout / 10)).unref(),
  ]
  return {
    add(res, sender = unjudgedSender) {
      const holder = hashOf(res.req.headers.authorization ?? '', seed)
      held.add(holder)
      const request = new InHand(res, holder, inHand.length, atWork, sender)
      setCounted(request, true)
      setInHand(res, request)
      inHand.push(request)
      res.on('close', forget)
    },
    count: () => inHand.length,
    heldBy: (credential) => held.of(hashOf(credential, seed)),
    working: () => atWork.count,
    of: (socket) => inHand.flatMap(({ res }) => (res.req.socket === socket ? [res] : [])),
    strangers: atWork.strangers,
    answered: unread.note,
    hasAnswered: unread.has,
    letGo() {
      for (const { res } of inHand) if (!res.headersSent) res.setHeader('Connection', 'close')
    },
    stop() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}

/** Requests that were answered before all of them had come. */
function createUnreadRequests(closingTimeout: number) {
  /** The last one of each connection. A timer for each would keep the requests of a flood for as long as it runs. */
  const unread = new Map<Socket, Unread>()

  function note(req: IncomingMessage): void {
    if (!req.complete) unread.set(req.socket, { req, answeredAtMs: performance.now() })
  }

  function has(socket: Socket): boolean {
    const last = unread.get(socket)
    return last !== undefined && !last.req.complete
  }

  /** Closes the connections whose clients take too long. */
  function cut(): void {
    const now = performance.now()
    for (const [socket, { req, answeredAtMs }] of unread) {
      const isLate = !req.complete && now - answeredAtMs >= closingTimeout
      if (isLate) socket.destroy()
      if (req.complete || socket.destroyed) unread.delete(socket)
    }
  }

  return { note, has, cut }
}
