import {
  type ExecutionResult,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  isNonNullType,
  OperationTypeNode,
} from 'graphql'
import { type Failure, located, type Steps, withFailures } from './failures.ts'
import { type Fields, type Part, requestOf, type SubgraphRequest } from './request-text.ts'
import { keyAlias, type Running } from './selection-text.ts'

/** Asks a subgraph. It never throws for an expected failure. */
export type Ask = (
  subgraph: string,
  request: SubgraphRequest,
  // biome-ignore lint/suspicious/noExplicitAny: the data of an answer has any shape.
) => Promise<ExecutionResult<any>>

/** Asks for a field of an object, or of the root, and returns its value. */
export type Want = (info: GraphQLResolveInfo, object: Fields | undefined) => unknown

/** A field that a subgraph must be asked for, below an object of another subgraph or below the root. */
interface Wanted {
  readonly info: GraphQLResolveInfo
  readonly alias: string
  /** The object as the subgraph knows it by its key; null: the root. */
  readonly representation: Fields | null
  readonly settle: (value: unknown) => void
  readonly fail: (error: unknown) => void
}

/**
 * Asks subgraphs for the fields of one document. Fields that are wanted at the same time are one request to
 * each subgraph. Returns a function that wants a field of an object.
 */
export function subgraphRequests(running: Running, ask: Ask): Want {
  const waiting = new Map<string, Wanted[]>()

  async function send(subgraph: string): Promise<void> {
    const wanted = waiting.get(subgraph) ?? []
    waiting.delete(subgraph)
    try {
      const asked = requestFor(running, subgraph, wanted)
      const result = await ask(subgraph, asked.request)
      const failures = failuresByObject(result)
      for (const one of wanted)
        one.settle(settledValue(running, one, asked.partOf(one), result, failures))
    } catch (error) {
      for (const { fail } of wanted) fail(error)
    }
  }

  return function want(info, object) {
    const { parentType, fieldName, path } = info
    const [subgraph] = running.graph.answering(parentType.name, fieldName)
    if (subgraph === undefined)
      throw new Error(`No subgraph answers ${parentType.name}.${fieldName}.`)
    const alias = running.aliases.aliasOf(String(path.key))
    const representation = object ? representationOf(running, parentType, object) : null
    if (object && !representation) return unknown(info)
    return new Promise((settle, fail) => {
      const others = waiting.get(subgraph)
      const wanted = { info, alias, representation, settle, fail }
      if (others) others.push(wanted)
      else {
        waiting.set(subgraph, [wanted])
        // The request is sent after the executor has looked at all objects that it has so far.
        process.nextTick(send, subgraph)
      }
    })
  }
}

/**
 * The keys by which other subgraphs know an object; null for an object without any of them, which
 * no other subgraph can know.
 */
function representationOf(
  { graph }: Running,
  { name }: GraphQLObjectType,
  object: Fields,
): Fields | null {
  const keys = graph.keysOf(name)
  if (keys.length === 0) throw new Error(`No other subgraph knows ${name}.`)
  const known = keys.flatMap((key) => {
    const value = object[keyAlias(key)]
    return value === null || value === undefined ? [] : [[key, value] as const]
  })
  return known.length === 0 ? null : { __typename: name, ...Object.fromEntries(known) }
}

function requestFor(running: Running, subgraph: string, wanted: readonly Wanted[]) {
  const parts = new Map<string, Part>()
  for (const { info, alias, representation } of wanted) {
    const place = placeOf(info)
    const part: Part = parts.get(place) ?? {
      ...{ alias: representation && `e${parts.size}`, type: info.parentType },
      ...{ fields: new Map(), orders: new Map(), representations: [] },
    }
    parts.set(place, part)
    part.fields.set(alias, { type: info.parentType, nodes: info.fieldNodes })
    const text = JSON.stringify(representation)
    if (representation && !part.orders.has(text)) {
      part.orders.set(text, part.representations.push(representation) - 1)
    }
  }
  return {
    request: requestOf(running, {
      subgraph,
      parts: [...parts.values()],
      operation: operationOf(wanted),
    }),
    partOf({ info, representation }: Wanted) {
      const part = parts.get(placeOf(info))
      if (!part) throw new Error('A wanted field was not asked for.')
      return { part, order: part.orders.get(JSON.stringify(representation)) }
    },
  }
}

/**
 * The place of an object: the response keys from the root to it, and its type. All objects of one place
 * have the same fields.
 */
function placeOf({ path: { prev }, parentType }: GraphQLResolveInfo): string {
  const names: (string | number)[] = []
  for (let step = prev; step; step = step.prev)
    if (typeof step.key === 'string') names.push(step.key)
  return `${parentType.name} ${names.join(' ')}`
}

/** The kind of operation that asks for fields. Only root fields are changes, and these come one at a time. */
function operationOf([first]: readonly Wanted[]): OperationTypeNode {
  const isRoot = first?.representation === null
  return isRoot ? first.info.operation.operation : OperationTypeNode.QUERY
}

type Failures = ReadonlyMap<string, readonly Failure[]>

/** Failures by the name and number of an object in the answer, or by '' for the root. */
function failuresByObject({ errors = [] }: ExecutionResult): Failures {
  const placed = errors.map((error) => {
    const { path = [] } = error
    const [alias, order, ...steps] = path
    const isEntity = String(alias).startsWith('e')
    if (!isEntity) return { object: '', steps: path, error }
    return { object: order === undefined ? '' : `${alias} ${order}`, steps, error }
  })
  return Map.groupBy(placed, ({ object }) => object)
}

interface PartAnswer {
  readonly part: Part
  readonly order: number | undefined
}

/** The value of a field, with the errors in their places. */
function settledValue(
  running: Running,
  { info, alias }: Wanted,
  { part, order }: PartAnswer,
  { data }: ExecutionResult<Fields>,
  failures: Failures,
): unknown {
  const found = part.alias === null ? data : Object(data?.[part.alias])[order ?? '']
  const object: Fields | null | undefined = found
  const atRoot = failures.get('') ?? []
  const here = part.alias === null ? atRoot : (failures.get(`${part.alias} ${order}`) ?? [])
  const path = stepsTo(info)
  const own = { type: info.parentType, nodes: info.fieldNodes }
  const locate = (failure: Failure) => {
    const [step = alias] = failure.steps
    const steps = failure.steps.length === 0 ? [alias] : failure.steps
    const field = part.fields.get(String(step)) ?? own
    return located(running, { ...failure, steps }, { path, field })
  }
  const whole = [...here, ...atRoot].find(({ steps }) => steps.length === 0)
  if (whole) return locate(whole)
  if (object) {
    const below = here.filter(({ steps }) => steps[0] === alias)
    return withFailures(object[alias], below, locate)
  }
  const [first] = here
  if (first) return locate(first)
  return unknown(info)
}

/** The value of a field of an object that another subgraph does not know. */
function unknown({ parentType, returnType }: GraphQLResolveInfo): GraphQLError | null {
  if (!isNonNullType(returnType)) return null
  const extensions = { code: 'NOT_FOUND' }
  return new GraphQLError(`There is no such ${parentType.name}.`, { extensions })
}

function stepsTo({ path: { prev } }: GraphQLResolveInfo): Steps {
  const steps: (string | number)[] = []
  for (let step = prev; step; step = step.prev) steps.unshift(step.key)
  return steps
}
