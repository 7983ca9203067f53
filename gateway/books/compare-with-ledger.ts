import type {
  BodyOf,
  Environment,
  OperationName,
  VariablesOf,
} from '../../schema/generated/operations.ts'
import { lowestId } from '../../schema/vocabulary/ids.ts'

/** Runs a persisted operation as a caller who may read everything. */
export type Ask = <Name extends OperationName>(
  operation: Name,
  variables: VariablesOf<Name>,
) => Promise<BodyOf<Name>>

/** A request on which the ledger and the usage log differ. */
export interface LogDrift {
  readonly accountId: string
  readonly environment: Environment
  readonly requestId: string
  /** The charge in the ledger, or 0. */
  readonly charged: number
  /** The charge in the usage log, or 0. */
  readonly logged: number
  readonly problem: string
}

export interface AuditWindow {
  /** The arrival of the first request to compare; 0 is the beginning. */
  readonly fromMs: number
  /** The time that a charge may take to reach the usage log. */
  readonly settlingSeconds: number
  readonly nowMs?: number
}

const maxDrifts = 100
const ownersInPage = 1000
const chargesInPage = 5000
/** The permitted difference between the clocks of the facades and of PostgreSQL. */
const clockSkewMs = 60_000

type Total = BodyOf<'TotalCharges'>[number]
type TotalScope = Pick<Total, 'accountId' | 'environment'>
type LoggedCharge = BodyOf<'ListLoggedCharges'>[number]
type Charge = BodyOf<'ListCharges'>[number]

/** A range from the first request id, included, to the second, not included. */
interface Range {
  readonly fromId: string
  readonly untilId: string
}

/**
 * Compares the charges in the usage log with the ledger, for every account and environment. Names
 * up to a hundred requests that differ (docs/credits.md I4). The ledger and the log may be in two
 * databases: sums are compared first, and only where they differ are both read in order of
 * requests.
 */
export async function findLogDrifts(ask: Ask, window: AuditWindow): Promise<LogDrift[]> {
  const { fromMs, settlingSeconds, nowMs = Date.now() } = window
  const range = {
    fromId: lowestId('req', fromMs),
    untilId: lowestId('req', nowMs - settlingSeconds * 1000),
  }
  const since = new Date(Math.max(0, fromMs - clockSkewMs)).toISOString()
  const books = booksOf(ask, settlingSeconds)
  const drifts: LogDrift[] = []
  const totals = pairs(books.loggedTotals(range, since), books.totals(range, since), keyOfOwner)
  for await (const [logged, charged] of totals) {
    const owner = logged ?? charged
    if (!owner || isSame(logged, charged)) continue
    for await (const drift of driftsOf(books, owner, range)) {
      drifts.push(drift)
      if (drifts.length === maxDrifts) return drifts
    }
  }
  return drifts
}

function isSame(logged: Total | null, charged: Total | null): boolean {
  return logged?.credits === charged?.credits && logged?.fingerprint === charged?.fingerprint
}

async function* driftsOf(books: Books, owner: TotalScope, range: Range): AsyncGenerator<LogDrift> {
  const both = pairs(books.loggedCharges(owner, range), books.charges(owner, range), keyOfRequest)
  for await (const [logged, charged] of both) {
    const { requestId = '' } = logged ?? charged ?? {}
    if (!differ(logged, charged)) continue
    // The pages were read at different times. By now, an entry that was seen has its charge, and a
    // settled charge has its entry. So the charge is read first.
    const only = { fromId: requestId, untilId: next(requestId) }
    const chargedNow = await first(books.charges(owner, only))
    const loggedNow = await first(books.entries(owner, only))
    if (differ(loggedNow, chargedNow)) yield toDrift(owner, requestId, loggedNow, chargedNow)
  }
}

/** An unsettled charge may not be in the log yet; a refunded one may cost 0 there. */
function differ(logged: LoggedCharge | null, charged: Charge | null): boolean {
  if (logged && logged.credits > 0) return logged.credits !== charged?.credits
  const isLoggedAsRefunded = logged !== null && charged?.isGivenBack === true
  return charged?.isSettled === true && !isLoggedAsRefunded
}

function toDrift(
  { accountId, environment }: TotalScope,
  requestId: string,
  logged: LoggedCharge | null,
  charged: Charge | null,
): LogDrift {
  const amounts = { charged: charged?.credits ?? 0, logged: logged?.credits ?? 0 }
  const problem = `${amounts.charged} credits were charged, the usage log says ${amounts.logged}`
  return { accountId, environment, requestId, ...amounts, problem }
}

type Books = ReturnType<typeof booksOf>

/** Reads both books page by page, as sequences in the same order. */
function booksOf(ask: Ask, settlingSeconds: number) {
  function totals(
    operation: 'TotalCharges' | 'TotalLoggedCharges',
    range: Range,
    since: string,
  ): AsyncGenerator<Total> {
    return paged(ownersInPage, (limit, last: Total | null) => {
      const after = {
        afterAccountId: last?.accountId ?? '',
        afterEnvironment: last?.environment ?? '',
      }
      return ask(operation, { ...range, ...after, since, limit })
    })
  }

  function logged(
    { accountId, environment }: TotalScope,
    range: Range,
    minCredits: number,
  ): AsyncGenerator<LoggedCharge> {
    return paged(chargesInPage, (limit, last: LoggedCharge | null) => {
      const rest = { ...range, fromId: last ? next(last.requestId) : range.fromId }
      const variables = { accountId, environment, ...rest, minCredits, limit }
      return ask('ListLoggedCharges', variables)
    })
  }

  return {
    totals: (range: Range, since: string) => totals('TotalCharges', range, since),
    loggedTotals: (range: Range, since: string) => totals('TotalLoggedCharges', range, since),
    charges: ({ accountId, environment }: TotalScope, range: Range) =>
      paged(chargesInPage, (limit, last: Charge | null) => {
        const rest = { ...range, fromId: last ? next(last.requestId) : range.fromId }
        const variables = { accountId, environment, ...rest, settlingSeconds, limit }
        return ask('ListCharges', variables)
      }),
    loggedCharges: (owner: TotalScope, range: Range) => logged(owner, range, 1),
    /** The logged entries of an owner, also those that cost nothing. */
    entries: (owner: TotalScope, range: Range) => logged(owner, range, 0),
  }
}

function keyOfOwner({ accountId, environment }: TotalScope): string {
  return `${accountId} ${environment}`
}

function keyOfRequest({ requestId }: { readonly requestId: string }): string {
  return requestId
}

/** The least text above this id. */
function next(id: string): string {
  return `${id}0`
}

/** The rows of all pages, one page at a time. */
async function* paged<Row>(
  limit: number,
  readPage: (limit: number, last: Row | null) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  let last: Row | null = null
  for (;;) {
    const page: readonly Row[] = await readPage(limit, last)
    yield* page
    if (page.length < limit) return
    last = page.at(-1) ?? null
  }
}

async function first<Row>(rows: AsyncGenerator<Row>): Promise<Row | null> {
  const result = await rows.next()
  return result.done ? null : result.value
}

/** Merges two sequences in order of a key; null where one of them lacks the key. */
async function* pairs<Left, Right>(
  lefts: AsyncGenerator<Left>,
  rights: AsyncGenerator<Right>,
  keyOf: (row: Left | Right) => string,
): AsyncGenerator<readonly [Left | null, Right | null]> {
  let left = await lefts.next()
  let right = await rights.next()
  while (!left.done || !right.done) {
    const leftKey = left.done ? null : keyOf(left.value)
    const rightKey = right.done ? null : keyOf(right.value)
    const takesLeft = leftKey !== null && (rightKey === null || leftKey <= rightKey)
    const takesRight = rightKey !== null && (leftKey === null || rightKey <= leftKey)
    yield [
      takesLeft && !left.done ? left.value : null,
      takesRight && !right.done ? right.value : null,
    ]
    if (takesLeft) left = await lefts.next()
    if (takesRight) right = await rights.next()
  }
}
