import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildASTSchema,
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  parse,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  createGraphClient,
  type SubgraphTransport,
} from '../../../rest-facade/graph/graph-client.ts'
import { serviceCaller } from '../../../schema/credentials/caller.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'

const rounds = 200
const caller = serviceCaller()

function read(name: string): string {
  return readFileSync(join(projectRoot, 'schema', name), 'utf8')
}

const manifest = z
  .record(z.string(), z.object({ document: z.string(), subgraph: z.optional(z.string()) }))
  .parse(JSON.parse(read('operations.json')))
const joins = Object.entries(manifest).flatMap(([name, { document, subgraph }]) =>
  subgraph === undefined ? [{ name, document: parse(document) }] : [],
)

const schemas = new Map(
  ['account', 'keys', 'oauth', 'usage'].map((name) => {
    const schema = buildASTSchema(parse(read(`${name}.graphql`)), { assumeValidSDL: true })
    return [name, schema] as const
  }),
)

/** 0 ≤ number < 1; the same for the same text. */
function luck(seed: number, text: string): number {
  return createHash('sha256').update(`${seed} ${text}`).digest().readUInt32BE() / 2 ** 32
}

/** Any value of the type; the same at the same place. Fails now and then. */
const anyValue: GraphQLFieldResolver<Record<string, unknown>, { readonly seed: number }> = (
  source,
  { representations },
  { seed },
  { fieldName, path, returnType },
) => {
  // An object of another subgraph is what it was asked by. Now and then there is none.
  if (fieldName === '_entities') {
    return z
      .array(z.looseObject({}))
      .parse(representations)
      .map((one) => (luck(seed, JSON.stringify(one)) < 0.2 ? null : one))
  }
  if (Object.hasOwn(source ?? {}, fieldName)) return source[fieldName]
  const places: (string | number)[] = []
  for (let step: typeof path | undefined = path; step; step = step.prev) places.push(step.key)
  const place = `${places.join('.')} ${JSON.stringify(source)}`
  if (luck(seed, `failure ${place}`) < 0.01) {
    throw new GraphQLError('It is not there.', { extensions: { code: 'NOT_FOUND' } })
  }
  return anyOf(returnType, (text) => luck(seed, `${text} ${place}`))
}

function anyOf(type: GraphQLOutputType, lot: (text: string) => number): unknown {
  if (!isNonNullType(type) && lot('null') < 0.2) return null
  const inner = getNullableType(type)
  if (isListType(inner)) {
    const { ofType } = inner
    const count = Math.floor(lot('length') * 4)
    return Array.from({ length: count }, (_, index) =>
      anyOf(ofType, (text) => lot(`${text} ${index}`)),
    )
  }
  if (isEnumType(inner)) {
    const values = inner.getValues()
    return values[Math.floor(lot('enum') * values.length)]?.value
  }
  if (isObjectType(inner)) return { lot: Math.floor(lot('object') * 1000) }
  if (!isScalarType(inner)) throw new Error(`No value is known for ${inner.name}.`)
  if (inner.name === 'Boolean') return lot('boolean') < 0.5
  const number = Math.floor(lot('number') * 3)
  return ['Int', 'Float', 'SafeInt'].includes(inner.name) ? number : `text ${number}`
}

/** What the document asks of its variables, as any text or number. */
function variablesOf({ definitions }: DocumentNode): Record<string, unknown> {
  const [operation] = definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('There is no operation.')
  return Object.fromEntries(
    (operation.variableDefinitions ?? []).map(({ variable, type }) => {
      const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type
      const name = variable.name.value
      if (named.kind === Kind.LIST_TYPE) return [name, []]
      if (named.name.value === 'CreateAccountInput') {
        return [name, { name: 'Ada', email: 'ada@example.com', tier: 'STARTER', credits: 0 }]
      }
      return [name, named.name.value === 'Int' ? 1 : 'x']
    }),
  )
}

let seed = 0
let asked: string[] = []
const client = createGraphClient((name): SubgraphTransport => {
  const schema = schemas.get(name)
  if (!schema) throw new Error(`No subgraph is named ${name}.`)
  return async ({ document, variables }) => {
    asked.push(name)
    return execute({
      ...{ schema, document, variableValues: variables, contextValue: { seed }, rootValue: {} },
      ...{ fieldResolver: anyValue, typeResolver: ({ __typename }) => __typename },
    })
  }
})

async function whileAsked<Outcome>(work: () => Promise<Outcome>) {
  asked = []
  const [outcome] = await Promise.allSettled([work()])
  return { outcome, asked: asked.sort() }
}

describe.each(joins)('$name', ({ name, document }) => {
  test('answers as the query planner and its own program, whatever the subgraphs say', async () => {
    const variables = variablesOf(document)
    const statuses = new Set<string>()
    for (seed = 0; seed < rounds; seed += 1) {
      const planned = await whileAsked(() => client.executeDocument(document, variables, caller))
      const joined = await whileAsked(() => client.execute(name, variables, caller))

      if (planned.outcome.status === 'rejected') throw planned.outcome.reason
      const { data, errors } = planned.outcome.value
      const { result, ...members } = JSON.parse(JSON.stringify(data ?? {}))
      const body = Object.keys(members).length === 0 ? result : { ...result, ...members }
      const { status } = joined.outcome
      statuses.add(status)
      expect({ seed, status }).toEqual({ seed, status: errors ? 'rejected' : 'fulfilled' })
      if (joined.outcome.status === 'rejected') {
        expect(joined.outcome.reason).toMatchObject({ code: 'NOT_FOUND' })
        continue
      }
      expect({ seed, body: joined.outcome.value }).toEqual({ seed, body })
      expect({ seed, asked: joined.asked }).toEqual({ seed, asked: planned.asked })
    }
    expect([...statuses].sort()).toEqual(['fulfilled', 'rejected'])
  })
})
