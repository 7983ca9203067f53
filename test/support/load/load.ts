import { setTimeout as sleep } from 'node:timers/promises'
import type { TestAccount } from '../gateway/gateway.ts'

/** One wish of a client: this contact revealed once, however often it has to ask. */
export interface Wish {
  readonly account: TestAccount
  readonly key: string
}

/** The answers that a client got to one wish. */
export interface Fulfilment extends Wish {
  /** The body of the first 200; null when there was none. */
  readonly body: string | null
  /** `X-Credits-Charged` of the first 200. */
  readonly charged: string | null
  /** `X-Request-Id` of the first 200 to a call without a key; otherwise the key names the request. */
  readonly requestId: string | null
}

export interface LoadOptions {
  /** The current or next address of the gateway. */
  readonly urlOf: () => string | Promise<string>
  readonly clients: number
  /** The time that a client waits for one answer before it asks again. */
  readonly answerPatienceMs: number
  /** How long a client pursues one wish. */
  readonly patienceMs: number
  /** Answers after which a client gives its wish up: by default it never does. */
  readonly isFinal?: (status: number) => boolean
  /** By default calls carry the key of their wish. Without it, each attempt is a call of its own. */
  readonly isKeyed?: boolean
}

export interface Load {
  /** Resolves when every wish is fulfilled or given up. */
  readonly done: Promise<readonly Fulfilment[]>
  /** Wishes that were fulfilled so far. */
  readonly fulfilled: () => number
  /** The count of each `status code`; `no answer` means a failed connection or a timeout. */
  readonly answers: ReadonlyMap<string, number>
  /** Answers that violate the contract. */
  readonly malformed: readonly string[]
  /** The wishes that are fulfilled or given up already. */
  readonly soFar: () => readonly Fulfilment[]
  /** The request ids of the calls without a key that were refused. */
  readonly refused: ReadonlySet<string>
  /** The calls of each account without a key that are under way or never had an answer. */
  readonly unseen: ReadonlyMap<string, number>
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export const idempotencyHeader = 'X-SVC-Idempotency-Key'
/** The price of a wish. */
export const wishCredits = 5

/** Up to `most` wishes, spread evenly over the accounts, until there were enough. */
export function* wishesOf(
  accounts: readonly TestAccount[],
  most: number,
  isEnough: () => boolean = () => false,
): Generator<Wish> {
  for (let index = 0; index < most && !isEnough(); index += 1) {
    const account = accounts[index % accounts.length]
    if (account) yield { account, key: `wish-${index}` }
  }
}

/** Clients that ask for one wish after the other, each until it is fulfilled. */
export function startLoad(wishes: Iterable<Wish>, options: LoadOptions): Load {
  const { urlOf, clients, answerPatienceMs, patienceMs, isFinal, isKeyed = true } = options
  const answers = new Map<string, number>()
  const malformed: string[] = []
  const refused = new Set<string>()
  const unseen = new Map<string, number>()
  const fulfilments: Fulfilment[] = []
  let fulfilled = 0

  async function ask(wish: Wish): Promise<Answer | null> {
    try {
      const url = await urlOf()
      const response = await fetch(`${url}/v1/contacts/reveal`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${wish.account.liveKey}`,
          'content-type': 'application/json',
          ...(isKeyed ? { [idempotencyHeader]: wish.key } : {}),
        },
        body: JSON.stringify({ contact_id: wish.key }),
        signal: AbortSignal.timeout(answerPatienceMs),
      })
      const { status, headers } = response
      return { status, headers, text: await response.text() }
    } catch {
      return null
    }
  }

  async function pursue(wish: Wish): Promise<void> {
    const deadline = performance.now() + patienceMs
    while (performance.now() < deadline) {
      if (!isKeyed) count(unseen, wish.account.id)
      const answer = await ask(wish)
      if (!isKeyed && answer) {
        count(unseen, wish.account.id, -1)
        if (answer.status !== 200) refused.add(requestIdOf(answer))
      }
      count(answers, nameOf(answer))
      if (answer) malformed.push(...complaints(answer))
      if (answer?.status === 200) {
        fulfilled += 1
        const charged = answer.headers.get('x-credits-charged')
        const requestId = isKeyed ? null : requestIdOf(answer)
        fulfilments.push({ ...wish, body: answer.text, charged, requestId })
        return
      }
      if (answer && isFinal?.(answer.status)) break
      await sleep(10 + Math.random() * 90)
    }
    fulfilments.push({ ...wish, body: null, charged: null, requestId: null })
  }

  // One iterator for all: each wish is taken by one client.
  const queue = wishes[Symbol.iterator]()
  async function work(): Promise<void> {
    for (let next = queue.next(); !next.done; next = queue.next()) await pursue(next.value)
  }

  const done = Promise.all(Array.from({ length: clients }, work)).then(() => fulfilments)
  return {
    ...{ done, answers, malformed, refused, unseen },
    fulfilled: () => fulfilled,
    soFar: () => fulfilments,
  }
}

function count(counts: Map<string, number>, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by)
}

function nameOf(answer: Answer | null): string {
  if (!answer) return 'no answer'
  const code = answer.status === 200 ? '' : ` ${codeOf(answer)}`
  return `${answer.status}${code}`
}

function codeOf({ text }: Answer): string {
  try {
    return String(Object(JSON.parse(text)).error?.code)
  } catch {
    return 'not JSON'
  }
}

function requestIdOf({ headers }: Answer): string {
  return headers.get('x-request-id') ?? 'without request id'
}

/** A refusal has the envelope, costs nothing and is never an internal error. */
function complaints(answer: Answer): string[] {
  const { status, headers, text } = answer
  if (status === 200) return []
  const code = codeOf(answer)
  const isOurs = /^[A-Z_]+$/.test(code) && text.includes(requestIdOf(answer))
  const isFree = (headers.get('x-credits-charged') ?? '0') === '0'
  return isOurs && isFree && code !== 'INTERNAL_ERROR' ? [] : [`${status} ${text}`]
}
