import { z } from 'zod'
import { type OperatorRoles, readOperatorRoles } from '../../operator/oidc/operator-roles.ts'

export const operatorRoles = z.string().transform((text, context): OperatorRoles => {
  const read = readOperatorRoles(text)
  if (typeof read !== 'string') return read
  context.addIssue({ code: 'custom', message: read })
  return z.NEVER
})
