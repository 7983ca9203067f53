import type { RequestHandler } from 'express'
import type { z } from 'zod'
import type { OperationName, VariablesOf } from '../../../schema/generated/operations.ts'
import type { ErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import { type InputSchemas, problemsBesideBody } from '../../http/input.ts'
import { readBody, readBodyAnd, readBodyOrNull } from '../../http/read-body.ts'
import { countFurther } from '../../steps/rate-limit.ts'
import { refuseCapped, type UncappedOnly } from '../../steps/refuse-capped.ts'
import { explainStepUp, requireFreshProof } from '../../steps/require-fresh-proof.ts'
import { explainRefusal, type Protection } from '../../steps/require-scope.ts'
import type { StepUp } from '../../steps/step-up/step-up.ts'
import { isStop, type Widening, wideningOf } from '../../steps/step-up/widening.ts'
import type { RouteOf } from './kind.ts'
import { scopePart } from './openapi/security.ts'
import type { OperationRun, RouteRow } from './route.ts'
import { type LimitedByMinute, minuteLimit } from './route-tools.ts'

type Fitting<Name extends OperationName> = z.ZodObject & z.ZodType<Partial<VariablesOf<Name>>>

/** What the schemas make of the input fits into the variables. */
interface InputOf<Name extends OperationName> extends InputSchemas {
  readonly params?: Fitting<Name>
  readonly query?: Fitting<Name>
  readonly body?: Fitting<Name>
}

type RunMembers =
  | ('status' | 'isLater' | 'derived' | 'shown' | 'leavesOutNull' | 'revealsSecret' | 'readsUsage')
  | ('sendResult' | 'keeping')

/** A route of an account: it needs an API key, or an access token, that has its scope. */
interface AccountRow<Name extends OperationName>
  extends RouteRow<Name>,
    Protection,
    InputOf<Name>,
    Pick<OperationRun<Name>, RunMembers> {
  /** Some answers need this scope too. The subgraph refuses them (see `explainRefusal`). */
  readonly someNeedScope?: string
  /** A key that has budgets is refused: it cannot lift its cap. */
  readonly uncappedOnly?: UncappedOnly
  /** The body may be JSON's null. It means the same as no body. */
  readonly takesNullBody?: boolean
  /**
   * One client address may send this many requests in a minute (OAUTH_LIMITS, docs/contract.md §1).
   */
  readonly minuteLimit?: LimitedByMinute
  /** A request counts as so many in the rate limit; 1 unless set. */
  readonly countsAs?: number
  /** The body, if `shown` makes another one than the operation selects: for the documentation. */
  readonly answer?: z.ZodObject
  /** Refusals of the subgraph, beyond those that follow from the row: for the documentation. */
  readonly refusals?: readonly ErrorCode[]
}

interface AccountRoute<Name extends OperationName> extends AccountRow<Name> {
  /** When a session needs a fresh proof for the change (docs/contract.md §10). */
  readonly stepUp?: StepUp
}

export function accountRoute<Name extends OperationName>(
  row: AccountRow<Name>,
): RouteOf<'account', AccountRoute<Name>> {
  const { body, takesNullBody, leavesOutNull, refusals = [], someNeedScope } = row
  const { countsAs = 1, answer } = row
  const kind = 'account'
  const scoped = scopePart(row)
  const widening = wideningOf(row)
  const stepUp = widening && 'stepUp' in widening ? widening.stepUp : undefined
  const { isAsked = false, isJudged = false } = stepUp ?? {}
  return {
    ...row,
    kind,
    stepUp,
    steps: (tools) => {
      const uncapped = row.uncappedOnly ? [refuseCapped(row.uncappedOnly, tools)] : []
      const proof = stepUp && isAsked !== false ? [requireFreshProof(stepUp, tools)] : []
      return [
        ...minuteLimit(row.minuteLimit, tools),
        ...tools.admission({ ...row, isStop: isStop(row) }, 'free'),
        ...(countsAs > 1 ? [countFurther(tools.limiter, countsAs - 1)] : []),
        ...uncapped,
        ...(isAsked === true || !body ? proof : []),
        ...(body ? [bodyReader(row), tools.authenticateAgain, ...uncapped, ...proof] : []),
        tools.run({ ...row, kind }),
        ...(isJudged ? [explainStepUp] : []),
        ...(someNeedScope ? [explainRefusal(someNeedScope, tools)] : []),
      ]
    },
    openapi: {
      ...scoped,
      requestBody: body && {
        required: row.needsBody || undefined,
        takesNull: takesNullBody,
        content: { 'application/json': {} },
      },
      success: { json: { schema: answer, leavesOutNull } },
      notes: [...scoped.notes, ...stepUpNotes(widening), ...countNotes(countsAs)],
      refusals: [...scoped.refusals, ...(stepUp ? ['STEP_UP_REQUIRED' as const] : []), ...refusals],
    },
  }
}

function countNotes(countsAs: number): string[] {
  return countsAs > 1 ? [`Counts as ${countsAs} requests in the rate limit.`] : []
}

function stepUpNotes(widening: Widening | null): string[] {
  if (!widening || widening.widens === null) return []
  const { when } = widening
  return when === null
    ? ['This needs a fresh proof of identity if the session of a browser asks.']
    : [`Some of this needs a fresh proof of identity if the session of a browser asks: ${when}.`]
}

function bodyReader(
  row: Pick<AccountRow<OperationName>, 'takesNullBody' | keyof InputSchemas>,
): RequestHandler {
  const read = row.takesNullBody ? readBodyOrNull : readBody
  return readBodyAnd(read, (req) => problemsBesideBody(row, req))
}
