import type { GraphContext } from '../../shared/graph/context.ts'

/** Whether the grants of the account count at present (docs/oauth-rules.md 73). */
export async function isAccountActive(
  { findAccount }: GraphContext,
  accountId: string,
): Promise<boolean> {
  return (await findAccount?.(accountId))?.isActive ?? false
}
