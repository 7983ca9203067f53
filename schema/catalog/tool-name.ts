import type { ServiceSlug } from '../vocabulary/scopes.ts'

/** The longest name of a tool that all clients of MCP take. */
export const maxToolName = 64

/** The members that every priced tool has beside those of its operation. */
export const callLimits = ['max_credits', 'idempotency_key'] as const

/** The name of an operation as a tool: `contacts_search_contacts`. */
export function toolName({ service, id }: { service: ServiceSlug; id: string }): string {
  const snakeCase = id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return `${service.replaceAll('-', '_')}_${snakeCase}`
}
