import { Field, GraphQLISODateTime, ID, InputType, Int, ObjectType } from 'type-graphql'

@ObjectType({ description: 'A link that signs an operator in, once.' })
export class CreatedOperatorLink {
  @Field(() => ID, { description: '`olk_…`: the link in the audit trail.' })
  id!: string

  @Field(() => String, { description: 'The secret of the link, which is shown only here.' })
  token!: string

  @Field(() => GraphQLISODateTime, { description: 'When it expires.' })
  expiresAt!: Date
}

@ObjectType({ description: 'Whom a link signs in.' })
export class OperatorLink {
  @Field(() => String, { description: 'The name of the operator in the audit trail.' })
  name!: string

  @Field(() => String, { description: '`admin`, `support` or `readonly`.' })
  role!: string

  @Field(() => GraphQLISODateTime, { description: 'When it expires.' })
  expiresAt!: Date

  @Field(() => Boolean, { description: 'Whether it was neither used nor expired.' })
  isUsable!: boolean
}

@InputType({ description: 'The proof of an operator: a link, or what an issuer has said.' })
export class OpenOperatorSessionInput {
  @Field(() => String, {
    nullable: true,
    description: 'SHA-256 of the token of a link; null: an issuer has signed the operator in.',
  })
  linkTokenHash?: string | null

  @Field(() => String, { nullable: true, description: 'The name, without a link.' })
  name?: string | null

  @Field(() => String, { nullable: true, description: 'The role, without a link.' })
  role?: string | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the operator has proven to the issuer who they are; null: now.',
  })
  provenAt?: Date | null

  @Field(() => String, { nullable: true, description: 'The subject at the issuer.' })
  subject?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The refresh token of the issuer, sealed; null: it has given none.',
  })
  refreshToken?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'SHA-256 of the cookie that the browser has sent; its session ends.',
  })
  previousHash?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the session of before must be of the same name and role.',
  })
  isStepUp?: boolean | null
}

@ObjectType({ description: 'A session of an operator that was just opened.' })
export class OpenedOperatorSession {
  @Field(() => ID, { description: '`ops_…`' })
  id!: string

  @Field(() => String, { description: 'The value of the cookie; no other answer has it.' })
  secret!: string

  @Field(() => String, { description: 'The name of the operator.' })
  name!: string

  @Field(() => String, { description: '`admin`, `support` or `readonly`.' })
  role!: string

  @Field(() => GraphQLISODateTime, { description: 'When it ends, however it is used.' })
  expiresAt!: Date
}

@ObjectType({ description: 'The open session of an operator.' })
export class OperatorSession {
  @Field(() => ID, { description: '`ops_…`' })
  id!: string

  @Field(() => String, { description: 'The name of the operator in the audit trail.' })
  name!: string

  @Field(() => String, { description: '`admin`, `support` or `readonly`.' })
  role!: string

  @Field(() => GraphQLISODateTime, {
    description: 'The newest proof of who is at the browser.',
  })
  provenAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When it ends, however it is used.' })
  expiresAt!: Date

  @Field(() => String, {
    nullable: true,
    description: 'The subject at the issuer; null: a link has signed in.',
  })
  subject!: string | null

  @Field(() => String, { nullable: true, description: 'The refresh token of the issuer, sealed.' })
  refreshToken!: string | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the issuer has last said the role; null without an issuer.',
  })
  roleAskedAt!: Date | null

  @Field(() => Boolean, { description: 'Whether the issuer shall be asked for the role again.' })
  isRoleDue!: boolean

  @Field(() => Boolean, { description: 'Whether its use should be written down.' })
  isUseDue!: boolean
}

@InputType({ description: 'What an issuer has said about the role of an operator.' })
export class OperatorRoleInput {
  @Field(() => ID, { description: '`ops_…`: the session.' })
  id!: string

  @Field(() => Boolean, { description: 'False: the issuer could not be asked.' })
  isAnswered!: boolean

  @Field(() => String, { nullable: true, description: 'The role from now on; null: none.' })
  role?: string | null

  @Field(() => String, { nullable: true, description: 'The refresh token from now on, sealed.' })
  refreshToken?: string | null
}

@ObjectType({ description: 'What has ended.' })
export class EndedOperator {
  @Field(() => Int, { description: 'Links that nobody had used.' })
  links!: number

  @Field(() => Int, { description: 'Sessions.' })
  sessions!: number
}
