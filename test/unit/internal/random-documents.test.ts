import fc from 'fast-check'
import { type ExecutionResult, parse, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { documentExecutor } from '../../../gateway/internal/execute-document.ts'
import { mergedGraph } from '../../../gateway/internal/free-form/merged-graph.ts'
import { serviceCaller } from '../../../schema/credentials/caller.ts'
import { rounds, seed } from '../../support/extent/extent.ts'
import { inventedAnswer, inventingSubgraph } from '../../support/graph/invented-answers.ts'
import { documentOf } from '../../support/graph/random-document.ts'

const { schema } = mergedGraph()
const caller = serviceCaller()

let invention = 0
let asked: string[] = []
const executeDocument = documentExecutor(
  (name) => {
    const answer = inventingSubgraph(name)
    return ({ document, variables }) => {
      asked.push(name)
      return answer({ document, variables }, { seed: invention, losesObjects: false })
    }
  },
  async () => {},
)

function shown({ data, errors }: ExecutionResult) {
  return { data: JSON.stringify(data), hasErrors: errors !== undefined }
}

describe('a random document over all fields of the merged schema', () => {
  test('is answered as graphql-js answers it, whatever the subgraphs say', async () => {
    const world = { schema, ids: ['a', 'b'], changedId: 'c', isSteady: () => true }
    const numbers = fc.array(fc.nat({ max: 999 }), { maxLength: 150, size: 'max' })
    await fc.assert(
      fc.asyncProperty(numbers, fc.nat(), async (chosen, nextInvention) => {
        invention = nextInvention
        const { query, variables } = documentOf(chosen, world)
        const document = parse(query)
        expect({ query, invalid: validate(schema, document) }).toEqual({ query, invalid: [] })

        const answer = await executeDocument(document, variables, caller)

        const expected = await inventedAnswer({ document, variables }, invention)
        // Answers are compared as text, so that the order of members counts. GraphQL leaves open which
        // of several errors below one null is told.
        expect({ query, variables, ...shown(answer) }).toEqual({
          ...{ query, variables, ...shown(expected) },
        })
      }),
      { seed, numRuns: rounds('INVENTED_DOCUMENTS', { all: 100, nightly: 5000 }) },
    )
  })
})

test('a document asks each subgraph once for each step, whatever its fragments repeat', async () => {
  const document = parse(`{
    a: account(id: "a") { ...F ...F } b: account(id: "b") { ...F budgets { period } ... { ...F } }
    accounts(first: 3) { nodes { ...F } nodes { id ...F } }
  }
  fragment F on Account { name apiKeys { id } x: recentUsage(first: 1) { status } oauthApps(first: 1) { nodes { id } } }`)
  const counts = new Set<string>()
  for (invention = 0; invention < 20; invention += 1) {
    asked = []

    await executeDocument(document, {}, caller)

    counts.add(asked.sort().join(' '))
  }

  expect([...counts]).toContain('account keys oauth usage')
  expect([...counts].filter((count) => /(\w+) \1/.test(count))).toEqual([])
})
