import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth'
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives'
import {
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql'

/** Refused by the parser, before anything is built of them. */
export const maxTokens = 1000

/** With every fragment counted wherever it is spread, also where a variable leaves it out. */
export const maxSelections = 1000

const maxRootFields = 10

const reported = {
  // Reported like any other error of the document, not thrown.
  propagateOnRejection: false,
  onReject: [
    (context: ValidationContext | null, error: GraphQLError) => context?.reportError(error),
  ],
}

/**
 * What a document of an internal tool may be at most, whatever its variables; what it may cost is
 * `rowsOf`. Introspection is not counted as depth: graphql-js limits that by itself.
 */
export const documentLimits: readonly ValidationRule[] = [
  maxDepthRule({ ...reported, n: 10 }),
  maxAliasesRule({ ...reported, n: 15 }),
  maxDirectivesRule({ ...reported, n: 50 }),
  limitRootFields,
]

/** Root fields of a query run at the same time, and each is work of its own. */
function limitRootFields(context: ValidationContext) {
  return {
    OperationDefinition({ selectionSet }: { readonly selectionSet: SelectionSetNode }): void {
      const count = countFields(context, selectionSet, new Set())
      if (count <= maxRootFields) return
      const message = `Root fields limit of ${maxRootFields} exceeded, found ${count}.`
      context.reportError(new GraphQLError(message))
    },
  }
}

/** Each fragment once: what is spread twice is the same fields. */
function countFields(
  context: ValidationContext,
  { selections }: SelectionSetNode,
  seen: Set<string>,
): number {
  let count = 0
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) count += 1
    else if (selection.kind === Kind.INLINE_FRAGMENT) {
      count += countFields(context, selection.selectionSet, seen)
    } else if (!seen.has(selection.name.value)) {
      seen.add(selection.name.value)
      const fragment = context.getFragment(selection.name.value)
      if (fragment) count += countFields(context, fragment.selectionSet, seen)
    }
  }
  return count
}
