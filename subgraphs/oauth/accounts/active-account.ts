import type { GraphContext } from '../../shared/graph/context.ts'

/** Whether what the account has granted still counts (docs/oauth-rules.md 73). */
export async function isAccountActive(
  { findAccount }: GraphContext,
  accountId: string,
): Promise<boolean> {
  return (await findAccount?.(accountId))?.isActive ?? false
}
