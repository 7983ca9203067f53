import type { NextFunction, Request, Response } from 'express'
import { version } from '../../schema/process/version.ts'
import { HttpAnswering } from '../http/answering.ts'
import { type Call, callOf } from '../http/call.ts'
import type { Headers } from '../http/respond.ts'
import type { NoteFailure } from '../steps/failure-log.ts'
import { envelopeOf, toApiError } from '../steps/render-error.ts'
import { metaNames, type RpcMessage } from './protocol.ts'
import { sendMessage } from './send-message.ts'

/** What the server says of itself. */
export const serverInfo = { name: 'credit-gateway', title: 'Credit Gateway', version } as const

/** An answer as text may be as long as this, in bytes; the structured one has no such limit. */
const maxTextBytes = 64 * 1024

/** Failures that keep their HTTP status: the client, not the model, has to act. */
const ofHttp: readonly number[] = [401, 403, 429]

export interface ToolAnsweringOptions {
  readonly docsUrl: string
  /** The page of the console with the usage log; null: there is no console. */
  readonly logPage: string | null
  readonly noteFailure: NoteFailure
}

/** What an answer repeats of its message. */
type RequestNames = Pick<RpcMessage, 'id' | 'isModern'>

/** Answers a call of a tool: a success and most failures are results, with status 200. */
export class ToolAnswering extends HttpAnswering {
  readonly #req: Request
  readonly #res: Response
  readonly #next: NextFunction
  readonly #to: RequestNames
  readonly #options: ToolAnsweringOptions
  #isLost = false

  constructor(
    { req, res, next }: { req: Request; res: Response; next: NextFunction },
    { id, isModern }: RequestNames,
    options: ToolAnsweringOptions,
  ) {
    super(res, next)
    this.#req = req
    this.#res = res
    this.#next = next
    // Nothing else of the message: the module may take long, and meanwhile nothing refers to the parsed body.
    this.#to = { id, isModern }
    this.#options = options
  }

  /** The answer is lost on its way, and only its repetition arrives: a scenario of the sandbox. */
  loseAnswer(): void {
    this.#isLost = true
  }

  override answer(status: number, body: string | Buffer, headers: Headers): void {
    const isReplay = headers['Idempotent-Replayed'] !== undefined
    if (this.#isLost && !isReplay) this.#req.socket.destroy()
    const json = body.length === 0 ? 'null' : body.toString()
    // In older revisions it is an object, and a module may answer with any JSON.
    const isStructured = this.#to.isModern || /^\s*\{/.test(json)
    const isShort = Buffer.byteLength(json) <= maxTextBytes
    const text = isShort || !isStructured ? json : 'The answer is long: see structuredContent.'
    const structured = isStructured ? `,"structuredContent":${json}` : ''
    this.#send(status, text, { structured, isError: false, headers, isReplay })
  }

  override fail(error: unknown): void {
    const failure = toApiError(error)
    const { status, headers, internal } = failure
    if (ofHttp.includes(status)) {
      this.#next(error)
      return
    }
    const call = callOf(this.#res)
    if (status >= 500 || internal !== undefined) this.#options.noteFailure(failure, call)
    const text = JSON.stringify(envelopeOf(failure, call, this.#options))
    this.#send(status, text, { structured: '', isError: true, headers, isReplay: false })
  }

  #send(status: number, text: string, result: ResultParts): void {
    const call = callOf(this.#res)
    call.toolStatus = status
    const { id, isModern } = this.#to
    const { structured, isError } = result
    const retryAfter = numberIn(result.headers['Retry-After'])
    const meta = {
      ...creditsOf(call, result),
      ...(isError && retryAfter !== null && { retry_after: retryAfter }),
      ...(isModern && { [metaNames.serverInfo]: serverInfo }),
    }
    const content = `"content":[{"type":"text","text":${JSON.stringify(text)}}]`
    const type = isModern ? '"resultType":"complete",' : ''
    const members = `${type}${content}${structured},"isError":${isError}`
    const whole = `${members},"_meta":${JSON.stringify({ ...meta, request_id: call.requestId })}`
    const answer = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${whole}}}`
    sendMessage(this.#req, this.#res, 200, answer)
  }
}

interface ResultParts {
  /** A member with the answer as JSON, or nothing. */
  readonly structured: string
  readonly isError: boolean
  /** Those of the REST answer. */
  readonly headers: Headers
  readonly isReplay: boolean
}

/**
 * What the headers of a REST answer say about credits. Null: not known, or there is no budget. What a call
 * is charged is not known while its settlement is under way.
 */
function creditsOf({ settling }: Call, { headers, isReplay }: ResultParts) {
  const charged = numberIn(headers['X-Credits-Charged'])
  return {
    credits_charged: isReplay ? 0 : (charged ?? (settling ? null : 0)),
    credits_remaining: numberIn(headers['X-Credits-Remaining']),
    budget_remaining: numberIn(headers['X-Budget-Remaining']),
    replayed: isReplay,
  }
}

function numberIn(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}
