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
  description: 'The state of a key, for a filter. Each key is in exactly one state.',
  valuesConfig: {
    ACTIVE: { description: 'The key is accepted.' },
    DISABLED: { description: 'The key is neither revoked nor expired, but disabled.' },
    REVOKED: { description: 'The key is refused since `revokedAt`.' },
    EXPIRED: { description: 'The key is refused since `expiresAt`.' },
  },
})

export enum ApiKeyStatus {
  active = 'active',
  revoked = 'revoked',
  expired = 'expired',
}

registerEnumType(ApiKeyStatus, {
  name: 'ApiKeyStatus',
  description: 'The state of a key. Only active keys are accepted, if they are enabled.',
  valuesConfig: {
    active: { description: 'The key is accepted, if it is enabled.' },
    revoked: { description: 'The key is refused since `revokedAt`.' },
    expired: { description: 'The key is refused since `expiresAt`.' },
  },
})

@Directive('@key(fields: "id")')
@ObjectType({ description: 'An API key, with everything that can be read after its creation.' })
export class ApiKey {
  @Field(() => ID, { description: '`key_…`' })
  id!: string

  @Field(() => String, { description: 'The name that its owner gave it.' })
  name!: string

  @Field(() => EnvironmentValue, { description: 'The listener that accepts it.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'The first characters of the secret, such as `svc_live_`.' })
  prefix!: string

  @Field(() => String, { description: 'The last characters of the secret.' })
  last4!: string

  @Field(() => [String], {
    description: 'The scopes of the key; `*` stands for all of them.',
  })
  scopes!: string[]

  @Field(() => [String], {
    description:
      'The addresses and CIDR blocks from which the key works; empty means from anywhere.',
  })
  ipAllowlist!: string[]

  @Field(() => ApiKeyStatus, { description: 'The state of the key.' })
  status!: ApiKeyStatus

  @Field(() => ApiKeyStatus, {
    nullable: true,
    description: 'In the answer of an operator who revokes it: its state before.',
  })
  statusBefore?: ApiKeyStatus | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When it expires.' })
  expiresAt?: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the key was last accepted.',
  })
  lastUsedAt?: Date | null

  @Field(() => GraphQLISODateTime, { description: 'When the key was issued.' })
  createdAt!: Date

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the key was revoked.' })
  revokedAt?: Date | null

  @Field(() => ID, { nullable: true, description: 'The key that replaced it: `key_…`' })
  replacedBy?: string | null

  @Field(() => Boolean, {
    description:
      'Whether the owner has enabled the key. A disabled key is refused like a revoked one.',
  })
  enabled!: boolean

  @Field(() => ID, {
    nullable: true,
    description: "The owner's name for the team, customer or agent that uses the key.",
  })
  externalId?: string | null

  @Field(() => GraphQLJSONObject, {
    description: 'Notes of the owner: pairs of a name and a text.',
  })
  metadata!: Record<string, string>

  @Field(() => String, {
    description:
      'The issuer: a key, `session:` and a person, or `internal:` and the token of a tool.',
  })
  createdBy!: string
}

registerEnumType(BudgetLayer, {
  name: 'BudgetLayer',
  description: 'The layer of a budget. A call must fit into the budgets of all layers.',
  valuesConfig: {
    key: { description: 'The budgets of the API key, and of all keys of its chain of rotations.' },
    consent: { description: 'The budgets of the consent to an OAuth app.' },
    external_id: { description: 'The budgets of all keys with the same `externalId`.' },
    account: { description: 'The budgets of the account.' },
  },
})

@ObjectType({ description: 'A budget that a key spends from.' })
export class EffectiveBudget extends Budget {
  @Field(() => BudgetLayer, { description: 'The layer of the budget.' })
  of!: BudgetLayer
}

@ObjectType({ description: 'A page of API keys, newest first.' })
export class ApiKeyPage {
  @Field(() => [ApiKey], { description: 'The keys of this page.' })
  items!: ApiKey[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page, an opaque text; null on the last page.',
  })
  nextCursor!: string | null
}

@ObjectType({ description: 'A new key, with its secret, which is shown only here.' })
export class IssuedApiKey extends ApiKey {
  @Field(() => String, { description: 'The secret, which is shown only here.' })
  plaintext!: string
}

@ObjectType({ description: 'A new key, with its secret, which is shown only here.' })
export class CreateApiKeyPayload {
  @Field(() => ApiKey, { description: 'The key, as it can be read later.' })
  apiKey!: ApiKey

  @Field(() => String, { description: 'The secret, which is shown only here.' })
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
    description: 'The scopes. The calling key must cover them; by default they are the same.',
  })
  scopes?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description:
      'Addresses and CIDR blocks, v4 and v6. If the calling key has some, each must lie in one of them; by default they are the same.',
  })
  ipAllowlist?: string[] | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'When the key expires, in the future, and not later than the calling key; by default with the calling key.',
  })
  expiresAt?: Date | null

  @Field(() => ID, { nullable: true, description: '1 to 128 visible ASCII characters.' })
  externalId?: string | null

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'At most 16 texts of at most 500 characters, with names of 1 to 40 characters.',
  })
  metadata?: Record<string, string> | null

  @Field(() => [BudgetNameInput], {
    nullable: true,
    description: 'At most one budget of each period.',
  })
  budgets?: BudgetNameInput[] | null
}

@InputType({ description: 'The changes; members left out stay as they are.' })
export class ChangeApiKeyInput {
  @Field(() => String, { nullable: true, description: '1 to 100 characters.' })
  name?: string | null

  @Field(() => [String], {
    nullable: true,
    description: 'The scopes. The calling key must cover both the new and the present ones.',
  })
  scopes?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description:
      'Addresses and CIDR blocks, v4 and v6. The calling key must cover both the new and the present ones.',
  })
  ipAllowlist?: string[] | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'When the key expires, in the future; null: never. Neither the new nor the present expiry may be later than that of the calling key.',
  })
  expiresAt?: Date | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'False: the key is refused like a revoked one, until it is enabled again.',
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
      'All notes: at most 16 texts of at most 500 characters, with names of 1 to 40 characters.',
  })
  metadata?: Record<string, string> | null

  @Field(() => [BudgetNameInput], {
    nullable: true,
    description:
      'The complete set of budgets, at most one of each period; `[]` removes all. A period that both sets contain keeps its use.',
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
