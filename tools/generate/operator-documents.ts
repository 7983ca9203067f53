import { type DocumentNode, Kind, OperationTypeNode } from 'graphql'
import type { InternalRole } from '../../schema/credentials/caller.ts'
import { operatorActs } from '../../schema/vocabulary/operators.ts'

/** A document that the operators' page may have run. */
export interface OperatorDocument {
  readonly document: string
  /** Whether it changes something. */
  readonly isAct: boolean
  /** The least role of an act that needs a fresh proof; null: it needs none. */
  readonly provenRole: InternalRole | null
}

/** What the gateway must know of a document of schema/operator, or what is wrong with it. */
export function operatorDocument(
  { definitions }: DocumentNode,
  name: string,
): Omit<OperatorDocument, 'document'> | string {
  const [operation, ...others] = definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0) {
    return 'must hold exactly one operation'
  }
  if (operation.name?.value !== name) return `must name its operation ${name}`
  if (operation.operation === OperationTypeNode.QUERY) return { isAct: false, provenRole: null }
  if (operation.operation !== OperationTypeNode.MUTATION) return 'must be a query or a mutation'
  const [field, ...more] = operation.selectionSet.selections
  if (field?.kind !== Kind.FIELD || more.length > 0) return 'must have one root field: one act'
  const act = operatorActs.get(field.name.value)
  if (!act) {
    return `${field.name.value} is no act of operators: name it in schema/vocabulary/operators.ts`
  }
  return { isAct: true, provenRole: act.provenRole }
}
