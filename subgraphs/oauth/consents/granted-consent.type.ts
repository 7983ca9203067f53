import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from 'type-graphql'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { connectionOf } from '../../shared/lists/page.type.ts'
import { AppOrigin } from '../apps/app.type.ts'

export enum GrantedConsentStatus {
  active = 'active',
  revoked = 'revoked',
}

registerEnumType(GrantedConsentStatus, {
  name: 'GrantedConsentStatus',
  description: 'The state of the consent.',
  valuesConfig: {
    active: { description: 'The app may act within its scopes.' },
    revoked: { description: 'The consent was withdrawn, and its tokens are refused.' },
  },
})

@ObjectType({ description: 'The consent of an account to an app.' })
export class GrantedConsent {
  @Field(() => ID, { description: 'The app: `app_…`' })
  clientId!: string

  @Field(() => String, { description: 'The name that the app gives itself.' })
  clientName!: string

  @Field(() => AppOrigin, {
    nullable: true,
    description: 'How the app came here, if nobody registered it by hand: nobody has verified it.',
  })
  origin!: AppOrigin | null

  @Field(() => String, {
    nullable: true,
    description: 'The host of the document that describes the app: all that is known of the app.',
  })
  documentHost!: string | null

  @Field(() => String, { description: 'The granted scopes, separated by spaces.' })
  scope!: string

  @Field(() => GrantedConsentStatus, { description: 'The state of the consent.' })
  status!: GrantedConsentStatus

  @Field(() => GraphQLISODateTime, { description: 'When the consent was last given.' })
  grantedAt!: Date

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the consent was withdrawn.',
  })
  revokedAt!: Date | null

  /** The account of the consent; its budgets are read by it. */
  owner!: AccountScope
}

@ObjectType({ description: 'A page of consents, newest first.' })
export class GrantedConsentPage {
  @Field(() => [GrantedConsent], { description: 'The consents of this page.' })
  items!: GrantedConsent[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}

@ObjectType({ description: 'A page of consents, newest first.' })
export class GrantedConsentConnection extends connectionOf(GrantedConsent) {}
