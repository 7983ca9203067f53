import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { SpentTime, spending } from '../../../schema/process/spent-time.ts'
import { type Call, callerOf, callOf } from '../../http/call.ts'
import { ApiError, ClientGone } from '../../http/errors.ts'
import { whileElsewhere } from '../../http/request-in-hand.ts'
import { isGone, onGone, whenSent } from '../../http/respond.ts'
import type { AccountWork } from './account-work.ts'

/**
 * Lets a few requests of an account run at once, and for no more time than is the account's
 * (docs/promises.md R10). Others wait in turn, or are refused. Runs after authentication, on all routes but
 * product operations. `authenticateAgain` follows a wait: the key may have ended meanwhile.
 */
export function limitWork(
  accountWork: AccountWork,
  authenticateAgain: RequestHandler,
): RequestHandler {
  const { places } = accountWork

  /** Resolves when the request has a place. Throws ClientGone if the client hangs up before. */
  function turnOf(call: Call, res: Response): Promise<void> | null {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { accountId } = callerOf(call)
    const leave = places.wait(accountId, call.environment, () => {
      stopWatching()
      resolve()
    })
    if (!leave) return null
    const stopWatching = onGone(res, () => {
      stopWatching()
      leave()
      reject(new ClientGone())
    })
    return promise
  }

  /** Begins a request, which has its place until its answer was sent. */
  function begin(call: Call, res: Response): SpentTime {
    const { accountId } = callerOf(call)
    const spent = new SpentTime(accountId)
    spent.noteTurn()
    call.spent = spent
    whenSent(res, () => {
      accountWork.spend(accountId, spent.ms)
      places.end(accountId)
    })
    return spent
  }

  async function beginInTurn(req: Request, res: Response, next: NextFunction, turn: Promise<void>) {
    const call = callOf(res)
    await whileElsewhere(res, turn)
    const spent = begin(call, res)
    if (isGone(res)) throw new ClientGone()
    const refusal = refusalOf(call, accountWork)
    if (refusal) throw refusal
    await spending(spent, () => authenticateAgain(req, res, next))
  }

  return function limitWork(req, res, next) {
    const call = callOf(res)
    const refusal = refusalOf(call, accountWork)
    if (refusal) return next(refusal)
    if (places.begin(callerOf(call).accountId)) return spending(begin(call, res), next)
    const turn = turnOf(call, res)
    return turn ? beginInTurn(req, res, next, turn) : next(refused(call, tooMany, 1))
  }
}

const tooMany = 'Too many requests of the account run or wait at the same time.'
const tooLong = 'The account has used up its time for requests that are no product calls.'

function refusalOf(call: Call, accountWork: AccountWork): ApiError | null {
  const seconds = accountWork.waitOf(callerOf(call).accountId, call.environment)
  return seconds === 0 ? null : refused(call, tooLong, seconds)
}

function refused(call: Call, message: string, seconds: number): ApiError {
  call.limiter = 'work'
  return new ApiError('RATE_LIMIT_EXCEEDED', message, {
    headers: { 'Retry-After': String(seconds) },
  })
}
