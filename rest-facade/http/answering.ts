import type { Socket } from 'node:net'
import type { NextFunction, Response } from 'express'
import { inHandOf } from './request-in-hand.ts'
import { type Headers, isGone, onGone, send } from './respond.ts'

/**
 * Whoever asked, as the work for it sees it: it gets one answer, and may leave before that. `fail` does not throw,
 * and what `answer` throws is told to `fail`.
 */
export interface Answering {
  isGone(): boolean
  /** Calls the function when the client leaves. Returns a function that ends this watch. */
  onGone(leave: () => void): () => void
  /** Whether the request waits for another service, so that it costs no more than its place. */
  setElsewhere(isElsewhere: boolean): void
  /** Answers with JSON, as text or in UTF-8. */
  answer(status: number, body: string | Buffer, headers: Headers): void
  fail(error: unknown): void
}

/** Answers a request of HTTP. */
export class HttpAnswering implements Answering {
  readonly #res: Response
  readonly #next: NextFunction

  constructor(res: Response, next: NextFunction) {
    this.#res = res
    this.#next = next
  }

  isGone(): boolean {
    return isGone(this.#res)
  }

  onGone(leave: () => void): () => void {
    return onGone(this.#res, leave)
  }

  setElsewhere(isElsewhere: boolean): void {
    // The request may have been answered meanwhile, and is then not in hand any more.
    inHandOf(this.#res)?.setElsewhere(isElsewhere)
  }

  answer(status: number, body: string | Buffer, headers: Headers): void {
    send(this.#res, status, body, headers)
  }

  fail(error: unknown): void {
    this.#next(error)
  }
}

/** Loses the answer of a call on its way, and delivers its repetition. Failures are delivered too. */
export class LosingAnswering extends HttpAnswering {
  readonly #socket: Socket

  constructor(res: Response, next: NextFunction) {
    super(res, next)
    this.#socket = res.req.socket
  }

  override answer(status: number, body: string | Buffer, headers: Headers): void {
    if (headers['Idempotent-Replayed'] === undefined) this.#socket.destroy()
    super.answer(status, body, headers)
  }
}
