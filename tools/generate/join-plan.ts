import type {
  FetchNode,
  FlattenNodePathSegment,
  PlanNode,
  QueryPlanner,
  RequiresSelection,
} from '@graphql-hive/router-query-planner'
import {
  type DocumentNode,
  type GraphQLSchema,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql'
import type { Completion, JoinPlan } from '../../rest-facade/graph/joined-operation.ts'

type SubgraphRequest = JoinPlan[number][number]

/**
 * Plans an operation that joins subgraphs. Throws for a plan that `joinedOperation` cannot run: then
 * the operation has to be written in another way.
 */
export function joinPlan(planner: QueryPlanner, document: string, api: GraphQLSchema): JoinPlan {
  refuseUnreadable(parse(document))
  const { node } = planner.plan(document, null, new Set(), 0)
  if (!node) throw new Error('The operation has no plan.')
  const stages = node.kind === 'Sequence' ? node.nodes : [node]
  return stages.map((stage) =>
    (stage.kind === 'Parallel' ? stage.nodes : [stage]).map((one) => requestOf(one, api)),
  )
}

/** The answer is selected by names only. */
function refuseUnreadable({ definitions }: DocumentNode): void {
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const hasDefault = definition.variableDefinitions?.some(({ defaultValue }) => defaultValue)
    if (hasDefault) throw new Error('A join takes no default of a variable.')
    refuseAllButFields(definition.selectionSet)
  }
}

function refuseAllButFields({ selections }: SelectionSetNode): void {
  for (const selection of selections) {
    if (selection.kind !== Kind.FIELD || selection.directives?.length) {
      throw new Error('A join selects fields only, without directives.')
    }
    if (selection.selectionSet) refuseAllButFields(selection.selectionSet)
  }
}

function requestOf(node: PlanNode, api: GraphQLSchema): SubgraphRequest {
  if (node.kind === 'Fetch') return root(node)
  if (node.kind === 'Flatten' && node.node.kind === 'Fetch') {
    const { serviceName: subgraph, operation, requires = [], ...others } = node.node
    refuseRewrites(others)
    const answer = '_entities'
    const place = { path: pathOf(node.path), variable: 'representations', answer }
    return {
      subgraph,
      document: operation,
      completes: [completion(place, requires, operation, api)],
    }
  }
  if (node.kind === 'BatchFetch') {
    const { serviceName: subgraph, operation, entityBatch } = node
    const completes = entityBatch.aliases.map(({ alias, paths, requires, ...others }) => {
      refuseRewrites(others)
      const [path, ...more] = paths
      if (!path || more.length > 0) throw new Error('A join completes objects of one place.')
      const { representationsVariableName: variable } = others
      const place = { path: pathOf(path), variable, answer: alias }
      return completion(place, requires, operation, api)
    })
    return { subgraph, document: operation, completes }
  }
  throw new Error(`A join has no ${node.kind}.`)
}

function root({ serviceName, operation, variableUsages, requires, ...others }: FetchNode) {
  refuseRewrites(others)
  if (requires) throw new Error('A join needs a place for what it completes.')
  return {
    ...{ subgraph: serviceName, document: operation },
    ...(variableUsages && { variables: variableUsages }),
  }
}

function refuseRewrites({
  inputRewrites,
  outputRewrites,
}: Pick<FetchNode, 'inputRewrites' | 'outputRewrites'>): void {
  if (inputRewrites || outputRewrites) throw new Error('A join rewrites nothing.')
}

function pathOf(path: readonly FlattenNodePathSegment[]): string[] {
  return path.map((step) => {
    if (step === '@') return step
    if ('Field' in step) return step.Field
    throw new Error('A join completes objects of one type.')
  })
}

function completion(
  place: Pick<Completion, 'path' | 'variable' | 'answer'>,
  requires: readonly RequiresSelection[],
  operation: string,
  api: GraphQLSchema,
): Completion {
  const [required, ...others] = requires
  if (required?.kind !== 'InlineFragment' || others.length > 0) {
    throw new Error('A join completes objects of one type.')
  }
  const keys = required.selections.map((selection) => {
    if (selection.kind !== 'Field' || selection.alias || selection.selections) {
      throw new Error('A join knows objects by plain members.')
    }
    return selection.name
  })
  const members = membersOf(parse(operation), place.answer, required.typeCondition, api)
  return { ...place, keys: keys.filter((key) => key !== '__typename'), members }
}

/** The members that a request for objects selects. */
function membersOf(
  { definitions }: DocumentNode,
  answer: string,
  typeName: string,
  api: GraphQLSchema,
): Completion['members'] {
  const type = api.getType(typeName)
  const [operation] = definitions
  if (!isObjectType(type) || operation?.kind !== Kind.OPERATION_DEFINITION) {
    throw new Error('A join completes objects of one type.')
  }
  const entities = operation.selectionSet.selections.find(
    (selection) =>
      selection.kind === Kind.FIELD && (selection.alias ?? selection.name).value === answer,
  )
  const [fragment] = (entities?.kind === Kind.FIELD && entities.selectionSet?.selections) || []
  if (fragment?.kind !== Kind.INLINE_FRAGMENT) throw new Error('A join selects members of a type.')
  const members = fragment.selectionSet.selections.map((selection) => {
    if (selection.kind !== Kind.FIELD) throw new Error('A join selects members of a type.')
    const { alias, name } = selection
    const isNeeded = isNonNullType(type.getFields()[name.value]?.type)
    return [(alias ?? name).value, isNeeded ? 'needed' : 'optional'] as const
  })
  return Object.fromEntries(members)
}
