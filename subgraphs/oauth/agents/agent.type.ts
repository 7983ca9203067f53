import { createUnionType, Field, InputType, ObjectType } from 'type-graphql'
import { OAuthApp } from '../apps/app.type.ts'
import { OAuthErrorType } from '../tokens/token.type.ts'

@ObjectType({ description: 'What an account permits agents.' })
export class AgentSettings {
  @Field(() => Boolean, {
    description:
      'Whether apps that nobody has verified may ask for approval. Those that were approved before may either way.',
  })
  allowUnverifiedApps!: boolean
}

@InputType({ description: 'An app as it describes itself (RFC 7591 §2).' })
export class SelfRegistrationInput {
  @Field(() => String, { nullable: true, description: 'Its name: 1 to 100 characters.' })
  clientName?: string | null

  @Field(() => [String], { nullable: true, description: 'Its redirect URIs: 1 to 20.' })
  redirectUris?: string[] | null

  @Field(() => [String], { nullable: true, description: 'The grants that it uses.' })
  grantTypes?: string[] | null

  @Field(() => [String], { nullable: true, description: '`code`, among others or alone.' })
  responseTypes?: string[] | null

  @Field(() => String, { nullable: true, description: 'The scopes, separated by spaces.' })
  scope?: string | null
}

export const SelfRegistration = createUnionType({
  name: 'SelfRegistration',
  description: 'The app, or the error of RFC 7591.',
  types: () => [OAuthApp, OAuthErrorType],
})

@ObjectType({ description: 'Describes the tools of agents to their clients (RFC 9728 §2).' })
export class ProtectedResource {
  @Field(() => String, { description: '`{base_url}/mcp`' })
  resource!: string

  @Field(() => [String], { description: 'The issuer of its tokens.' })
  authorizationServers!: string[]

  @Field(() => [String], { description: 'The scopes that its tools need.' })
  scopesSupported!: string[]

  @Field(() => [String], { description: 'Only `header` (RFC 6750 §2.1).' })
  bearerMethodsSupported!: string[]

  @Field(() => String, { description: 'Its name for people.' })
  resourceName!: string

  @Field(() => String, { description: 'The address of the guide for agents.' })
  resourceDocumentation!: string
}
