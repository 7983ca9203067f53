import {
  Arg,
  Args,
  Authorized,
  Ctx,
  GraphQLISODateTime,
  ID,
  Mutation,
  Query,
  Resolver,
} from 'type-graphql'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { isPersonal, onceOfAct } from '../../shared/changes/act.ts'
import { makeChange, recordRefusal } from '../../shared/changes/change.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { type Check, isCredits, isText, requireAll } from '../../shared/graph/checks.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { EnvironmentName, EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import { refundCharge } from './charge-refund.service.ts'
import {
  entriesOf,
  expireGrants,
  type Posted,
  type Posting,
  postOnce,
  usualPriority,
} from './ledger-entry.service.ts'
import {
  AdjustCreditsInput,
  GrantCreditsInput,
  LedgerEntry,
  LedgerEntryKind,
  LedgerEntryPage,
  RefundChargeInput,
} from './ledger-entry.type.ts'

function isPriority(priority: number): boolean {
  return priority >= 0 && priority <= 100
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null
}

type Bounds = Pick<Posting, 'expiresAt' | 'priority' | 'allowNegative'>
const never: Bounds = { expiresAt: null }

@Resolver()
export class LedgerEntryResolver {
  @Authorized('account')
  @Query(() => LedgerEntryPage, {
    description: "Lists the entries of the caller's ledger, newest first.",
  })
  ledger(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('kind', () => LedgerEntryKind, {
      nullable: true,
      description: 'Only entries of this kind.',
    })
    kind: LedgerEntryKind | null,
    @Arg('from', () => GraphQLISODateTime, {
      nullable: true,
      description: 'The range begins at this instant.',
    })
    from: Date | null,
    @Arg('to', () => GraphQLISODateTime, {
      nullable: true,
      description: 'The range ends before this instant.',
    })
    to: Date | null,
    @Arg('requestId', () => ID, {
      nullable: true,
      description: 'Only the charge of this request, and its refund.',
    })
    requestId: string | null,
    @Ctx() context: GraphContext,
  ): Promise<LedgerEntryPage> {
    const filter = { kind, from, to, requestId }
    return readPage(context, entriesOf(context.database, requireAccount(context), filter), page)
  }

  @Authorized('admin')
  @Mutation(() => LedgerEntry, {
    description: 'Gives credits to an account. The same idempotency key gives them once.',
  })
  grantCredits(
    @Arg('input', () => GrantCreditsInput, { description: 'The grant.' }) input: GrantCreditsInput,
    @Ctx() context: GraphContext,
  ): Promise<LedgerEntry> {
    const { credits, expiresAt, priority } = input
    const checks: readonly Check[] = [
      ...textChecks(input),
      ['credits', isCredits(credits) && credits > 0, 'must be an integer from 1'],
      ['priority', isPriority(priority ?? usualPriority), 'must be an integer from 0 to 100'],
      ['priority', isNone(priority) || !isNone(expiresAt), 'is only for credits that expire'],
    ]
    const bounds = expiresAt ? { expiresAt, priority: priority ?? usualPriority } : never
    return enter(context, { kind: LedgerEntryKind.grant, input, bounds, checks })
  }

  @Authorized('admin')
  @Mutation(() => LedgerEntry, {
    description: 'Corrects a balance. The same idempotency key corrects it once.',
  })
  adjustCredits(
    @Arg('input', () => AdjustCreditsInput, { description: 'The correction.' })
    input: AdjustCreditsInput,
    @Ctx() context: GraphContext,
  ): Promise<LedgerEntry> {
    const isAmount = isCredits(Math.abs(input.credits)) && input.credits !== 0
    const checks: readonly Check[] = [
      ...textChecks(input),
      ['credits', isAmount, 'must be an integer other than 0'],
    ]
    const bounds = input.allowNegative ? { ...never, allowNegative: true } : never
    return enter(context, { kind: LedgerEntryKind.adjustment, input, bounds, checks })
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: "Enters the expiry of the account's grants that have ended.",
  })
  async expireGrants(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('environment', () => EnvironmentValue, {
      description: 'The environment: live or sandbox.',
    })
    environment: EnvironmentValue,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    await expireGrants(database, { accountId, environment })
    return true
  }

  @Authorized('admin', 'service')
  @Mutation(() => LedgerEntry, { description: 'Refunds a charge, once.' })
  refundCharge(
    @Arg('input', () => RefundChargeInput, { description: 'The charge.' }) input: RefundChargeInput,
    @Ctx() context: GraphContext,
  ): Promise<LedgerEntry> {
    const owner = { accountId: input.accountId, environment: 'live' } as const
    const request = { requestId: input.requestId }
    return post(context, { owner, action: 'credits.refund', input, request }, (tx) => {
      requireAll(textChecks(input))
      return refundCharge(tx, input)
    })
  }
}

interface EntryByHand {
  readonly kind: LedgerEntryKind.grant | LedgerEntryKind.adjustment
  readonly input: GrantCreditsInput | AdjustCreditsInput
  readonly bounds: Bounds
  readonly checks: readonly Check[]
}

function enter(
  context: GraphContext,
  { kind, input, bounds, checks }: EntryByHand,
): Promise<LedgerEntry> {
  const { accountId, credits, reason, idempotencyKey } = input
  const environment = input.environment ?? EnvironmentName.LIVE
  const ref = `internal:${idempotencyKey}`
  const posting = { accountId, environment, kind, credits, description: reason, ref, ...bounds }
  const action = kind === LedgerEntryKind.grant ? 'credits.grant' : 'credits.adjust'
  const owner = { accountId, environment }
  return post(context, { owner, action, input, request: { credits, ...bounds } }, (tx) => {
    requireAll(checks)
    return postOnce(tx, idempotencyKey, posting)
  })
}

interface PostedChange {
  readonly owner: AccountScope
  readonly action: string
  readonly input: { readonly reason: string; readonly idempotencyKey: string }
  /** What is entered, beside the reason. */
  readonly request: object
}

/**
 * A repetition returns the entry and leaves no line in the audit trail. The key of a person belongs to this act alone;
 * that of a program to one entry of each account, because it may enter the same for many.
 */
async function post(
  context: GraphContext,
  { owner, action, input, request }: PostedChange,
  work: (tx: Transaction) => Promise<Posted>,
): Promise<LedgerEntry> {
  const { caller } = context
  const { reason } = input
  const once = await recordRefusal(context, { owner, action }, async () =>
    isPersonal(caller) ? onceOfAct(caller, input.idempotencyKey) : null,
  )
  const { entry } = await makeChange(
    context,
    {
      ...{ owner, action, once, request: { ...request, reason } },
      note: ({ isNew, entry }: Posted) =>
        isNew ? { resourceId: entry.id, details: { reason, ...effectOf(entry) } } : null,
    },
    async (tx) => work(tx),
  )
  return entry
}

/** What an entry does to the balance, for the audit trail. */
function effectOf({ credits, balanceAfter }: LedgerEntry) {
  return {
    credits,
    before: { balance: balanceAfter - credits },
    after: { balance: balanceAfter },
  }
}

function textChecks({
  reason,
  idempotencyKey,
}: {
  readonly reason: string
  readonly idempotencyKey: string
}): readonly Check[] {
  return [
    ['reason', isText(reason, 200), 'must have 1 to 200 characters'],
    ['idempotencyKey', isText(idempotencyKey, 255), 'must have 1 to 255 characters'],
  ]
}
