import type { GetCreditsResponses } from 'credit-gateway-sdk'
import { useEffect, useRef } from 'react'
import { gateway, queries } from '../api.ts'
import { type Read, useRead } from './read.ts'

/** The answer of `GET /v1/account/credits`; in the client, `Credits` is the price of a call. */
type Credits = GetCreditsResponses[200]

const everyMs = 2500
/** The time until a charged request is in the usage log. */
const logDelayMs = 1200

/**
 * The credits of the account, which are read periodically. When they change, everything under the
 * keys `usage`, `overview` and `ledger` is read again, so that a charge shows within five seconds.
 */
export function useCredits(): Read<Credits> {
  const credits = useRead<Credits>(
    ['credits'],
    (options) => gateway.account.getCredits({}, options),
    {
      ...{ scopes: ['account:read'], isLive: true, everyMs },
    },
  )
  const { data } = credits
  const state = data && `${data.balance} ${data.held}`
  const known = useRef(state)
  useEffect(() => {
    const isChange = known.current !== undefined && known.current !== state
    known.current = state
    if (!isChange) return
    const timer = setTimeout(readChargesAgain, logDelayMs)
    return () => clearTimeout(timer)
  }, [state])
  return credits
}

const charged: readonly unknown[] = ['usage', 'overview', 'ledger']

function readChargesAgain(): void {
  void queries.invalidateQueries({ predicate: ({ queryKey }) => charged.includes(queryKey[0]) })
}
