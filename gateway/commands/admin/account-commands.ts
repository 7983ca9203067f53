import { z } from 'zod'
import { ApiError } from '../../../rest-facade/http/errors.ts'
import type { Config } from '../../config/config.ts'
import { execute, type Output, print } from './ask-database.ts'

interface CreateAccountOptions extends Output {
  readonly name: string
  readonly email: string
  readonly tier: string
  readonly subscriptionTier?: string
  readonly credits: number
}

const createdAccount = z.object({
  account: z.object({ id: z.string() }),
  liveKey: z.string(),
  sandboxKey: z.string(),
})

export async function createAccount(
  config: Config,
  { json, name, email, tier, subscriptionTier, credits }: CreateAccountOptions,
): Promise<void> {
  const input = { name, email, tier, subscriptionTier, credits }
  const created = createdAccount.parse(await execute(config, 'CreateAccount', { input }))
  const { account, liveKey, sandboxKey } = created
  print({ account_id: account.id, live_key: liveKey, sandbox_key: sandboxKey }, { json })
}

const accountPage = z.object({
  nodes: z.array(
    z.looseObject({ id: z.string(), name: z.string(), tier: z.string(), balance: z.number() }),
  ),
})

export async function listAccounts(
  config: Config,
  { json, search, limit }: Output & { search?: string; limit: number },
): Promise<void> {
  const { nodes } = accountPage.parse(
    await execute(config, 'ListAccounts', { first: limit, search }),
  )
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
