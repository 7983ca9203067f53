import { ArgsType, Field } from 'type-graphql'
import { ConnectionArgs } from '../../shared/lists/page.type.ts'
import { Tier } from '../prices/tiers.ts'
import { AccountFilter, AccountOrder } from './account.type.ts'

/** The accounts that an internal tool asks for. */
@ArgsType()
export class AccountsArgs extends ConnectionArgs {
  @Field(() => String, {
    nullable: true,
    description: 'A part of the name or email, or an id.',
  })
  search?: string | null

  @Field(() => [AccountFilter], {
    nullable: true,
    description: 'Only accounts that all of these let through.',
  })
  filters?: AccountFilter[] | null

  @Field(() => Tier, { nullable: true, description: 'Only accounts of this credit-pack tier.' })
  tier?: Tier | null

  @Field(() => AccountOrder, {
    defaultValue: AccountOrder.NEWEST,
    description: 'The order. One by balances needs a filter or a tier.',
  })
  order!: AccountOrder
}
