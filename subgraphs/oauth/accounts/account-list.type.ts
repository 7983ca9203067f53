import { ArgsType, Field } from 'type-graphql'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { EnvironmentName } from '../../shared/graph/environment.type.ts'
import { ConnectionArgs } from '../../shared/lists/page.type.ts'
import type { Account } from './account.type.ts'

@ArgsType()
export class AccountListArgs extends ConnectionArgs {
  @Field(() => EnvironmentName, {
    nullable: true,
    description: 'Whether live state or sandbox state is shown; live by default.',
  })
  environment?: EnvironmentName | null
}

/** Internal tools see any account in both environments; without an argument they see the live one. */
export function ownerOf({ id }: Account, { environment }: AccountListArgs): AccountScope {
  return { accountId: id, environment: environment ?? EnvironmentName.LIVE }
}
