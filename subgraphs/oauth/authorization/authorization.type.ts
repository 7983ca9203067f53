import { GraphQLSafeInt } from 'graphql-scalars'
import { ArgsType, Field, GraphQLISODateTime, Int, ObjectType } from 'type-graphql'
import { BudgetInput, BudgetPeriod } from '../../shared/budgets/budget.type.ts'
import { AppOrigin } from '../apps/app.type.ts'

const asked = { nullable: true } as const

/**
 * The request of an app (RFC 6749 §4.1.1); null: absent. The facade has refused repeated
 * parameters.
 */
@ArgsType()
export class AuthorizationArgs {
  @Field(() => String, { description: '`app_…`; an empty value counts as absent and is refused.' })
  clientId!: string

  @Field(() => String, {
    description:
      'The redirect URI, exactly as it was registered. An empty value counts as absent and is refused.',
  })
  redirectUri!: string

  @Field(() => String, { ...asked, description: '`code`, which is the default.' })
  responseType!: string | null

  @Field(() => String, { ...asked, description: '`query`, which is the default.' })
  responseMode!: string | null

  @Field(() => String, { ...asked, description: 'The scopes, with single spaces between them.' })
  scope!: string | null

  @Field(() => String, { ...asked, description: 'Returned unchanged with the answer.' })
  state!: string | null

  @Field(() => String, { ...asked, description: 'Repeated in the id token.' })
  nonce!: string | null

  @Field(() => String, { ...asked, description: 'RFC 7636 §4.2.' })
  codeChallenge!: string | null

  @Field(() => String, { ...asked, description: '`S256`; it has no default.' })
  codeChallengeMethod!: string | null

  @Field(() => String, { ...asked, description: '`none`, or several of the other values.' })
  prompt!: string | null

  @Field(() => String, { ...asked, description: 'The most seconds since the owner signed in.' })
  maxAge!: string | null

  @Field(() => String, {
    ...asked,
    description: 'RFC 8707: the identifier of this API; no other is accepted.',
  })
  resource!: string | null

  @Field(() => String, {
    ...asked,
    description: 'Not supported: the request is refused if it is present.',
  })
  request!: string | null

  @Field(() => String, {
    ...asked,
    description: 'Not supported: the request is refused if it is present.',
  })
  requestUri!: string | null

  @Field(() => String, {
    ...asked,
    description: 'Not supported: the request is refused if it is present.',
  })
  registration!: string | null
}

@ArgsType()
export class ConsentArgs extends AuthorizationArgs {
  @Field(() => Boolean, { description: 'Whether the owner gives the app its scopes.' })
  isAllowed!: boolean

  @Field(() => String, { ...asked, description: 'For a browser: the consent token of the screen.' })
  consentToken!: string | null

  @Field(() => [BudgetInput], {
    ...asked,
    description: 'The budgets of the app from now on; if left out, they stay as they are.',
  })
  budgets!: BudgetInput[] | null
}

@ObjectType({ description: 'The app that asks, as an owner sees it.' })
export class AuthorizationClient {
  @Field(() => String, { description: '`app_…`' })
  clientId!: string

  @Field(() => String, { description: 'The name that the app gives itself.' })
  name!: string

  @Field(() => String, {
    nullable: true,
    description: 'The URL of its logo. The gateway does not load it.',
  })
  logoUri!: string | null

  @Field(() => String, { nullable: true, description: 'The URL of its home page.' })
  clientUri!: string | null

  @Field(() => String, { nullable: true, description: 'The URL of its privacy policy.' })
  policyUri!: string | null

  @Field(() => String, { nullable: true, description: 'The URL of its terms of service.' })
  tosUri!: string | null

  @Field(() => Boolean, {
    description: 'Whether the operator has verified the app; always false.',
  })
  verified!: boolean

  @Field(() => String, {
    description: 'Where the answer goes: a host, or the scheme of an app on a device.',
  })
  redirectHost!: string

  @Field(() => AppOrigin, {
    nullable: true,
    description: 'How the app came here, if nobody registered it by hand.',
  })
  origin!: AppOrigin | null

  @Field(() => String, {
    nullable: true,
    description: 'The address of the document that describes the app.',
  })
  documentUrl!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The host of the document, as a browser writes it: all that is known of the app.',
  })
  documentHost!: string | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When an app without a document registered itself.',
  })
  registeredAt!: Date | null

  @Field(() => String, {
    nullable: true,
    description: 'The account that registered the app; shown only to a caller who is signed in.',
  })
  ownerName!: string | null
}

@ObjectType({ description: 'A scope that the app asks for.' })
export class RequestedScope {
  @Field(() => String, { description: 'The scope.' })
  name!: string

  @Field(() => String, { description: 'The rights that the scope gives the app, as a sentence.' })
  description!: string

  @Field(() => Boolean, {
    description: 'Whether the owner has granted the scope to the app before.',
  })
  alreadyGranted!: boolean
}

@ObjectType({ description: 'A budget with which an app can be approved.' })
export class ApprovalBudget {
  @Field(() => BudgetPeriod, { description: 'The calendar window in UTC in which use counts.' })
  period!: BudgetPeriod

  @Field(() => GraphQLSafeInt, { description: 'Credits for each window.' })
  limitCredits!: number
}

@ObjectType({ description: 'The contents of a consent screen.' })
export class AuthorizationScreen {
  @Field(() => AuthorizationClient, { description: 'The app that asks.' })
  client!: AuthorizationClient

  @Field(() => String, { nullable: true, description: 'The name of the account that is asked.' })
  accountName!: string | null

  @Field(() => [RequestedScope], { description: 'The scopes that it asks for.' })
  requestedScope!: RequestedScope[]

  @Field(() => [String], { description: 'The requested scopes that are unknown and left out.' })
  ignoredScope!: string[]

  @Field(() => String, { description: 'The redirect URI.' })
  redirectUri!: string

  @Field(() => String, { nullable: true, description: 'The `state` of the request, unchanged.' })
  state!: string | null

  @Field(() => Boolean, {
    description:
      'Whether the caller must sign in: unknown, signed in too long ago, or not for this request.',
  })
  loginRequired!: boolean

  @Field(() => Boolean, {
    description: 'Whether the app asks for a scope that the owner has not granted before.',
  })
  consentRequired!: boolean

  @Field(() => String, {
    nullable: true,
    description:
      'The redirect that reports the failure to the app, if `prompt=none` cannot be granted.',
  })
  redirectTo!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'A token for a sign-in of its own, which the app demands (`prompt=login`, `select_account`, `max_age=0`). It is sent with the sign-in, and again with this request.',
  })
  continueToken!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The consent token, which a browser sends with its decision.',
  })
  consentToken!: string | null

  @Field(() => GraphQLISODateTime, {
    description: 'When this answer and its tokens expire.',
  })
  expiresAt!: Date

  @Field(() => [ApprovalBudget], {
    nullable: true,
    description:
      'For an app that nobody has verified, whose approval needs a budget: the budgets that it has, which an approval cannot raise, or a suggestion.',
  })
  budgets!: ApprovalBudget[] | null
}

@ObjectType({ description: 'The ways in which an owner can sign in.' })
export class LoginHint {
  @Field(() => [String], { description: '`api_key_bearer`, `session`' })
  methods!: string[]

  @Field(() => String, { description: 'The address where a browser signs in.' })
  sessionEndpoint!: string
}

@ObjectType({ description: 'The result of a decision.' })
export class ConsentOutcome {
  @Field(() => String, {
    description: '`approved`, `denied`, `login_required` or `consent_required`',
  })
  status!: string

  @Field(() => String, {
    nullable: true,
    description: 'The address that the front end opens next.',
  })
  redirectTo?: string | null

  @Field(() => String, { nullable: true, description: 'The authorization code, which works once.' })
  code?: string | null

  @Field(() => String, { nullable: true, description: 'The `state` of the request, unchanged.' })
  state?: string | null

  @Field(() => String, { nullable: true, description: 'The issuer (RFC 9207).' })
  iss?: string | null

  @Field(() => Int, { nullable: true, description: 'The seconds until the code expires.' })
  expiresIn?: number | null

  @Field(() => String, { nullable: true, description: 'The granted scopes, separated by spaces.' })
  grantedScope?: string | null

  @Field(() => LoginHint, {
    nullable: true,
    description: 'For a caller who is not signed in: the ways to sign in.',
  })
  login?: LoginHint | null

  @Field(() => AuthorizationClient, {
    nullable: true,
    description: 'For a caller who is not signed in: the app that asks.',
  })
  client?: AuthorizationClient | null

  @Field(() => [RequestedScope], {
    nullable: true,
    description: 'For a caller who is not signed in: the requested scopes.',
  })
  requestedScope?: RequestedScope[] | null
}
