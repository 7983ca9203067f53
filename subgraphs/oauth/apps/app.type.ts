import {
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { connectionOf } from '../../shared/lists/page.type.ts'

export enum ApplicationType {
  web = 'web',
  native = 'native',
  spa = 'spa',
}

export enum TokenEndpointAuthMethod {
  client_secret_basic = 'client_secret_basic',
  client_secret_post = 'client_secret_post',
  none = 'none',
}

export enum OAuthAppStatus {
  active = 'active',
  suspended = 'suspended',
}

/** How an app came here. */
export enum AppOrigin {
  account = 'account',
  document = 'document',
  registration = 'registration',
}

registerEnumType(AppOrigin, {
  name: 'AppOrigin',
  description: 'How an app came here.',
  valuesConfig: {
    account: { description: 'An account registered it.' },
    document: { description: 'A document at the address that is its client id describes it.' },
    registration: { description: 'It registered itself (RFC 7591).' },
  },
})
registerEnumType(ApplicationType, {
  name: 'ApplicationType',
  description: 'Where an app runs: on a server, on a device, or in a browser.',
  valuesConfig: {
    web: { description: 'On a server, which can keep a secret.' },
    native: { description: 'On a device of the user.' },
    spa: { description: 'In a browser.' },
  },
})
registerEnumType(TokenEndpointAuthMethod, {
  name: 'TokenEndpointAuthMethod',
  description: 'How an app authenticates. A public app cannot keep a secret and uses none.',
  valuesConfig: {
    client_secret_basic: {
      description: 'The secret in the header Authorization: Basic (RFC 6749 §2.3.1).',
    },
    client_secret_post: { description: 'The secret in the form (RFC 6749 §2.3.1).' },
    none: { description: 'No secret: PKCE protects the exchange (RFC 7636).' },
  },
})
registerEnumType(OAuthAppStatus, {
  name: 'OAuthAppStatus',
  description: 'The state of an app. A suspended app counts as unknown.',
  valuesConfig: {
    active: { description: 'The app may be used.' },
    suspended: {
      description: 'The owner has deleted the app. It and its tokens are refused everywhere.',
    },
  },
})

@ObjectType({
  description: 'A registered OAuth app, with everything that can be read after its registration.',
})
export class OAuthApp {
  @Field(() => ID, { description: '`app_…`' })
  clientId!: string

  @Field(() => Int, { description: 'When it was registered, in Unix seconds.' })
  clientIdIssuedAt!: number

  @Field(() => String, { description: 'The name that account holders see when they are asked.' })
  clientName!: string

  @Field(() => [String], { description: 'The redirect URIs, as they were registered.' })
  redirectUris!: string[]

  @Field(() => ApplicationType, { description: 'The place where the app runs.' })
  applicationType!: ApplicationType

  @Field(() => TokenEndpointAuthMethod, { description: 'How the app authenticates.' })
  tokenEndpointAuthMethod!: TokenEndpointAuthMethod

  @Field(() => [String], { description: 'The kinds of grants that it may exchange for tokens.' })
  grantTypes!: string[]

  @Field(() => [String], { description: 'Always `code`.' })
  responseTypes!: string[]

  @Field(() => String, { description: 'The scopes that the app may ask for, separated by spaces.' })
  scope!: string

  @Field(() => Boolean, { description: 'Whether the app must use PKCE; a public app always must.' })
  requirePkce!: boolean

  @Field(() => String, { nullable: true, description: 'The URL of its logo.' })
  logoUri?: string | null

  @Field(() => String, { nullable: true, description: 'The URL of its home page.' })
  clientUri?: string | null

  @Field(() => String, { nullable: true, description: 'The URL of its privacy policy.' })
  policyUri?: string | null

  @Field(() => String, { nullable: true, description: 'The URL of its terms of service.' })
  tosUri?: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'Who registered it: a key, or `session:` and a person. Null if nobody did by hand.',
  })
  createdBy?: string | null

  @Field(() => AppOrigin, { description: 'How the app came here.' })
  origin!: AppOrigin

  @Field(() => String, {
    nullable: true,
    description: 'The address of the document that describes it.',
  })
  documentUrl?: string | null

  @Field(() => OAuthAppStatus, { description: 'The state of the app.' })
  status!: OAuthAppStatus

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'Until when the secret before the newest is accepted too; null: only the newest secret is.',
  })
  previousSecretExpiresAt?: Date | null

  @Field(() => GraphQLISODateTime, { description: 'When it was registered.' })
  createdAt!: Date
}

@ObjectType({ description: 'An app, with its new secret, which is shown only here.' })
export class RotatedOAuthApp extends OAuthApp {
  @Field(() => String, { description: 'The secret, which is shown only here.' })
  clientSecret!: string

  @Field(() => Int, { description: '0: the secret does not expire (RFC 7591).' })
  clientSecretExpiresAt!: number
}

@ObjectType({ description: 'A new app, with its secret, which is shown only here.' })
export class RegisteredOAuthApp extends OAuthApp {
  @Field(() => String, {
    nullable: true,
    description: 'The secret, which is shown only here; null for a public app, which has none.',
  })
  clientSecret!: string | null

  @Field(() => Int, { nullable: true, description: '0: the secret does not expire (RFC 7591).' })
  clientSecretExpiresAt!: number | null
}

@ObjectType({ description: 'A page of OAuth apps, newest first.' })
export class OAuthAppPage {
  @Field(() => [OAuthApp], { description: 'The apps of this page.' })
  items!: OAuthApp[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}

@ObjectType({ description: 'A page of OAuth apps, newest first.' })
export class OAuthAppConnection extends connectionOf(OAuthApp) {}

@InputType({ description: "A new app of the caller's account, in the environment of the call." })
export class RegisterOAuthAppInput {
  @Field(() => String, { description: '1 to 100 characters.' })
  clientName!: string

  @Field(() => [String], { description: '1 to 20 absolute URIs.' })
  redirectUris!: string[]

  @Field(() => ApplicationType, { description: 'The place where the app runs.' })
  applicationType!: ApplicationType

  @Field(() => TokenEndpointAuthMethod, {
    nullable: true,
    description:
      'How the app authenticates; by default none for native and spa, client_secret_basic for web.',
  })
  tokenEndpointAuthMethod?: TokenEndpointAuthMethod | null

  @Field(() => [String], {
    description: 'The grants: authorization_code, and refresh_token if the app may use it.',
  })
  grantTypes!: string[]

  @Field(() => String, {
    nullable: true,
    description: 'The scopes, separated by spaces; by default all that the calling key has.',
  })
  scope?: string | null

  @Field(() => Boolean, { description: 'Whether it must use PKCE although it has a secret.' })
  requirePkce!: boolean

  @Field(() => String, { nullable: true, description: 'Its logo: an absolute https URL.' })
  logoUri?: string | null

  @Field(() => String, { nullable: true, description: 'Its home page: an absolute https URL.' })
  clientUri?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Its privacy policy: an absolute https URL.',
  })
  policyUri?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Its terms of service: an absolute https URL.',
  })
  tosUri?: string | null
}

@InputType({ description: 'The members of an app that change. Those that are left out stay.' })
export class ChangeOAuthAppInput {
  @Field(() => String, { nullable: true, description: '1 to 100 characters.' })
  clientName?: string | null

  @Field(() => [String], { nullable: true, description: '1 to 20 absolute URIs.' })
  redirectUris?: string[] | null

  @Field(() => String, { nullable: true, description: 'All scopes, separated by spaces.' })
  scope?: string | null

  @Field(() => String, { nullable: true, description: 'Its logo; null removes it.' })
  logoUri?: string | null

  @Field(() => String, { nullable: true, description: 'Its home page; null removes it.' })
  clientUri?: string | null

  @Field(() => String, { nullable: true, description: 'Its privacy policy; null removes it.' })
  policyUri?: string | null

  @Field(() => String, { nullable: true, description: 'Its terms of service; null removes it.' })
  tosUri?: string | null
}
