import { ApiError } from '../../../rest-facade/http/errors.ts'
import type { SubscriptionTier, Tier } from '../../../schema/generated/operations.ts'
import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import type { Config } from '../../config/config.ts'
import { execute, type Output, print } from './ask-database.ts'
import { requireKnownPort } from './portal-command.ts'

interface CreateAccountOptions extends Output {
  readonly name: string
  readonly email: string
  readonly tier: Tier
  readonly subscriptionTier?: SubscriptionTier
  readonly credits: number
  readonly owner?: string
}

export async function createAccount(
  config: Config,
  { json, name, email, tier, subscriptionTier, credits, owner }: CreateAccountOptions,
): Promise<void> {
  const input = { name, email, tier, subscriptionTier, credits, ownerEmail: owner }
  const created = await execute(config, 'CreateAccount', { input })
  const { account, liveKey, sandboxKey, ownerLink } = created
  const keys = { live_key: liveKey, sandbox_key: sandboxKey }
  print({ account_id: account.id, ...keys, ...(ownerLink && { owner_link: ownerLink }) }, { json })
}

interface InviteOptions extends Output {
  readonly role: PersonRole
}

/** Invites a person to an account. Without mails, the link is printed. */
export async function inviteToAccount(
  config: Config,
  accountId: string,
  email: string,
  { json, role }: InviteOptions,
): Promise<void> {
  await requireKnownPort(config, 'live')
  print(await execute(config, 'InviteToAccount', { input: { accountId, email, role } }), { json })
}

export async function listAccounts(
  config: Config,
  { json, search, limit }: Output & { search?: string; limit: number },
): Promise<void> {
  const { nodes } = await execute(config, 'ListAccounts', { first: limit, search })
  if (json) return print(nodes, { json })
  for (const { id, name, tier, balance } of nodes) {
    print({ [id]: `${name}, ${tier}, ${balance} credits` }, {})
  }
}

export async function showAccount(config: Config, id: string, output: Output): Promise<void> {
  const account = await execute(config, 'ShowAccount', { id })
  if (!account) throw new ApiError('NOT_FOUND', 'No account has this id.')
  print(account, output)
}
