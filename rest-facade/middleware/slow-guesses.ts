import type { NextFunction, Request, RequestHandler } from 'express'
import type { Logger } from 'pino'
import { type Call, callOf, headerOf, logFieldsOf } from '../call.ts'
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

  function count(call: Call): void {
    const { address } = call
    const isFirstTooMany = refused.add(clientBlock(address)) === anonymousRps + 1
    if (!isFirstTooMany) return
    log.warn({ ...logFieldsOf(call), address }, 'Many keys that nobody has come from one address')
  }

  /** What cannot be a key is refused without a look-up: it is no guess. */
  function guessOf(req: Request): string | null {
    const token = /^Bearer +(\S+)$/i.exec(headerOf(req, 'authorization'))?.[1]
    return token !== undefined && keys.recognizes(token) ? token : null
  }

  /** Learns what became of the key before the request goes on. */
  function learning(req: Request, call: Call, next: NextFunction): NextFunction {
    return function learn(error?: unknown) {
      if (call.caller) proven.add(call.credentialId, call.credential)
      const isRefused = error instanceof ApiError && error.code === 'INVALID_API_KEY'
      const guess = isRefused ? guessOf(req) : null
      if (guess !== null) {
        proven.remove(guess)
        count(call)
      }
      next(error)
    }
  }

  async function lookUpAlone(client: string, lookUp: () => unknown): Promise<void> {
    lookingUp.add(client)
    try {
      await lookUp()
    } finally {
      lookingUp.delete(client)
    }
  }

  return function slowGuesses(req, res, next) {
    const call = callOf(res)
    const client = clientBlock(call.address)
    const tryKey = () => authenticate(req, res, learning(req, call, next))
    const guess = refused.of(client) > anonymousRps ? guessOf(req) : null
    if (guess === null || proven.has(guess)) return tryKey()
    if (!lookingUp.has(client)) return lookUpAlone(client, tryKey)
    count(call)
    return next(exceeded(call, anonymousRps))
  }
}
