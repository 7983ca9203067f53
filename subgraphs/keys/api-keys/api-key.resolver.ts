import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { OnceInput } from '../../shared/changes/once.type.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { cursorCodec, toPage } from '../../shared/lists/pagination.ts'
import { getApiKey, listApiKeys } from './api-key.service.ts'
import {
  ApiKey,
  ApiKeyPage,
  ChangeApiKeyInput,
  CreateApiKeyInput,
  CreateApiKeyPayload,
  IssueApiKeyInput,
  IssuedApiKey,
} from './api-key.type.ts'
import { changeKey, revokeKey, rotateKey } from './change-key.service.ts'
import { issueAnyKey, issueOwnKey } from './issue-key.service.ts'

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @Authorized('account')
  @Query(() => ApiKeyPage, { description: "The caller's keys, newest first." })
  async apiKeys(
    @Arg('limit', () => Int, { description: 'Page size.' }) limit: number,
    @Arg('cursor', () => String, {
      nullable: true,
      description: '`nextCursor` of the page before.',
    })
    cursor: string | null,
    @Ctx() context: GraphContext,
  ): Promise<ApiKeyPage> {
    const caller = requireAccount(context)
    const owner = `${caller.accountId}/${caller.environment}`
    const cursors = cursorCodec(context.cursorKey, 'keys', owner)
    const beforeId = cursor ? cursors.decode(cursor) : null
    const keys = await context.database.transaction((tx) =>
      listApiKeys(tx, caller, { limit: limit + 1, beforeId }),
    )
    return toPage<ApiKey>(keys, limit, ({ id }) => cursors.encode(id))
  }

  @Authorized('account')
  @Query(() => ApiKey, { description: "One of the caller's keys." })
  apiKey(
    @Arg('id', () => ID, { description: '`key_…`' }) id: string,
    @Ctx() context: GraphContext,
  ): Promise<ApiKey> {
    return context.database.transaction((tx) => getApiKey(tx, requireAccount(context), id))
  }

  @Authorized('account')
  @Mutation(() => IssuedApiKey, { description: "Issues a key of the caller's account." })
  async issueApiKey(
    @Arg('input', () => IssueApiKeyInput, { description: 'The new key.' }) input: IssueApiKeyInput,
    @Arg('once', () => OnceInput, {
      nullable: true,
      description: 'The key that an attempt before has left is this one, with a new secret.',
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

  @Authorized('account')
  @Mutation(() => ApiKey, { description: "Changes a key of the caller's account." })
  async changeApiKey(
    @Arg('id', () => ID, { description: '`key_…`' }) id: string,
    @Arg('input', () => ChangeApiKeyInput, { description: 'What to change.' })
    input: ChangeApiKeyInput,
    @Ctx() context: GraphContext,
  ): Promise<ApiKey> {
    return announced(context, await changeKey(context, id, input))
  }

  @Authorized('account')
  @Mutation(() => IssuedApiKey, {
    description: "Issues a key that takes the place of another of the caller's account.",
  })
  async rotateApiKey(
    @Arg('id', () => ID, { description: 'The one that ends: `key_…`' }) id: string,
    @Arg('graceSeconds', () => Int, { description: 'For so long it goes on working.' })
    graceSeconds: number,
    @Arg('once', () => OnceInput, {
      nullable: true,
      description: 'The key that an attempt before has left is this one, with a new secret.',
    })
    once: OnceInput | null,
    @Ctx() context: GraphContext,
  ): Promise<IssuedApiKey> {
    const { apiKey, plaintext } = await rotateKey(context, id, { graceSeconds, once: once ?? null })
    return Object.assign(announced(context, apiKey), { plaintext })
  }

  @Authorized('account', 'admin')
  @Mutation(() => ApiKey, {
    description: "Revokes a key of the caller's account; of any account for an administrator.",
  })
  async revokeApiKey(
    @Arg('id', () => ID, { description: '`key_…`' }) id: string,
    @Ctx() context: GraphContext,
  ): Promise<ApiKey> {
    return announced(context, await revokeKey(context, id))
  }
}

/** What this process remembers of the account is forgotten before the answer leaves. */
function announced<Key extends { readonly accountId: string }>(
  { invalidate }: GraphContext,
  key: Key,
): Key {
  invalidate({ accountId: key.accountId })
  return key
}
