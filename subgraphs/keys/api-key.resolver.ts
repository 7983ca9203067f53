import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../shared/context.ts'
import { cursorCodec, toPage } from '../shared/pagination.ts'
import { getApiKey, issueAnyKey, issueOwnKey, listApiKeys, revokeKey } from './api-key.service.ts'
import {
  ApiKey,
  ApiKeyPage,
  CreateApiKeyInput,
  CreateApiKeyPayload,
  IssueApiKeyInput,
  IssuedApiKey,
  OnceInput,
} from './api-key.type.ts'

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
    const keys = await listApiKeys(context.em, caller, { limit: limit + 1, beforeId })
    return toPage<ApiKey>(keys, limit, ({ id }) => cursors.encode(id))
  }

  @Authorized('account')
  @Query(() => ApiKey, { description: "One of the caller's keys." })
  apiKey(
    @Arg('id', () => ID, { description: '`key_…`' }) id: string,
    @Ctx() context: GraphContext,
  ): Promise<ApiKey> {
    return getApiKey(context.em, requireAccount(context), id)
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

  @Authorized('admin')
  @Mutation(() => ApiKey, { description: 'Revokes a key of any account.' })
  async revokeApiKey(
    @Arg('id', () => ID, { description: '`key_…`' }) id: string,
    @Ctx() { em, invalidate }: GraphContext,
  ): Promise<ApiKey> {
    const key = await revokeKey(em, id)
    invalidate({ accountId: key.accountId })
    return key
  }
}
