import { type DocumentNode, Kind, parse, type SelectionSetNode } from 'graphql'

/**
 * The requests of an operation that joins subgraphs. Stages run one after the other, the requests of
 * a stage at the same time.
 */
export type JoinPlan = readonly (readonly SubgraphRequest[])[]

/** A request to one subgraph. Without `completes` it answers root fields of the operation. */
interface SubgraphRequest {
  readonly subgraph: string
  readonly document: string
  /** The variables of the operation that it uses. */
  readonly variables?: readonly string[]
  readonly completes?: readonly Completion[]
}

/** Objects of the answer that get more members from another subgraph. */
export interface Completion {
  /** The place of the objects; `@` stands for each item of a list. */
  readonly path: readonly string[]
  /** The members by which the other subgraph knows an object, beside `__typename`. */
  readonly keys: readonly string[]
  /** The variable of the request that takes these members of all objects. */
  readonly variable: string
  /** The member of the answer that has the objects in the same order. */
  readonly answer: string
  /** The members that an object gets; `needed`: without it there is no object. */
  readonly members: Readonly<Record<string, 'needed' | 'optional'>>
}

type Fields = Record<string, unknown>

/** Asks a subgraph, and returns its data. Throws if it reports an error. */
type Ask = (
  subgraph: string,
  request: { readonly document: DocumentNode; readonly variables: Readonly<Fields> },
) => Promise<Readonly<Fields>>

export interface JoinedOperation {
  /** Returns the root fields, with the selected members only. */
  run(variables: Readonly<Fields>, ask: Ask): Promise<Fields>
  /** Has every request compiled and none run, with an `ask` that does so. */
  warmUp(ask: Ask): Promise<void>
}

/** Runs an operation by its plan, which `npm run schema` has made. */
export function joinedOperation(document: DocumentNode, plan: JoinPlan): JoinedOperation {
  const stages = plan.map((requests) =>
    requests.map((request) => ({
      ...request,
      parsed: parse(request.document, { noLocation: true }),
    })),
  )
  const shape = shapeOf(document)
  return {
    async run(variables, ask) {
      const data: Fields = {}
      for (const requests of stages) {
        await Promise.all(requests.map((request) => runRequest(request, { data, variables, ask })))
      }
      return select(data, shape)
    },
    async warmUp(ask) {
      for (const { subgraph, parsed } of stages.flat())
        await ask(subgraph, { document: parsed, variables: {} })
    },
  }
}

interface ParsedRequest extends SubgraphRequest {
  readonly parsed: DocumentNode
}

interface Run {
  /** The answer so far. */
  readonly data: Fields
  readonly variables: Readonly<Fields>
  readonly ask: Ask
}

async function runRequest(
  { subgraph, parsed, variables: names = [], completes = [] }: ParsedRequest,
  { data, variables, ask }: Run,
): Promise<void> {
  const given = pick(variables, names)
  if (completes.length === 0) {
    Object.assign(data, await ask(subgraph, { document: parsed, variables: given }))
    return
  }
  const parts = completes.map((completion) => openPart(data, completion))
  for (const { variable, representations } of parts) given[variable] = representations
  const isAsked = parts.some(({ representations }) => representations.length > 0)
  const answer = isAsked ? await ask(subgraph, { document: parsed, variables: given }) : {}
  for (const part of parts) complete(part, answer)
}

/** An object of the answer, as a member of its holder, which is an object or a list. */
interface Place {
  readonly holder: Fields
  readonly key: string
}

interface KnownPlace extends Place {
  /** The place of the object among the representations; undefined: it has none. */
  readonly order: number | undefined
}

interface Part extends Completion {
  readonly places: readonly KnownPlace[]
  /** Equal ones stand here once. */
  readonly representations: readonly Fields[]
}

function openPart(data: Fields, completion: Completion): Part {
  const { path, keys } = completion
  const representations: Fields[] = []
  const orders = new Map<string, number>()
  const places = placesAt(data, path).map(({ holder, key }) => {
    const representation = representationOf(holder[key], keys)
    if (!representation) return { holder, key, order: undefined }
    const text = JSON.stringify(representation)
    const order = orders.get(text) ?? representations.push(representation) - 1
    orders.set(text, order)
    return { holder, key, order }
  })
  return { ...completion, places, representations }
}

function placesAt(holder: Fields, [step = '', ...rest]: readonly string[]): Place[] {
  const keys = step === '@' ? Object.keys(holder) : [step]
  return keys.flatMap((key) => {
    const value = holder[key]
    if (!isFields(value)) return []
    return rest.length === 0 ? [{ holder, key }] : placesAt(value, rest)
  })
}

/** Null for an object without any of its keys: no other subgraph can know it. */
function representationOf(object: unknown, keys: readonly string[]): Fields | null {
  if (!isFields(object)) return null
  const known = keys.filter((key) => object[key] !== null && object[key] !== undefined)
  return known.length === 0 ? null : pick(object, ['__typename', ...known])
}

function complete({ places, members, answer }: Part, data: Readonly<Fields>): void {
  const found = data[answer]
  for (const { holder, key, order } of places) {
    const object = holder[key]
    if (!isFields(object)) continue
    if (Array.isArray(found) && order !== undefined) Object.assign(object, found[order])
    const isWhole = Object.entries(members).every(
      ([name, need]) => need === 'optional' || object[name] !== undefined,
    )
    if (!isWhole) holder[key] = null
  }
}

/** The members of an object by their names in the answer; null: a leaf. */
type Shape = ReadonlyMap<string, Shape | null>

function shapeOf({ definitions }: DocumentNode): Shape {
  const [operation] = definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('There is no operation.')
  return shapeOfSelections(operation.selectionSet)
}

function shapeOfSelections({ selections }: SelectionSetNode): Shape {
  return new Map(
    selections.map((selection) => {
      if (selection.kind !== Kind.FIELD) throw new Error(`A join selects a ${selection.kind}.`)
      const { alias, name, selectionSet } = selection
      const shape = selectionSet ? shapeOfSelections(selectionSet) : null
      return [(alias ?? name).value, shape] as const
    }),
  )
}

function select(object: Fields, shape: Shape): Fields {
  return Object.fromEntries(
    [...shape].map(([name, inner]) => [
      name,
      inner ? selectAll(object[name], inner) : leaf(object[name]),
    ]),
  )
}

function selectAll(value: unknown, shape: Shape): unknown {
  if (Array.isArray(value)) return value.map((item) => selectAll(item, shape))
  return isFields(value) ? select(value, shape) : null
}

function leaf(value: unknown): unknown {
  return value === undefined ? null : value
}

function pick(object: Readonly<Fields>, names: readonly string[]): Fields {
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(object, name) ? [[name, object[name]]] : [])),
  )
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}
