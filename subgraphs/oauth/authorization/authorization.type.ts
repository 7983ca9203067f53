import { ArgsType, Field, GraphQLISODateTime, Int, ObjectType } from 'type-graphql'
import { BudgetInput } from '../../shared/budgets/budget.type.ts'

const asked = { nullable: true } as const

/**
 * The request of an app (RFC 6749 §4.1.1); null: absent. The facade has refused repeated
 * parameters.
 */
@ArgsType()
export class AuthorizationArgs {
  @Field(() => String, { description: '`app_…`; empty: absent, and refused.' })
  clientId!: string

  @Field(() => String, {
    description:
      'Where the answer goes: registered, character by character. Empty: absent, and refused.',
  })
  redirectUri!: string

  @Field(() => String, { ...asked, description: '`code`, as when it is absent.' })
  responseType!: string | null

  @Field(() => String, { ...asked, description: '`query`, as when it is absent.' })
  responseMode!: string | null

  @Field(() => String, { ...asked, description: 'Scopes with single spaces between them.' })
  scope!: string | null

  @Field(() => String, { ...asked, description: 'Given back as it came.' })
  state!: string | null

  @Field(() => String, { ...asked, description: 'Repeated in the id token.' })
  nonce!: string | null

  @Field(() => String, { ...asked, description: 'RFC 7636 §4.2.' })
  codeChallenge!: string | null

  @Field(() => String, { ...asked, description: '`S256`; it has no default.' })
  codeChallengeMethod!: string | null

  @Field(() => String, { ...asked, description: '`none`, or any of the others.' })
  prompt!: string | null

  @Field(() => String, { ...asked, description: 'Seconds since the owner signed in, at most.' })
  maxAge!: string | null

  @Field(() => String, { ...asked, description: 'RFC 8707: this API, if anything.' })
  resource!: string | null

  @Field(() => String, { ...asked, description: 'Not supported; refused where it is present.' })
  request!: string | null

  @Field(() => String, { ...asked, description: 'Not supported; refused where it is present.' })
  requestUri!: string | null

  @Field(() => String, { ...asked, description: 'Not supported; refused where it is present.' })
  registration!: string | null
}

@ArgsType()
export class ConsentArgs extends AuthorizationArgs {
  @Field(() => Boolean, { description: 'Whether the owner lets the app have it.' })
  isAllowed!: boolean

  @Field(() => String, { ...asked, description: 'Of a browser: what it was shown.' })
  consentToken!: string | null

  @Field(() => [BudgetInput], {
    ...asked,
    description: 'The budgets of the app from now on; absent: as before.',
  })
  budgets!: BudgetInput[] | null
}

@ObjectType({ description: 'The app that asks, as an owner should see it.' })
export class AuthorizationClient {
  @Field(() => String, { description: '`app_…`' })
  clientId!: string

  @Field(() => String, { description: 'The name that it gives itself.' })
  name!: string

  @Field(() => String, { nullable: true, description: 'Its logo; nothing here loads it.' })
  logoUri!: string | null

  @Field(() => String, { nullable: true, description: 'Its page.' })
  clientUri!: string | null

  @Field(() => String, { nullable: true, description: 'Its privacy policy.' })
  policyUri!: string | null

  @Field(() => String, { nullable: true, description: 'Its terms of service.' })
  tosUri!: string | null

  @Field(() => Boolean, {
    description: 'Whether somebody here has looked into who it is: nobody has.',
  })
  verified!: boolean

  @Field(() => String, {
    description: 'Where the answer goes: host, or scheme of an app on a device.',
  })
  redirectHost!: string

  @Field(() => String, {
    nullable: true,
    description: 'Whose app it is; shown only to somebody who is known.',
  })
  ownerName!: string | null
}

@ObjectType({ description: 'One scope that is asked for.' })
export class RequestedScope {
  @Field(() => String, { description: 'The scope.' })
  name!: string

  @Field(() => String, { description: 'The rights that the scope gives the app.' })
  description!: string

  @Field(() => Boolean, { description: 'Whether the owner has let the app have it before.' })
  alreadyGranted!: boolean
}

@ObjectType({ description: 'The contents of a consent screen.' })
export class AuthorizationScreen {
  @Field(() => AuthorizationClient, { description: 'The app that asks.' })
  client!: AuthorizationClient

  @Field(() => String, { nullable: true, description: 'The name of the account that is asked.' })
  accountName!: string | null

  @Field(() => [RequestedScope], { description: 'The scopes that it asks for.' })
  requestedScope!: RequestedScope[]

  @Field(() => [String], { description: 'Scopes that nobody knows; they are left out.' })
  ignoredScope!: string[]

  @Field(() => String, { description: 'Where the answer goes.' })
  redirectUri!: string

  @Field(() => String, { nullable: true, description: 'As it came.' })
  state!: string | null

  @Field(() => Boolean, {
    description: 'Whether nobody is known, or signed in too long ago, or not for this request.',
  })
  loginRequired!: boolean

  @Field(() => Boolean, { description: 'Whether something is asked for that was not let before.' })
  consentRequired!: boolean

  @Field(() => String, {
    nullable: true,
    description: 'With `prompt=none`, which cannot be granted: where the app learns of it.',
  })
  redirectTo!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'Where the app asks for a sign-in of its own (`prompt=login`, `select_account`, `max_age=0`): to be sent with the sign-in, and with this request when it is asked again.',
  })
  continueToken!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'For a browser: to be sent with its decision.',
  })
  consentToken!: string | null

  @Field(() => GraphQLISODateTime, {
    description: 'Until when this counts, and with it its tokens; after that, ask again.',
  })
  expiresAt!: Date
}

@ObjectType({ description: 'How an owner can be known.' })
export class LoginHint {
  @Field(() => [String], { description: '`api_key_bearer`, `session`' })
  methods!: string[]

  @Field(() => String, { description: 'Where a browser signs in.' })
  sessionEndpoint!: string
}

@ObjectType({ description: 'The result of a decision.' })
export class ConsentOutcome {
  @Field(() => String, {
    description: '`approved`, `denied`, `login_required` or `consent_required`',
  })
  status!: string

  @Field(() => String, { nullable: true, description: 'Where the front end goes next.' })
  redirectTo?: string | null

  @Field(() => String, { nullable: true, description: 'The authorization code; it works once.' })
  code?: string | null

  @Field(() => String, { nullable: true, description: 'As it came.' })
  state?: string | null

  @Field(() => String, { nullable: true, description: 'The issuer (RFC 9207).' })
  iss?: string | null

  @Field(() => Int, { nullable: true, description: 'Seconds for which the code is accepted.' })
  expiresIn?: number | null

  @Field(() => String, { nullable: true, description: 'The granted scopes, separated by spaces.' })
  grantedScope?: string | null

  @Field(() => LoginHint, { nullable: true, description: 'Where nobody is known: how to be.' })
  login?: LoginHint | null

  @Field(() => AuthorizationClient, {
    nullable: true,
    description: 'Where nobody is known: who asks.',
  })
  client?: AuthorizationClient | null

  @Field(() => [RequestedScope], {
    nullable: true,
    description: 'Where nobody is known: what for.',
  })
  requestedScope?: RequestedScope[] | null
}
