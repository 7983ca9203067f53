import type { RequestHandler } from 'express'
import { clientBlock } from '../../schema/vocabulary/client-block.ts'
import { type Call, callerOf, callOf, type RateWindow } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import type { MinuteLimit } from '../rate-limit/minute-limits.ts'
import { currentSecond, type RateLimiter } from '../rate-limit/rate-limiter.ts'

export interface AnonymousLimit {
  /** Counts anonymous callers in memory: they must cause no look-up (docs/promises.md S2). */
  readonly anonymousLimiter: RateLimiter
  /** Requests per second of one client address on public endpoints. */
  readonly anonymousRps: number
}

/**
 * Refuses an account's requests above its limit; runs after authentication. Calls of sessions that cost
 * nothing have a window of their own, so that people who look at pages do not slow programs down.
 */
export function limitAccount(limiter: RateLimiter, isMetered = false): RequestHandler {
  return function limitAccount(_req, res, next) {
    const call = callOf(res)
    const counting = countAccount(call, limiter, { isMetered })
    return counting ? counting.then(() => next(refusalOf(call))) : next(refusalOf(call))
  }
}

/**
 * Counts a request as `requests` more, when its body has shown that it counts as several. Throws
 * RATE_LIMIT_EXCEEDED.
 */
export async function limitFurther(
  call: Call,
  limiter: RateLimiter,
  requests: number,
): Promise<void> {
  if (requests === 0) return
  await countAccount(call, limiter, { requests })
  const refusal = refusalOf(call)
  if (refusal) throw refusal
}

/** Counts a request of a route that counts as several; the first one was counted before. */
export function countFurther(limiter: RateLimiter, requests: number): RequestHandler {
  return async function countFurther(_req, res, next) {
    await limitFurther(callOf(res), limiter, requests)
    next()
  }
}

function countAccount(
  call: Call,
  limiter: RateLimiter,
  { requests, isMetered = false }: { readonly requests?: number; readonly isMetered?: boolean },
): Promise<void> | undefined {
  const { accountId, environment, session } = callerOf(call)
  const name = session && !isMetered ? `${environment}:session` : environment
  const window = limiter(`${accountId}:${name}`, call.rateLimitRps, requests)
  return noteWindow(call, 'account', window)
}

/** Refuses a client address above its limit on a public endpoint. */
export function limitAddress(options: AnonymousLimit): RequestHandler {
  return function limitAddress(_req, res, next) {
    const call = callOf(res)
    const counting = countAddress(call, options)
    return counting ? counting.then(() => next(refusalOf(call))) : next(refusalOf(call))
  }
}

/**
 * Counts a client address and lets it pass: health checks are never refused (docs/contract.md §3).
 */
export function countOnly(options: AnonymousLimit): RequestHandler {
  return async function countOnly(_req, res, next) {
    await countAddress(callOf(res), options)
    next()
  }
}

/**
 * Counts without refusing: for health checks, and for answers to unknown callers. Returns nothing
 * if the limiter has counted at once.
 */
export function countAddress(
  call: Call,
  { anonymousLimiter, anonymousRps }: AnonymousLimit,
): Promise<void> | undefined {
  const window = anonymousLimiter(`address:${clientBlock(call.address)}`, anonymousRps)
  return noteWindow(call, 'address', window)
}

/** Has the answer show the window. Returns nothing if the limiter has counted at once. */
export function noteWindow(
  call: Call,
  limiter: Call['limiter'],
  window: RateWindow | Promise<RateWindow>,
): Promise<void> | undefined {
  call.limiter = limiter
  if (!(window instanceof Promise)) {
    call.rateWindow = window
    return undefined
  }
  return window.then((counted) => {
    call.rateWindow = counted
  })
}

/** The refusal of a call that must wait until the end of the minute. */
export function tooManyInMinute(call: Call, perMinute: number, waitSeconds: number): ApiError {
  call.rateWindow = {
    limitRps: perMinute,
    remaining: 0,
    resetAtSeconds: currentSecond() + waitSeconds,
    isExceeded: true,
  }
  call.limiter = 'minute'
  const message = `The limit of ${perMinute} requests per minute is exceeded.`
  return new ApiError('RATE_LIMIT_EXCEEDED', message, {
    headers: { 'Retry-After': String(waitSeconds) },
  })
}

/**
 * Refuses requests of an address above its limit per minute (OAUTH_LIMITS, docs/contract.md §1).
 */
export function limitMinute(limit: MinuteLimit): RequestHandler {
  return async function limitMinute(_req, res, next) {
    const call = callOf(res)
    const waitSeconds = await limit.count(clientBlock(call.address))
    next(waitSeconds === null ? undefined : tooManyInMinute(call, limit.perMinute, waitSeconds))
  }
}

/**
 * The refusals by their limit. There are few limits, and a refusal has no data of its request, so each is
 * made once.
 */
const refusals = new Map<number, ApiError>()

/**
 * The refusal of a request above the limit (docs/spec.md §8.5). Callers pass it to `next`: there
 * may be many refusals, and throwing is slower.
 */
export function refusalOf({ rateWindow }: Call): ApiError | undefined {
  return rateWindow?.isExceeded ? refusal(rateWindow.limitRps) : undefined
}

function refusal(limitRps: number): ApiError {
  const known = refusals.get(limitRps)
  if (known) return known
  const message = `The limit of ${limitRps} requests per second is exceeded.`
  const made = new ApiError('RATE_LIMIT_EXCEEDED', message, { headers: { 'Retry-After': '1' } })
  refusals.set(limitRps, made)
  return made
}
