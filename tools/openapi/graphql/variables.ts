import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { inRestWords } from './rest-words.ts'

/**
 * The description of each variable: that of the argument, or of the input member, which it fills
 * alone.
 */
export function variableDescriptions(
  document: DocumentNode,
  schema: GraphQLSchema,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const typeInfo = new TypeInfo(schema)

  function note(name: string, description: string | null | undefined): void {
    if (description) found.set(name, inRestWords(description))
  }

  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Argument({ value }) {
        if (value.kind !== Kind.VARIABLE) return
        note(value.name.value, typeInfo.getArgument()?.description)
      },
      ObjectField({ name, value }) {
        if (value.kind !== Kind.VARIABLE) return
        const parent = getNamedType(typeInfo.getParentInputType())
        if (!isInputObjectType(parent)) return
        note(value.name.value, parent.getFields()[name.value]?.description)
      },
    }),
  )
  return found
}
