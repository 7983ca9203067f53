import {
  coerceInputValue,
  type FieldNode,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLField,
  getArgumentValues,
  Kind,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'
import { cut } from '../../schema/vocabulary/field-problems.ts'

/**
 * The most errors in an answer: enough to find the mistake. Each takes time, and a list can have
 * thousands.
 */
export const maxErrors = 10
/** The longest message, which may quote what the client sent. */
const maxMessage = 300

export type AnyField = GraphQLField<unknown, unknown>

type Variables = Readonly<Record<string, unknown>>

interface FoundArgument {
  readonly value?: unknown
  readonly errors: readonly GraphQLError[]
}

/** The value of an argument, or what is wrong with it. */
export function argumentOf(
  field: AnyField,
  arg: GraphQLArgument,
  node: FieldNode,
  variables: Variables,
): FoundArgument {
  try {
    return {
      value: getArgumentValues({ ...field, args: [arg] }, node, variables)[arg.name],
      errors: [],
    }
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    const given = node.arguments?.find(({ name }) => name.value === arg.name)
    const reasons = given ? reasonsOf(given.value, arg, variables) : []
    if (reasons.length === 0) return { errors: [error] }
    return { errors: reasons.map((reason) => new GraphQLError(reason, { nodes: error.nodes })) }
  }
}

/** What is wrong in a literal, with the names of its members. */
function reasonsOf(
  literal: ValueNode,
  { name, type }: GraphQLArgument,
  variables: Variables,
): string[] {
  if (literal.kind === Kind.VARIABLE) return []
  const reasons: string[] = []
  coerceInputValue(valueFromASTUntyped(literal, variables), type, (path, _, { message }) => {
    if (reasons.length >= maxErrors) return
    reasons.push(`Argument "${[name, ...path].join('.')}": ${shortened(message)}`)
  })
  return reasons
}

/**
 * The message without a suggestion, which would let a caller guess the schema without the right to read it.
 */
export function shortened(message: string): string {
  const plain = message.replace(/ ?Did you mean .+\?$/s, '')
  return plain.length > maxMessage ? `${cut(plain, maxMessage)}…` : plain
}
