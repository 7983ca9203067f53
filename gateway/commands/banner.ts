import type { Gateway } from '../processes/all-in-one.ts'
import type { SeededDemo } from '../trial/demo/demo.ts'
import { demoLines } from '../trial/demo/demo-lines.ts'

/**
 * The text that a person sees after the start: the addresses, and a command that works as it is.
 */
export function banner(
  gateway: Pick<Gateway, 'baseUrl' | 'sandboxUrl' | 'internalUrl' | 'operatorUrl'>,
  seeded: SeededDemo | null,
): string {
  const { baseUrl, sandboxUrl, internalUrl, operatorUrl } = gateway
  const lines = [
    '',
    `  Credit gateway   ${baseUrl}/v1`,
    `  Sandbox          ${sandboxUrl}/v1`,
    `  Internal GraphQL ${internalUrl}/graphql`,
    ...(operatorUrl === null ? [] : [`  Operators        ${operatorUrl}/operator`]),
    `  Documentation    ${baseUrl}/docs`,
    '',
  ]
  if (seeded) lines.push(...demoLines(baseUrl, seeded), '')
  return `${lines.join('\n')}\n`
}
