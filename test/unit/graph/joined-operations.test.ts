import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DocumentNode, Kind, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { documentExecutor } from '../../../gateway/internal/execute-document.ts'
import {
  createGraphClient,
  type SubgraphTransport,
} from '../../../rest-facade/graph/graph-client.ts'
import { serviceCaller } from '../../../schema/credentials/caller.ts'
import type { OperationName } from '../../../schema/generated/operations.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { rounds } from '../../support/extent/extent.ts'
import { inventingSubgraph } from '../../support/graph/invented-answers.ts'

/** How often the subgraphs invent other answers. */
const inventions = rounds('INVENTED_ANSWERS', { all: 10, nightly: 200 })
const mostInventions = 200
const caller = serviceCaller()

function read(name: string): string {
  return readFileSync(join(projectRoot, 'schema/generated', name), 'utf8')
}

const manifest = z
  .record(z.string(), z.object({ document: z.string(), subgraph: z.optional(z.string()) }))
  .parse(JSON.parse(read('operations.json')))
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
const transportOf = (name: string): SubgraphTransport => {
  const answer = inventingSubgraph(name)
  return ({ document, variables }) => {
    asked.push(name)
    return answer({ document, variables }, { seed, losesObjects: true })
  }
}
const client = createGraphClient(transportOf)
const executeDocument = documentExecutor(transportOf, async () => {})
const isOperation = (name: string): name is OperationName => client.operations.includes(name)
const joins = Object.entries(manifest).flatMap(([name, { document, subgraph }]) =>
  subgraph === undefined && isOperation(name) ? [{ name, document: parse(document) }] : [],
)

/**
 * A plan leaves out an object that another subgraph does not know, without an error. By the rules of GraphQL it
 * is an error, and takes the object around it along if that must have it.
 */
function isSameWithout(body: unknown, planned: unknown): boolean {
  if (body === null || body === undefined) return JSON.stringify(planned ?? null).includes('null')
  if (typeof body !== 'object') return body === planned
  return Object.entries(body).every(([name, value]) => isSameWithout(value, Object(planned)[name]))
}

async function whileAsked<Outcome>(work: () => Promise<Outcome>) {
  asked = []
  const [outcome] = await Promise.allSettled([work()])
  return { outcome, asked: asked.sort() }
}

describe.each(joins)('$name', ({ name, document }) => {
  test('answers as graphql-js over the merged schema, whatever the subgraphs say', async () => {
    const variables = variablesOf(document)
    const statuses = new Set<string>()
    const isEnough = () => seed >= inventions && statuses.size === 2
    for (seed = 0; seed < mostInventions && !isEnough(); seed += 1) {
      const planned = await whileAsked(() => executeDocument(document, variables, caller))
      const joined = await whileAsked(() => client.execute(name, variables, caller))

      if (planned.outcome.status === 'rejected') throw planned.outcome.reason
      const { data, errors: all } = planned.outcome.value
      const errors = all?.filter(({ message }) => !message.startsWith('There is no such'))
      const { result, ...members } = JSON.parse(JSON.stringify(data ?? {}))
      const body = Object.keys(members).length === 0 ? result : { ...result, ...members }
      const { status } = joined.outcome
      statuses.add(status)
      // Of several errors below one null, only one is told.
      const isOpen = all !== undefined && errors?.length === 0
      const told = errors?.length ? 'rejected' : 'fulfilled'
      expect({ seed, status }).toEqual({ seed, status: isOpen ? status : told })
      if (joined.outcome.status === 'rejected') {
        expect(joined.outcome.reason).toMatchObject({ code: 'NOT_FOUND' })
        continue
      }
      const { value } = joined.outcome
      if (all) expect({ seed, isSame: isSameWithout(body, value) }).toEqual({ seed, isSame: true })
      else expect({ seed, body: value }).toEqual({ seed, body })
      expect({ seed, asked: joined.asked }).toEqual({ seed, asked: planned.asked })
    }
    expect([...statuses].sort()).toEqual(['fulfilled', 'rejected'])
  })
})
