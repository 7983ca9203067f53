import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { QueryPlanner } from '@graphql-hive/router-query-planner'
import { buildSchema, type DocumentNode, type ExecutionResult, execute, parse } from 'graphql'
import { z } from 'zod'
import { createGraphClient } from '../../../rest-facade/graph/graph-client.ts'
import { type JoinPlan, joinedOperation } from '../../../rest-facade/graph/joined-operation.ts'
import type { Caller } from '../../../schema/credentials/caller.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { createContext } from '../../../subgraphs/shared/graph/context.ts'
import {
  inProcessExecutor,
  type SubgraphRequest,
} from '../../../subgraphs/shared/graph/in-process.ts'
import { joinPlan } from '../../../tools/generate/join-plan.ts'
import type { Served } from '../support/child.ts'
import { mergedSchema, openStubSubgraphs } from '../support/stub-subgraphs.ts'

const question = z.object({
  how: z.enum(['federated', 'merged']),
  document: z.enum(['one', 'three']),
  rounds: z.int(),
})

const caller: Caller = {
  kind: 'account',
  accountId: 'acct_1',
  keyId: 'key_1',
  scopes: ['*'],
  environment: 'live',
  requestId: 'req_1',
  traceId: '',
  address: null,
}

let requests = 0

/** The caller of another request, because the rows of one request are limited. */
function nextCaller(): Caller {
  requests += 1
  return { ...caller, requestId: `req_${requests}` }
}

const threeSubgraphs = `{
  result: me {
    id name tier balance
    apiKeys { id name last4 }
    recentUsage(first: 5) { requestId ts status credits }
  }
}`

/** P5: runs operations one after another, all in this process and without a database. */
export async function serve(): Promise<Served> {
  const { subgraphs, options } = await openStubSubgraphs()
  const executors = new Map(
    [...subgraphs].map(([name, schema]) => [name, inProcessExecutor(schema, options)]),
  )
  const executorOf = (name: string) => {
    const executor = executors.get(name)
    if (!executor) throw new Error(`No subgraph is named ${name}.`)
    return executor
  }
  const client = createGraphClient(executorOf)
  for (const operation of client.operations) await client.warmUp(operation)
  const merged = mergedSchema([...subgraphs.values()])
  const file = join(projectRoot, 'schema/operations/account/GetCredits.graphql')
  const one = parse(readFileSync(file, 'utf8'))
  const three = parse(threeSubgraphs)
  const joined = joinedOperation(three, planOf(threeSubgraphs))
  const askAs =
    (caller: Caller) => async (name: string, request: Omit<SubgraphRequest, 'caller'>) => {
      const result = await executorOf(name)({ ...request, caller })
      failOn(result)
      return result.data ?? {}
    }
  const asMerged = async (document: DocumentNode) => {
    const contextValue = createContext(options, nextCaller())
    failOn(await execute({ schema: merged, document, contextValue }))
  }
  const operations = {
    federated: {
      one: () => client.execute('GetCredits', {}, nextCaller()),
      // No persisted operation needs three subgraphs yet: it would run by this plan.
      three: () => joined.run({}, askAs(nextCaller())),
    },
    merged: { one: () => asMerged(one), three: () => asMerged(three) },
  }
  return {
    ready: null,
    async answer(asked) {
      const { how, document, rounds } = question.parse(asked)
      return { microseconds: await average(operations[how][document], rounds) }
    },
    async stop() {},
  }
}

/** The plan of a document, as `npm run schema` makes it for a persisted operation. */
function planOf(document: string): JoinPlan {
  const read = (name: string) => readFileSync(join(projectRoot, 'schema/generated', name), 'utf8')
  const planner = new QueryPlanner(read('supergraph.graphql'))
  return joinPlan(planner, document, buildSchema(read('api.graphql')))
}

function failOn({ errors }: ExecutionResult): void {
  if (errors?.[0]) throw errors[0]
}

async function average(operation: () => Promise<unknown>, rounds: number): Promise<number> {
  const startedAtMs = performance.now()
  for (let round = 0; round < rounds; round += 1) await operation()
  return ((performance.now() - startedAtMs) * 1000) / rounds
}
