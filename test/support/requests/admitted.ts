import { vi } from 'vitest'
import { patience } from '../time/patience.ts'
import type { TestResponse } from './client.ts'

/**
 * Asks again as long as the account's window of this second is used up: a matrix is larger than it.
 */
export function admitted(ask: () => Promise<TestResponse>): Promise<TestResponse> {
  return vi.waitUntil(async () => {
    const response = await ask()
    return response.status === 429 ? null : response
  }, patience)
}
