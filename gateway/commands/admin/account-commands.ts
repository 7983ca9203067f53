import { ApiError } from '../../../rest-facade/http/errors.ts'
import type {
  SubscriptionTier,
  Tier,
  UpdateAccountInput,
} from '../../../schema/generated/operations.ts'
import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import type { Config } from '../../config/config.ts'
import { type Act, execute, type Output, print, toldOf, withGraph } from './ask-database.ts'
import { requireKnownPort } from './portal-command.ts'

interface CreateAccountOptions extends Output, Pick<Act, 'by'> {
  readonly name: string
  readonly email: string
  readonly tier: Tier
  readonly subscriptionTier?: SubscriptionTier
  readonly credits: number
  readonly owner?: string
}

export async function createAccount(
  config: Config,
  { json, by, name, email, tier, subscriptionTier, credits, owner }: CreateAccountOptions,
): Promise<void> {
  const input = { name, email, tier, subscriptionTier, credits, ownerEmail: owner }
  const created = await execute(config, 'CreateAccount', { input }, by)
  const { account, liveKey, sandboxKey, ownerLink } = created
  const keys = { live_key: liveKey, sandbox_key: sandboxKey }
  print({ account_id: account.id, ...keys, ...(ownerLink && { owner_link: ownerLink }) }, { json })
}

interface InviteOptions extends Act {
  readonly role: PersonRole
}

/** Invites a person to an account. Without mails, the link is printed. */
export async function inviteToAccount(
  config: Config,
  accountId: string,
  email: string,
  { json, role, ...act }: InviteOptions,
): Promise<void> {
  await requireKnownPort(config, 'live')
  const input = { accountId, email, role, ...toldOf(act) }
  print(await execute(config, 'InviteToAccount', { input }, act.by), { json })
}

/**
 * Finds accounts by exactly what an operator knows of one: its id, the mail address of its holder or of a member, a key
 * as lists show it, or an external id.
 */
export async function findAccounts(config: Config, text: string, { json }: Output): Promise<void> {
  const found = await withGraph(config, async (ask) => {
    const lists = text.includes('@')
      ? [
          await ask('FindAccountsOfHolder', { email: text }),
          await ask('FindAccountsOfMember', { email: text }),
        ]
      : [
          [{ id: text }],
          await ask('FindAccountsOfKeyPrefix', { prefix: text }),
          await ask('FindAccountsOfExternalId', { externalId: text }),
        ]
    const ids = new Set(lists.flat().map(({ id }) => id))
    const accounts: object[] = []
    for (const id of ids) {
      const account = await ask('ShowAccount', { id })
      if (!account) continue
      const { name, email, status, tier, balance } = account
      accounts.push({ id, name, email, status, tier, balance })
    }
    return accounts
  })
  if (json) return print(found, { json })
  for (const account of found) print(account, {})
  print({ accounts: found.length }, {})
}

type Change = Pick<UpdateAccountInput, 'status' | 'tier'>

/** Changes an account for a reason, and prints its state before and after. */
export async function changeAccount(
  config: Config,
  id: string,
  change: Change,
  { json, ...act }: Act,
): Promise<void> {
  const input = { id, ...change, ...toldOf(act) }
  const { before, status, tier } = await execute(config, 'UpdateAccount', { input }, act.by)
  print({ id, status, tier, before }, { json })
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

/** Begins the reset of all passkeys of a person, who has lost them. */
export async function resetPasskeys(
  config: Config,
  email: string,
  { json, ...act }: Act,
): Promise<void> {
  const input = { email, ...toldOf(act) }
  print(await execute(config, 'ResetPasskeys', { input }, act.by), { json })
}
