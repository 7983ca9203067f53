import type { Role } from '../api.ts'
import { useOperator } from '../session/session.tsx'

const order: readonly Role[] = ['readonly', 'support', 'admin']

/** The least role for each act of the page; docs/internal-tools.md has the same table. */
export const leastRoles = {
  seeBudgets: 'support',
  seeUnmatched: 'support',
  seeDrifts: 'support',
  seeDeadJobs: 'support',
  linkForViewer: 'support',
  endSessions: 'support',
  linkForAnyRole: 'admin',
  grant: 'admin',
  adjust: 'admin',
  refundCharge: 'admin',
  refundPayment: 'admin',
  setTier: 'admin',
  suspend: 'admin',
  resume: 'admin',
  close: 'admin',
  liftBlock: 'admin',
  revokeKey: 'admin',
  retryJob: 'admin',
} satisfies Record<string, Role>

export type Permission = keyof typeof leastRoles

/** Whether the operator's role may do it. What it may not do is not offered. */
export function useMay(): (permission: Permission) => boolean {
  const { role } = useOperator()
  return (permission) => order.indexOf(role) >= order.indexOf(leastRoles[permission])
}
