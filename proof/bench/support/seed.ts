import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import type { InternalCaller } from '../../../schema/credentials/caller.ts'
import type { SubscriptionTier, Tier } from '../../../schema/generated/operations.ts'

export interface SeededAccount {
  readonly id: string
  readonly liveKey: string
}

interface SeedOptions {
  readonly count: number
  readonly tier: Tier
  readonly subscriptionTier: SubscriptionTier | null
  /** The credits of each account; more than a bench can spend, unless told. */
  readonly credits?: number
}

const manyCredits = 1_000_000_000
const atOnce = 8

const admin: InternalCaller = {
  kind: 'internal',
  role: 'admin',
  environment: 'live',
  requestId: '',
  traceId: '',
  address: null,
  tokenId: 'cli',
}

/** Accounts, each with a live key of every scope and credits. */
export async function seedAccounts(
  execute: Execute,
  { count, tier, subscriptionTier, credits = manyCredits }: SeedOptions,
): Promise<SeededAccount[]> {
  const accounts: SeededAccount[] = []
  let started = 0
  async function keepCreating(): Promise<void> {
    while (started < count) {
      started += 1
      const input = { name: 'Bench', email: 'b@x.test', tier, subscriptionTier, credits }
      const { account, liveKey } = await execute('CreateAccount', { input }, admin)
      accounts.push({ id: account.id, liveKey: liveKey ?? '' })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, keepCreating))
  return accounts
}
