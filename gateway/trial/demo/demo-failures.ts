import type { Operation } from '../../../schema/catalog/operation.ts'
import {
  detailsText,
  type LoggedDetails,
  type LoggedField,
} from '../../../schema/vocabulary/logged-details.ts'
import type { DemoCall, Random } from './demo-calls.ts'

/** What the log keeps of a failure of this operation, as the gateway would write it; null: nothing. */
export function failureDetails(
  { errorCode }: DemoCall,
  operation: Operation,
  limitCredits: number | null,
  random: Random,
): string | null {
  const details: Partial<Record<string, Partial<LoggedDetails>>> = {
    INVALID_REQUEST: { fields: wrongFields(operation, random) },
    FORBIDDEN: { scope: operation.scope },
    NOT_FOUND: { layer: 'module' },
    BUDGET_EXCEEDED: { layer: 'external_id', limit: limitCredits },
  }
  return detailsText(details[errorCode ?? ''])
}

/** Rules that people break by asking for too much. */
const bounds = ['maximum', 'maxItems'] as const

/** A field of the body that breaks one of its rules: one with too much in it, or one that is missing. */
function wrongFields({ request }: Operation, random: Random): LoggedField[] {
  const { properties, required } = Object(request.schemas.body)
  const exceeded = Object.entries(Object(properties)).flatMap(([name, schema]) =>
    bounds.filter((rule) => Object.hasOwn(Object(schema), rule)).map((rule) => ({ name, rule })),
  )
  const missing = [...(required ?? [])].map((name: string) => ({ name, rule: 'required' }))
  const found = [...exceeded, ...missing]
  return found.slice(Math.floor(random() * found.length)).slice(0, 1)
}
