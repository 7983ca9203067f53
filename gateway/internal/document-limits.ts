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

/** The parser refuses more tokens before it builds a document. */
export const maxTokens = 1000

/**
 * The most selections of a document. Fragments count wherever they are spread, even if a variable
 * leaves them out.
 */
export const maxSelections = 1000

const maxRootFields = 10

const reported = {
  // Report the error like any other error of the document, instead of throwing it.
  propagateOnRejection: false,
  onReject: [
    (context: ValidationContext | null, error: GraphQLError) => context?.reportError(error),
  ],
}

/**
 * Limits of a document of an internal tool, independent of its variables; `rowsOf` limits its cost.
 * Introspection does not count as depth, because graphql-js limits it itself.
 */
export const documentLimits: readonly ValidationRule[] = [
  maxDepthRule({ ...reported, n: 10 }),
  maxAliasesRule({ ...reported, n: 15 }),
  maxDirectivesRule({ ...reported, n: 50 }),
  limitRootFields,
]

/** The root fields of a query run at the same time, and each of them is work. */
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

/** Counts each fragment once: a second spread adds no fields. */
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
