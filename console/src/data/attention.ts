import type { GetAttentionAnswer } from 'credit-gateway-sdk'
import { gateway } from '../api.ts'
import { type Read, useRead } from './read.ts'

export type AttentionItem = GetAttentionAnswer['items'][number]

const everyMs = 60_000

/** What needs attention, of what the session may read. All parts of the page share one question a minute. */
export function useAttention(): Read<GetAttentionAnswer> {
  return useRead<GetAttentionAnswer>(
    ['attention'],
    (options) => gateway.account.getAttention({}, options),
    { isLive: true, everyMs, freshMs: everyMs / 2 },
  )
}
