import { sendBackendJson, startStubBackend } from '../stubs/stub-backend.ts'

/**
 * A careful backend: whatever carries the same `Idempotency-Key` has its effect once. A call without one has
 * an effect of its own.
 */
export interface DeduplicatingBackend {
  readonly url: string
  /** Effects of calls with keys so far, one for each key. */
  readonly effects: () => number
  /** The request ids of the calls without a key so far. */
  readonly plainCalls: ReadonlySet<string>
  /** Requests so far, repetitions included. */
  readonly requests: () => number
  close(): Promise<void>
}

export async function startDeduplicatingBackend(): Promise<DeduplicatingBackend> {
  const backend = await startStubBackend()
  const answers = new Map<string, object>()
  const plainCalls = new Set<string>()
  backend.answer(({ headers }, res) => {
    const key = headers['idempotency-key']
    if (typeof key !== 'string') {
      plainCalls.add(String(headers['x-request-id']))
      return sendBackendJson(res, 200, { plainEffect: plainCalls.size })
    }
    const answer = answers.get(key) ?? { effect: answers.size + 1 }
    answers.set(key, answer)
    sendBackendJson(res, 200, answer)
  })
  return {
    url: backend.url,
    effects: () => answers.size,
    plainCalls,
    requests: () => backend.received.length,
    close: () => backend.close(),
  }
}
