import { sendBackendJson, startStubBackend } from '../stubs/stub-backend.ts'

/** A careful backend: whatever carries the same `Idempotency-Key` has its effect once. */
export interface DeduplicatingBackend {
  readonly url: string
  /** Effects so far, one for each key. */
  readonly effects: () => number
  /** Requests so far, repetitions included. */
  readonly requests: () => number
  close(): Promise<void>
}

export async function startDeduplicatingBackend(): Promise<DeduplicatingBackend> {
  const backend = await startStubBackend()
  const answers = new Map<string, object>()
  backend.answer(({ headers }, res) => {
    const key = String(headers['idempotency-key'])
    const answer = answers.get(key) ?? { effect: answers.size + 1 }
    answers.set(key, answer)
    sendBackendJson(res, 200, answer)
  })
  return {
    url: backend.url,
    effects: () => answers.size,
    requests: () => backend.received.length,
    close: () => backend.close(),
  }
}
