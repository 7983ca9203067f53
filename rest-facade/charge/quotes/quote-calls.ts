import type { RequestHandler } from 'express'
import type { z } from 'zod'
import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import { priceVersion } from '../../../schema/catalog/price-version.ts'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { spending } from '../../../schema/process/spent-time.ts'
import { coversScope } from '../../../schema/vocabulary/scopes.ts'
import { type Call, callerOf, callOf } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import { parseInput, type RawInput } from '../../http/input.ts'
import { sendJson } from '../../http/respond.ts'
import type { RateLimiter } from '../../rate-limit/rate-limiter.ts'
import { limitFurther } from '../../steps/rate-limit.ts'
import { readBalance } from '../balance.ts'
import { explainShortage, readTopUp, type ShortageOptions, type TopUp } from '../shortages.ts'
import { shortageOf, tightestOf, toRefusal } from './affordable.ts'
import { createJudge, type Price } from './judge-call.ts'
import {
  type QuoteAnswer,
  type QuotedCall,
  type QuotedItem,
  quoteBody,
  type Refusal,
} from './quote-body.ts'

interface QuoteOptions extends ShortageOptions {
  readonly catalog: Catalog
  readonly limiter: RateLimiter
  /** `{base_url}/v1` */
  readonly issuer: string
}

/** The parts of the request that a quote takes. */
export const quoteInput = { body: quoteBody }

/** The number of quoted calls that count as one request in the rate limit. */
const callsOfOneRequest = 10

/** Answers POST /v1/quotes; throws what `createQuote` throws. */
export function quoteCalls(options: QuoteOptions): RequestHandler {
  const quote = createQuote(options)
  return async function quoteCalls(req, res) {
    sendJson(res, 200, await quote(callOf(res), req))
  }
}

/**
 * Tells what calls would cost. No backend is asked, nothing is held, charged or kept. Throws
 * INVALID_REQUEST for the body of the quote itself, and RATE_LIMIT_EXCEEDED: the request was counted
 * once before its body was read.
 */
export function createQuote(options: QuoteOptions) {
  const { catalog, limiter, issuer, execute } = options
  const judge = createJudge({ catalog, issuer })
  const version = priceVersion(catalog)
  return async function quote(call: Call, given: RawInput): Promise<QuoteAnswer> {
    call.spent?.noteTurn()
    const { calls } = parseInput(quoteInput, given) as z.infer<typeof quoteBody>
    await limitFurther(call, limiter, Math.ceil(calls.length / callsOfOneRequest) - 1)
    // The count may have asked another process.
    call.spent?.noteTurn()
    const caller = callerOf(call)
    const judged = calls.map((quoted) => [quoted, judge(quoted, caller)] as const)
    const balance = await spending(call.spent, () =>
      readBalance({ caller, budgetOwners: call.budgetOwners }, execute),
    )
    call.spent?.noteTurn()
    let topUp: Promise<TopUp> | undefined
    // What can be bought is asked once for all calls of a quote.
    const readOnce = () => {
      topUp ??= readTopUp(execute, caller)
      return topUp
    }
    const shortages = judged.map(([, judgement]) =>
      judgement instanceof ApiError ? null : shortageOf(judgement, balance, call.environment),
    )
    const refusals: (ApiError | null)[] = shortages.some((shortage) => shortage !== null)
      ? await spending(call.spent, () =>
          Promise.all(
            shortages.map(async (one) => one && explainShortage(one, caller, options, readOnce)),
          ),
        )
      : []
    if (refusals.length > 0) call.spent?.noteTurn()
    const items = withinBounds(
      judged.map(([quoted, judgement], index) =>
        itemOf(quoted, judgement, refusals[index] ?? null),
      ),
    )
    return {
      items,
      total_max_credits: items.reduce((sum, { max_credits }) => sum + max_credits, 0),
      ...(maySeeCredits(
        judged.map(([, judgement]) => judgement),
        caller,
      )
        ? { available: balance.available, budget_remaining: tightestOf(balance.budgets) }
        : { available: null, budget_remaining: null }),
      price_version: version,
      as_of: balance.asOf,
    }
  }
}

/** Whether the caller may see credits: who has the scope of a call learns them from the call itself. */
function maySeeCredits(judgements: readonly (Price | ApiError)[], caller: AccountCaller): boolean {
  return coversScope(caller.scopes, 'account:read') || judgements.some(isWithinScope)
}

/** Whether the judged call is one of a product, and the caller has its scope. */
function isWithinScope(judgement: Price | ApiError): boolean {
  return !(judgement instanceof ApiError) || judgement.code === 'INVALID_REQUEST'
}

/** The most that all refusals of a quote together take as JSON (docs/contract.md §5). */
const maxRefusalBytes = 256 * 1024

/** A hundred refusals that name a hundred problems each would be megabytes. */
function withinBounds(items: readonly QuotedItem[]): QuotedItem[] {
  let bytes = 0
  return items.map((item) => {
    if (!item.refusal) return item
    bytes += Buffer.byteLength(JSON.stringify(item.refusal))
    return bytes > maxRefusalBytes ? { ...item, refusal: unexplained(item.refusal) } : item
  })
}

function unexplained({ code }: Refusal): Refusal {
  const message = 'The refusals of this quote name too many problems: quote this call alone.'
  return { code, message, details: null }
}

function itemOf(
  { method, path }: QuotedCall,
  judgement: Price | ApiError,
  refused: ApiError | null,
): QuotedItem {
  if (judgement instanceof ApiError) {
    const refusal = toRefusal(judgement)
    return {
      ...{ method, path, min_credits: 0, max_credits: 0, unit: null, unit_name: null },
      ...{ would_succeed: false, refusal },
    }
  }
  const { minimum, maximum, unit, unitName } = judgement
  const refusal = refused && toRefusal(refused)
  return {
    ...{ method, path, min_credits: minimum, max_credits: maximum, unit, unit_name: unitName },
    ...{ would_succeed: refusal === null, refusal },
  }
}
