import { type DocumentNode, type GraphQLObjectType, type OperationTypeNode, parse } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Field } from './failures.ts'
import { fieldText, type Running } from './selection-text.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface SubgraphRequest {
  readonly document: DocumentNode
  readonly variables: Fields
}

/** The objects of one place in the answer, which all have the same fields. */
export interface Part {
  /** The alias of the field that asks for these objects; null: they are at the root of the request. */
  readonly alias: string | null
  readonly type: GraphQLObjectType
  readonly fields: Map<string, Field>
  /** The number of each order, by its text; equal orders are asked for once. */
  readonly orders: Map<string, number>
  readonly representations: Fields[]
}

interface Parts {
  readonly subgraph: string
  readonly parts: readonly Part[]
  readonly operation: OperationTypeNode
}

/** Makes one request for all parts. */
export function requestOf(
  running: Running,
  { subgraph, parts, operation }: Parts,
): SubgraphRequest {
  const definitions: string[] = []
  const variables: Record<string, unknown> = {}
  const addVariable = (type: string, value: unknown) => {
    const name = `v${definitions.length}`
    variables[name] = value
    definitions.push(`$${name}: ${type}`)
    return `$${name}`
  }
  const texts = parts.map(({ alias, type, fields, representations }) => {
    const asked = [...fields.values()].map(({ nodes }) => {
      const [node] = nodes
      const responseKey = (node?.alias ?? node?.name)?.value ?? ''
      return fieldText(running, { subgraph, type, responseKey, nodes }, addVariable)
    })
    if (alias === null) return asked.join(' ')
    const list = addVariable('[_Any!]!', representations)
    return `${alias}: _entities(representations: ${list}) { ... on ${type.name} { ${asked.join(' ')} } }`
  })
  const declared = definitions.length === 0 ? '' : ` (${definitions.join(', ')})`
  return { document: documentOf(`${operation}${declared} { ${texts.join(' ')} }`), variables }
}

const maxCharacters = 4 * 1024 * 1024

/** Parsed documents by their text. A subgraph compiles a document once, if it gets the same object again. */
const documents = new LRUCache<string, DocumentNode>({
  maxSize: maxCharacters,
  sizeCalculation: (_, text) => text.length,
})

function documentOf(text: string): DocumentNode {
  const known = documents.get(text)
  if (known) return known
  const document = parse(text, { noLocation: true })
  documents.set(text, document)
  return document
}
