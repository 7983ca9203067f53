import { vi } from 'vitest'
import { patience } from './patience.ts'

/** Asks for readiness until the answer is not 503: on a loaded machine no process is always ready. */
export function whenReady<Answer extends { readonly status: number }>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  return vi.waitUntil(async () => {
    const answer = await ask()
    return answer.status === 503 ? null : answer
  }, patience)
}
