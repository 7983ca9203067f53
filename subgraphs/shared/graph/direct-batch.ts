import { type DocumentNode, Kind, OperationTypeNode, type SelectionNode } from 'graphql'
import { getMetadataStorage } from 'type-graphql'
import { type Access, requireAccess } from './authorization.ts'
import type { GraphContext } from './context.ts'

/** Calls the method of a field with variables that are values of its types already. */
export type CallDirectly = (
  variables: Readonly<Record<string, unknown>>,
  context: GraphContext,
) => unknown

const mark = Symbol('DirectBatch')

/**
 * Marks a mutation that takes a batch in columns: when its own process calls it, the method gets the variables
 * as they are and returns its answer as it is. Access is checked. Everybody else's variables are coerced and
 * everybody else's answers completed, as for any field.
 */
export function DirectBatch(): MethodDecorator {
  return (target, methodName) => Reflect.defineMetadata(mark, true, target, methodName)
}

const known = new WeakMap<DocumentNode, CallDirectly | null>()

/**
 * Finds how a document can be called directly. Null unless the document is one marked mutation, with a
 * variable for each argument and plain members as its answer: only then variables and members are what the
 * method takes and returns.
 */
export function directBatchOf(document: DocumentNode): CallDirectly | null {
  const made = known.get(document)
  if (made !== undefined) return made
  const direct = makeDirect(document)
  known.set(document, direct)
  return direct
}

function makeDirect({ definitions }: DocumentNode): CallDirectly | null {
  const [operation, ...otherDefinitions] = definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION || otherDefinitions.length > 0) return null
  const [asked, ...otherFields] = operation.selectionSet.selections
  if (asked?.kind !== Kind.FIELD || otherFields.length > 0) return null
  if (operation.operation !== OperationTypeNode.MUTATION || asked.alias?.value !== 'result')
    return null
  const field = getMetadataStorage().mutations.find(
    ({ schemaName }) => schemaName === asked.name.value,
  )
  if (!field || !Reflect.hasMetadata(mark, field.target.prototype, field.methodName)) return null
  const roles: readonly Access[] = field.roles ?? []
  // Without roles nobody has access, or type-graphql has not read them yet.
  if (roles.length === 0 || (field.middlewares?.length ?? 0) > 0) return null
  if (!(asked.selectionSet?.selections.every(isPlain) ?? true)) return null
  const variableOf = new Map(
    asked.arguments?.map(({ name, value }) => [
      name.value,
      value.kind === Kind.VARIABLE ? value.name.value : undefined,
    ]),
  )
  const names: (string | null)[] = []
  for (const parameter of (field.params ?? []).toSorted((a, b) => a.index - b.index)) {
    const name = parameter.kind === 'arg' ? variableOf.get(parameter.name) : null
    if (name === undefined) return null
    names.push(name)
  }
  const resolver = Reflect.construct(field.target, [])
  return (variables, context) => {
    requireAccess(context, roles)
    return resolver[field.methodName](
      ...names.map((name) => (name === null ? context : variables[name])),
    )
  }
}

/** Whether the answer has the member as the method returns it. */
function isPlain(selected: SelectionNode): boolean {
  if (selected.kind !== Kind.FIELD || selected.alias || selected.selectionSet) return false
  return !selected.arguments?.length && !selected.directives?.length
}
