import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { type Call, callOf, headerOf } from '../call.ts'
import { ApiError } from '../errors.ts'
import { clientBlock } from '../rate-limit/client-block.ts'
import { createProvenKeys } from '../rate-limit/proven-keys.ts'
import { createRecentCounts } from '../rate-limit/recent-counts.ts'
import type { VerifiedKeys } from '../verified-keys.ts'
import { exceeded } from './rate-limit.ts'

interface SlowGuessesOptions {
  readonly keys: Pick<VerifiedKeys, 'recognizes'>
  /** So many keys that nobody has may come from one client address in a second before it is slowed. */
  readonly anonymousRps: number
  readonly log: Logger
}

/**
 * Authentication that slows whoever tries keys: one look-up of such an address at a time, and 429 for
 * what comes meanwhile. A key that was accepted before is nobody's guess and always passes, so nobody
 * is locked out by a neighbour behind the same address. All is counted in this process: there is
 * nothing to wait for.
 */
export function slowGuesses(
  authenticate: RequestHandler,
  { keys, anonymousRps, log }: SlowGuessesOptions,
): RequestHandler {
  const refused = createRecentCounts()
  const proven = createProvenKeys()
  const lookingUp = new Set<string>()

  function count({ address }: Call): void {
    const isFirstTooMany = refused.add(clientBlock(address)) === anonymousRps + 1
    if (isFirstTooMany) log.warn({ address }, 'Many keys that nobody has come from one address')
  }

  /** What cannot be a key is refused without a look-up: it is no guess. */
  function guessOf(call: Call, authorization: string): string | null {
    if (call.caller) return null
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
    return token !== undefined && keys.recognizes(token) ? token : null
  }

  return async function slowGuesses(req, res, next) {
    const call = callOf(res)
    const authorization = headerOf(req, 'authorization')
    const client = clientBlock(call.address)

    async function attempt(): Promise<void> {
      await authenticate(req, res, (error?: unknown) => {
        if (call.caller) proven.add(call.caller.keyId, call.credential)
        const isRefused = error instanceof ApiError && error.code === 'INVALID_API_KEY'
        const guess = isRefused ? guessOf(call, authorization) : null
        if (guess !== null) {
          proven.remove(guess)
          count(call)
        }
        next(error)
      })
    }

    if (refused.of(client) <= anonymousRps) return attempt()
    const guess = guessOf(call, authorization)
    if (guess === null || proven.has(guess)) return attempt()
    if (lookingUp.has(client)) {
      count(call)
      return next(exceeded(call, anonymousRps))
    }
    lookingUp.add(client)
    try {
      await attempt()
    } finally {
      lookingUp.delete(client)
    }
  }
}
