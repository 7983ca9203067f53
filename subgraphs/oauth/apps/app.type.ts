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
  description: 'How an app proves who it is; a public one, which can keep no secret, by none.',
  valuesConfig: {
    client_secret_basic: {
      description: 'The secret in the header Authorization: Basic (RFC 6749 §2.3.1).',
    },
    client_secret_post: { description: 'The secret in the form (RFC 6749 §2.3.1).' },
    none: { description: 'No secret: PKCE proves who asks (RFC 7636).' },
  },
})
registerEnumType(OAuthAppStatus, {
  name: 'OAuthAppStatus',
  description: 'A suspended app is as good as unknown.',
  valuesConfig: {
    active: { description: 'May be used.' },
    suspended: { description: 'Deleted by its owner: refused everywhere, and its tokens with it.' },
  },
})

@ObjectType({ description: 'A registered OAuth app: all of it that may be read again.' })
export class OAuthApp {
  @Field(() => ID, { description: '`app_…`' })
  clientId!: string

  @Field(() => Int, { description: 'When it was registered, in Unix seconds.' })
  clientIdIssuedAt!: number

  @Field(() => String, { description: 'The name that account holders see when they are asked.' })
  clientName!: string

  @Field(() => [String], { description: 'Where codes may be sent, as they were written.' })
  redirectUris!: string[]

  @Field(() => ApplicationType, { description: 'Where it runs.' })
  applicationType!: ApplicationType

  @Field(() => TokenEndpointAuthMethod, { description: 'How it proves who it is.' })
  tokenEndpointAuthMethod!: TokenEndpointAuthMethod

  @Field(() => [String], { description: 'The kinds of grants that it may exchange for tokens.' })
  grantTypes!: string[]

  @Field(() => [String], { description: 'Only code.' })
  responseTypes!: string[]

  @Field(() => String, { description: 'The scopes that it may ask for, separated by spaces.' })
  scope!: string

  @Field(() => Boolean, { description: 'Whether it must use PKCE; a public app always must.' })
  requirePkce!: boolean

  @Field(() => String, { nullable: true, description: 'Its logo.' })
  logoUri?: string | null

  @Field(() => String, { nullable: true, description: 'Its home page.' })
  clientUri?: string | null

  @Field(() => String, { nullable: true, description: 'Its privacy policy.' })
  policyUri?: string | null

  @Field(() => String, { nullable: true, description: 'Its terms of service.' })
  tosUri?: string | null

  @Field(() => OAuthAppStatus, { description: 'Whether it may do anything.' })
  status!: OAuthAppStatus

  @Field(() => GraphQLISODateTime, { description: 'When it was registered.' })
  createdAt!: Date
}

@ObjectType({ description: 'A new app, and the only sight of its secret.' })
export class RegisteredOAuthApp extends OAuthApp {
  @Field(() => String, { nullable: true, description: 'Shown this once; a public app has none.' })
  clientSecret!: string | null

  @Field(() => Int, { nullable: true, description: '0: the secret does not expire (RFC 7591).' })
  clientSecretExpiresAt!: number | null
}

@ObjectType({ description: 'A page of OAuth apps, newest first.' })
export class OAuthAppPage {
  @Field(() => [OAuthApp], { description: 'The apps of this page.' })
  items!: OAuthApp[]

  @Field(() => String, { nullable: true, description: 'Null at the end.' })
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

  @Field(() => ApplicationType, { description: 'Where it runs.' })
  applicationType!: ApplicationType

  @Field(() => TokenEndpointAuthMethod, {
    nullable: true,
    description: 'Left out: none for native and spa, client_secret_basic for web.',
  })
  tokenEndpointAuthMethod?: TokenEndpointAuthMethod | null

  @Field(() => [String], { description: 'authorization_code, and refresh_token if it may.' })
  grantTypes!: string[]

  @Field(() => String, {
    nullable: true,
    description: 'Separated by spaces; left out, all that the calling key covers.',
  })
  scope?: string | null

  @Field(() => Boolean, { description: 'Whether it must use PKCE although it has a secret.' })
  requirePkce!: boolean

  @Field(() => String, { nullable: true, description: 'Its logo: an absolute https URL.' })
  logoUri?: string | null

  @Field(() => String, { nullable: true, description: 'Its home page: an absolute https URL.' })
  clientUri?: string | null

  @Field(() => String, { nullable: true, description: 'Its privacy policy: likewise.' })
  policyUri?: string | null

  @Field(() => String, { nullable: true, description: 'Its terms of service: likewise.' })
  tosUri?: string | null
}
