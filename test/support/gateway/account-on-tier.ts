import type { TestAccount, TestGateway } from './gateway.ts'

/** An account with 1000 credits and exactly these tiers; null: no subscription. */
export async function createAccountOnTier(
  gateway: TestGateway,
  tier: string,
  subscriptionTier: string | null = null,
): Promise<TestAccount> {
  const input = { name: 'Test', email: 'test@example.com', tier, subscriptionTier, credits: 1000 }
  const { createAccount } = Object(
    await gateway.graphql(
      `mutation ($input: CreateAccountInput!) {
        createAccount(input: $input) { accountId liveKey sandboxKey }
      }`,
      { input },
    ),
  )
  const { accountId, liveKey, sandboxKey } = createAccount
  return { id: accountId, liveKey, sandboxKey }
}
