import {
  Arg,
  Authorized,
  Ctx,
  FieldResolver,
  ID,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql'
import { Budget, BudgetPeriod } from '../../shared/budgets/budget.type.ts'
import { idempotencyKeyArg, reasonArg } from '../../shared/changes/act.ts'
import { OnceInput } from '../../shared/changes/once.type.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { cursorCodec, toPage } from '../../shared/lists/pagination.ts'
import { budgetsOf } from '../../shared/spending/shown-budgets.ts'
import { getApiKey, listApiKeys } from './api-key.service.ts'
import {
  ApiKey,
  ApiKeyPage,
  ApiKeyState,
  ChangeApiKeyInput,
  CreateApiKeyInput,
  CreateApiKeyPayload,
  EffectiveBudget,
  IssueApiKeyInput,
  IssuedApiKey,
} from './api-key.type.ts'
import { changeAnyKey, changeKey } from './change-key.service.ts'
import { effectiveBudgetsOf, type SpendingKey } from './effective-budgets.ts'
import { issueAnyKey, issueOwnKey } from './issue-key.service.ts'
import { spenderOf } from './key-budgets.service.ts'
import { resetBudget } from './reset-budget.service.ts'
import { revokeKey, revokeKeysOfMember } from './revoke-key.service.ts'
import { rotateKey } from './rotate-key.service.ts'
import { undoDisable } from './undo-disable.service.ts'

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @Authorized('service')
  @Mutation(() => Int, {
    description: 'Revokes the keys that a removed member has issued; returns how many.',
  })
  revokeKeysOfMember(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('memberId', () => ID, { description: '`mem_…`' }) memberId: string,
    @Arg('isKeeping', () => Boolean, {
      description: 'Revokes only those that the console made for the member.',
    })
    isKeeping: boolean,
    @Ctx() context: GraphContext,
  ): Promise<number> {
    return revokeKeysOfMember(context, accountId, memberId, isKeeping)
  }

  @Authorized('account')
  @Query(() => ApiKeyPage, { description: "Lists the caller's keys, newest first." })
  async apiKeys(
    @Arg('limit', () => Int, { description: 'Page size.' }) limit: number,
    @Arg('cursor', () => String, {
      nullable: true,
      description: 'The `nextCursor` of the previous page.',
    })
    cursor: string | null,
    @Arg('search', () => String, {
      nullable: true,
      description: 'Only keys that have this text in their name, prefix or last four characters.',
    })
    search: string | null,
    @Arg('state', () => ApiKeyState, { nullable: true, description: 'Only keys in this state.' })
    state: ApiKeyState | null,
    @Arg('externalId', () => ID, { nullable: true, description: 'Only keys that carry this one.' })
    externalId: string | null,
    @Ctx() context: GraphContext,
  ): Promise<ApiKeyPage> {
    const caller = requireAccount(context)
    const owner = `${caller.accountId}/${caller.environment}`
    const cursors = cursorCodec(context.cursorKey, 'keys', owner)
    const beforeId = cursor ? cursors.decode(cursor) : null
    const keys = await context.database.transaction((tx) =>
      listApiKeys(tx, caller, { limit: limit + 1, beforeId, search, state, externalId }),
    )
    return toPage<ApiKey>(keys, limit, ({ id }) => cursors.encode(id))
  }

  @Authorized('account')
  @Query(() => ApiKey, { description: "Returns one of the caller's keys." })
  apiKey(
    @Arg('id', () => ID, { description: '`key_…`' }) id: string,
    @Ctx() context: GraphContext,
  ): Promise<ApiKey> {
    return context.database.transaction((tx) => getApiKey(tx, requireAccount(context), id))
  }

  @Authorized('account')
  @Query(() => ApiKey, { description: 'The calling key itself.' })
  currentApiKey(@Ctx() context: GraphContext): Promise<ApiKey> {
    const caller = requireAccount(context)
    return context.database.transaction((tx) => getApiKey(tx, caller, caller.keyId ?? ''))
  }

  @Authorized('account', 'readonly')
  @FieldResolver(() => [Budget], { description: 'The budgets of the key itself, by period.' })
  budgets(@Root() key: SpendingKey, @Ctx() context: GraphContext): Promise<Budget[]> {
    return budgetsOf(context, key, spenderOf(key))
  }

  @Authorized('account', 'readonly')
  @FieldResolver(() => [EffectiveBudget], {
    description: 'All budgets that a call with the key must fit into.',
  })
  effectiveBudgets(
    @Root() key: SpendingKey,
    @Ctx() context: GraphContext,
  ): Promise<EffectiveBudget[]> {
    return effectiveBudgetsOf(context, key)
  }

  @Authorized('account')
  @Mutation(() => IssuedApiKey, { description: "Issues a key of the caller's account." })
  async issueApiKey(
    @Arg('input', () => IssueApiKeyInput, { description: 'The new key.' }) input: IssueApiKeyInput,
    @Arg('once', () => OnceInput, {
      nullable: true,
      description:
        'Every attempt of the same request has this reference. A later attempt returns the key of the first, with a new secret.',
    })
    once: OnceInput | null,
    @Ctx() context: GraphContext,
  ): Promise<IssuedApiKey> {
    const { apiKey, plaintext } = await issueOwnKey(context, input, once ?? null)
    return Object.assign(apiKey, { plaintext })
  }

  @Authorized('admin')
  @Mutation(() => CreateApiKeyPayload, { description: 'Issues a key of any account.' })
  createApiKey(
    @Arg('input', () => CreateApiKeyInput, { description: 'The new key.' })
    input: CreateApiKeyInput,
    @Ctx() context: GraphContext,
  ): Promise<CreateApiKeyPayload> {
    return issueAnyKey(context, input)
  }

  @Authorized('account', 'admin')
  @Mutation(() => ApiKey, {
    description: "Changes a key of the caller's account; of any account for an administrator.",
  })
  async changeApiKey(
    @Arg('id', () => ID, { description: '`key_…`' }) id: string,
    @Arg('input', () => ChangeApiKeyInput, { description: 'The changes.' })
    input: ChangeApiKeyInput,
    @Arg('accountId', () => ID, {
      nullable: true,
      description: 'The account that has the key: `acct_…`. Administrators must give it.',
    })
    accountId: string | null,
    @Ctx() context: GraphContext,
  ): Promise<ApiKey> {
    if (context.caller.kind === 'account') {
      return announced(context, await changeKey(context, id, input))
    }
    requireAll([['accountId', Boolean(accountId), 'is required']])
    const named = { id, accountId: accountId ?? '' }
    return announced(context, await changeAnyKey(context, named, input))
  }

  @Authorized('account')
  @Mutation(() => ApiKey, {
    description: 'Enables a key that the calling session has disabled within the last 60 seconds.',
  })
  async undoDisableApiKey(
    @Arg('id', () => ID, { description: '`key_…`' }) id: string,
    @Ctx() context: GraphContext,
  ): Promise<ApiKey> {
    return announced(context, await undoDisable(context, id))
  }

  @Authorized('account')
  @Mutation(() => IssuedApiKey, {
    description: "Issues a key that takes the place of another of the caller's account.",
  })
  async rotateApiKey(
    @Arg('id', () => ID, { description: 'The former key: `key_…`' }) id: string,
    @Arg('graceSeconds', () => Int, {
      description: 'For so many seconds the former key works, too.',
    })
    graceSeconds: number,
    @Arg('once', () => OnceInput, {
      nullable: true,
      description:
        'Every attempt of the same request has this reference. A later attempt returns the key of the first, with a new secret.',
    })
    once: OnceInput | null,
    @Ctx() context: GraphContext,
  ): Promise<IssuedApiKey> {
    const { apiKey, plaintext } = await rotateKey(context, id, { graceSeconds, once: once ?? null })
    return Object.assign(announced(context, apiKey), { plaintext })
  }

  @Authorized('account')
  @Mutation(() => ApiKey, { description: 'Sets the use of one of the budgets of a key to 0.' })
  async resetKeyBudget(
    @Arg('id', () => ID, { description: '`key_…`' }) id: string,
    @Arg('period', () => BudgetPeriod, { description: 'The period of the budget.' })
    period: BudgetPeriod,
    @Ctx() context: GraphContext,
  ): Promise<ApiKey> {
    return resetBudget(context, id, period)
  }

  @Authorized('account', 'admin')
  @Mutation(() => ApiKey, {
    description: "Revokes a key of the caller's account; of any account for an administrator.",
  })
  async revokeApiKey(
    @Arg('id', () => ID, { description: '`key_…`' }) id: string,
    @Arg('reason', () => String, reasonArg) reason: string | null,
    @Arg('idempotencyKey', () => String, idempotencyKeyArg) idempotencyKey: string | null,
    @Ctx() context: GraphContext,
  ): Promise<ApiKey> {
    return announced(context, await revokeKey(context, id, { reason, idempotencyKey }))
  }
}

/** This process forgets its cached facts about the account before the answer leaves. */
function announced<Key extends { readonly accountId: string }>(
  { invalidate }: GraphContext,
  key: Key,
): Key {
  invalidate({ accountId: key.accountId })
  return key
}
