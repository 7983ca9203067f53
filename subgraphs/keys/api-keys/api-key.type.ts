import {
  Directive,
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { EnvironmentName, EnvironmentValue } from '../../shared/graph/environment.type.ts'

export enum ApiKeyStatus {
  active = 'active',
  revoked = 'revoked',
  expired = 'expired',
}

registerEnumType(ApiKeyStatus, {
  name: 'ApiKeyStatus',
  description: 'Only active keys are accepted.',
  valuesConfig: {
    active: { description: 'Accepted.' },
    revoked: { description: 'Refused since `revokedAt`.' },
    expired: { description: 'Refused since `expiresAt`.' },
  },
})

@Directive('@key(fields: "id")')
@ObjectType({ description: 'An API key: everything that may be read again after creation.' })
export class ApiKey {
  @Field(() => ID, { description: '`key_…`' })
  id!: string

  @Field(() => String, { description: 'What its owner calls it.' })
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

  @Field(() => ApiKeyStatus, { description: 'Whether it is accepted now.' })
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
}

@InputType({ description: 'What to change; members left out stay as they are.' })
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
}

@InputType({ description: 'A new key of any account.' })
export class CreateApiKeyInput extends IssueApiKeyInput {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentName, { description: 'The listener that will accept it.' })
  environment!: EnvironmentName
}
