import { Arg, Authorized, Ctx, Mutation, Resolver } from 'type-graphql'
import { invitationUrl } from '../../../schema/credentials/invitation-token.ts'
import { actOf } from '../../shared/changes/act.ts'
import { makeChange, recordRefusal } from '../../shared/changes/change.ts'
import { getAccount } from '../accounts/account.service.ts'
import { Account } from '../accounts/account.type.ts'
import { changeAccount } from '../accounts/changed-account.service.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { CreateAccountInput, CreateAccountPayload, UpdateAccountInput } from './account.input.ts'
import {
  createAccount,
  type OpenedAccount,
  updateAccount,
} from './account-administration.service.ts'

@Resolver()
export class AccountAdministrationResolver {
  @Authorized('admin')
  @Mutation(() => CreateAccountPayload, {
    description: 'Opens an account, in both environments, with its first credits.',
  })
  async createAccount(
    @Arg('input', () => CreateAccountInput, { description: 'The new account.' })
    input: CreateAccountInput,
    @Ctx() context: AccountContext,
  ): Promise<CreateAccountPayload> {
    const { baseUrls, gatewaySecret, sendsMails = false } = context
    const opened = await makeChange(
      context,
      {
        owner: null,
        action: 'account.create',
        note: ({ id }: OpenedAccount) => ({
          owner: { accountId: id, environment: 'live' },
          resourceId: id,
        }),
      },
      (tx) => createAccount(tx, input, context.billing, !sendsMails),
    )
    const { id: accountId, invitationId } = opened
    // A mail brings the link; without mails, whoever creates the account does.
    const isShown = invitationId !== null && !sendsMails
    const ownerLink = isShown ? invitationUrl(baseUrls.live, gatewaySecret, invitationId) : null
    return { accountId, account: await getAccount(context, accountId), ownerLink }
  }

  @Authorized('admin')
  @Mutation(() => Account, {
    description: 'Changes the tier, the subscription tier or the status of an account.',
  })
  async updateAccount(
    @Arg('input', () => UpdateAccountInput, { description: 'The changes.' })
    input: UpdateAccountInput,
    @Ctx() context: AccountContext,
  ): Promise<Account> {
    const { id, reason, idempotencyKey, ...wanted } = input
    const change = {
      owner: { accountId: id, environment: 'live' },
      ...{ action: 'account.update', resourceId: id, request: { ...wanted, reason } },
    } as const
    const { once, why } = await recordRefusal(context, change, async () =>
      actOf(context.caller, { reason, idempotencyKey }),
    )
    return changeAccount(context, { ...change, once }, { ...wanted, ...why }, async (tx) => {
      await updateAccount(tx, input, context.billing.period)
      return {}
    })
  }
}
