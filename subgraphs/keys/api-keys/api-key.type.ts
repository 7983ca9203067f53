import { GraphQLJSONObject } from 'graphql-scalars'
import {
  Directive,
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { Budget, BudgetNameInput } from '../../shared/budgets/budget.type.ts'
import { EnvironmentName, EnvironmentValue } from '../../shared/graph/environment.type.ts'

/** The spender of a budget: the value is the word in the body. */
export enum BudgetLayer {
  key = 'key',
  consent = 'consent',
  external_id = 'external_id',
  account = 'account',
}

/** Which keys a list shows, as inputs write it: each key is in exactly one of these states. */
export enum ApiKeyState {
  ACTIVE = 'active',
  DISABLED = 'disabled',
  REVOKED = 'revoked',
  EXPIRED = 'expired',
}

registerEnumType(ApiKeyState, {
  name: 'ApiKeyState',
  description: 'Each key is in exactly one state.',
  valuesConfig: {
    ACTIVE: { description: 'Accepted.' },
    DISABLED: { description: 'Neither revoked nor expired, but not enabled.' },
    REVOKED: { description: 'Refused since `revokedAt`.' },
    EXPIRED: { description: 'Refused since `expiresAt`.' },
  },
})

export enum ApiKeyStatus {
  active = 'active',
  revoked = 'revoked',
  expired = 'expired',
}

registerEnumType(ApiKeyStatus, {
  name: 'ApiKeyStatus',
  description: 'Only active keys are accepted, while they are enabled.',
  valuesConfig: {
    active: { description: 'Accepted, if it is enabled.' },
    revoked: { description: 'Refused since `revokedAt`.' },
    expired: { description: 'Refused since `expiresAt`.' },
  },
})

@Directive('@key(fields: "id")')
@ObjectType({ description: 'An API key: everything that may be read again after creation.' })
export class ApiKey {
  @Field(() => ID, { description: '`key_…`' })
  id!: string

  @Field(() => String, { description: 'The name that its owner gave it.' })
  name!: string

  @Field(() => EnvironmentValue, { description: 'The listener that accepts it.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'How the plaintext begins, such as `svc_live_`.' })
  prefix!: string

  @Field(() => String, { description: 'How the plaintext ends.' })
  last4!: string

  @Field(() => [String], { description: 'What it may do; `*` is everything (contract §4).' })
  scopes!: string[]

  @Field(() => [String], {
    description: 'Addresses and CIDR blocks it may be used from; empty is anywhere.',
  })
  ipAllowlist!: string[]

  @Field(() => ApiKeyStatus, { description: 'Whether it has ended.' })
  status!: ApiKeyStatus

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When it stops being accepted.' })
  expiresAt?: Date | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When it was last accepted.' })
  lastUsedAt?: Date | null

  @Field(() => GraphQLISODateTime, { description: 'When it was issued.' })
  createdAt!: Date

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When it was revoked.' })
  revokedAt?: Date | null

  @Field(() => ID, { nullable: true, description: 'The key that took its place: `key_…`' })
  replacedBy?: string | null

  @Field(() => Boolean, {
    description: 'Whether its owner lets it be used; if not, it is refused like a revoked key.',
  })
  enabled!: boolean

  @Field(() => ID, {
    nullable: true,
    description: "Its owner's name of the team, customer or agent that has it.",
  })
  externalId?: string | null

  @Field(() => GraphQLJSONObject, { description: 'Notes of its owner: pairs of text.' })
  metadata!: Record<string, string>

  @Field(() => String, {
    nullable: true,
    description:
      'The issuer: a key, `session:` and a person, or `internal:` and the token of a tool; null for a key of an earlier release.',
  })
  createdBy?: string | null
}

registerEnumType(BudgetLayer, {
  name: 'BudgetLayer',
  description: 'Whose a budget is. A call must fit into the budgets of all layers.',
  valuesConfig: {
    key: { description: 'Of the API key, and of all keys that it was rotated from or to.' },
    consent: { description: 'Of the consent to an OAuth app.' },
    external_id: { description: 'Of all keys with the same `externalId`.' },
    account: { description: 'Of the account.' },
  },
})

@ObjectType({ description: 'A budget that a key spends from.' })
export class EffectiveBudget extends Budget {
  @Field(() => BudgetLayer, { description: 'Whose it is.' })
  of!: BudgetLayer
}

@ObjectType({ description: 'A page of API keys, newest first.' })
export class ApiKeyPage {
  @Field(() => [ApiKey], { description: 'The keys of this page.' })
  items!: ApiKey[]

  @Field(() => String, { nullable: true, description: 'Opaque; null means the end.' })
  nextCursor!: string | null
}

@ObjectType({ description: 'A new key, and the only sight of its secret.' })
export class IssuedApiKey extends ApiKey {
  @Field(() => String, { description: 'The secret, shown this once.' })
  plaintext!: string
}

@ObjectType({ description: 'A new key, and the only sight of its secret.' })
export class CreateApiKeyPayload {
  @Field(() => ApiKey, { description: 'The key as it can be read again.' })
  apiKey!: ApiKey

  @Field(() => String, { description: 'The secret, shown this once.' })
  plaintext!: string
}

@InputType({
  description: "A new key of the caller's own account, in the environment of the call.",
})
export class IssueApiKeyInput {
  @Field(() => String, { description: '1 to 100 characters.' })
  name!: string

  @Field(() => [String], {
    nullable: true,
    description: 'None of them may exceed those of the calling key; left out, they are the same.',
  })
  scopes?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description:
      'Addresses and CIDR blocks, v4 and v6. By a key that has some: each must lie in one of its own, and left out, they are the same.',
  })
  ipAllowlist?: string[] | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'In the future. By a key that ends: no later than that one, and left out, with it.',
  })
  expiresAt?: Date | null

  @Field(() => ID, { nullable: true, description: '1 to 128 visible ASCII characters.' })
  externalId?: string | null

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'At most 16 texts of at most 500 characters, with names of 1 to 40 characters.',
  })
  metadata?: Record<string, string> | null

  @Field(() => [BudgetNameInput], { nullable: true, description: 'At most one of each period.' })
  budgets?: BudgetNameInput[] | null
}

@InputType({ description: 'The changes; members left out stay as they are.' })
export class ChangeApiKeyInput {
  @Field(() => String, { nullable: true, description: '1 to 100 characters.' })
  name?: string | null

  @Field(() => [String], {
    nullable: true,
    description: 'Neither these nor those before may exceed the scopes of the calling key.',
  })
  scopes?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description:
      'Addresses and CIDR blocks, v4 and v6; neither these nor those before may hold more than those of the calling key.',
  })
  ipAllowlist?: string[] | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'In the future; null: never. Neither this nor that before may be later than the calling key ends.',
  })
  expiresAt?: Date | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'False: refused like a revoked key, until it is enabled again.',
  })
  enabled?: boolean | null

  @Field(() => ID, {
    nullable: true,
    description: '1 to 128 visible ASCII characters; null removes it.',
  })
  externalId?: string | null

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description:
      'All of it: at most 16 texts of at most 500 characters, with names of 1 to 40 characters.',
  })
  metadata?: Record<string, string> | null

  @Field(() => [BudgetNameInput], {
    nullable: true,
    description:
      'All of them, at most one of each period; `[]` removes all. A limit keeps its use.',
  })
  budgets?: BudgetNameInput[] | null
}

@InputType({ description: 'A new key of any account.' })
export class CreateApiKeyInput extends IssueApiKeyInput {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentName, { description: 'The listener that will accept it.' })
  environment!: EnvironmentName
}
