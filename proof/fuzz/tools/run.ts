import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { newAjv } from '../../../test/support/conformity/answers-conform.ts'
import { readApiDocument } from '../../../test/support/conformity/api-document.ts'
import type { TestGateway } from '../../../test/support/gateway/gateway.ts'
import { ask, headersOf, modernMeta, resultOf } from '../../../test/support/mcp/mcp.ts'
import type { TestResponse } from '../../../test/support/requests/client.ts'
import { schemaValues } from '../schema-values.ts'

interface ToolFuzzOptions {
  readonly cases: number
  readonly seed: number
}

interface ListedTool {
  readonly name: string
  readonly inputSchema: object
  readonly outputSchema: object
}

/** What is wrong with an answer; nothing if it is right. */
type Judge = (response: TestResponse) => string | null

/** The statuses with which a tool may fail, whatever it is asked. */
const expectedFailures: readonly number[] = [402, 404, 409, 422]

/** Sends `/mcp` calls that the tools allow, calls of any JSON, and messages that are none; returns the failures. */
export async function runToolFuzz(
  gateway: TestGateway,
  { cases, seed }: ToolFuzzOptions,
): Promise<readonly string[]> {
  const { liveKey, sandboxKey } = await gateway.createAccount({ credits: 100_000 })
  const { tools } = resultOf(await ask(gateway.live, liveKey, 'tools/list'))
  const valuesOf = schemaValues(readApiDocument())
  const failures: string[] = []
  const share = Math.ceil(cases / tools.length)
  for (const tool of tools as ListedTool[]) {
    const judge = judgeOf(tool)
    const given = fc.oneof(valuesOf(tool.inputSchema), fc.jsonValue())
    const params = given.map((input) => ({ name: tool.name, arguments: input }))
    const message = fc.oneof(
      { weight: 9, arbitrary: params.map((one) => wholeMessage(one)) },
      { weight: 1, arbitrary: fc.jsonValue() },
    )
    const property = fc.asyncProperty(message, fc.boolean(), async (body, isLive) => {
      const client = isLive ? gateway.live : gateway.sandbox
      const headers = headersOf('tools/call', { name: tool.name })
      const key = isLive ? liveKey : sandboxKey
      const post = () => client.post('/mcp', JSON.stringify(body), key, headers)
      const problem = judge(await withinLimit(post))
      if (problem !== null) throw new Error(problem)
    })
    const checked = await fc.check(property, { numRuns: share, seed })
    if (checked.failed)
      failures.push(
        `${tool.name}: ${fc.stringify(checked.counterexample)}: ${String(checked.errorInstance)}`,
      )
  }
  return failures
}

const mostAttempts = 60

/** Asks again while the window of the account is used up. */
async function withinLimit(post: () => Promise<TestResponse>): Promise<TestResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await post()
    if (response.status !== 429 || attempt === mostAttempts) return response
    await sleep(1000)
  }
}

function wholeMessage(params: object): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: modernMeta } }
}

function judgeOf({ outputSchema }: ListedTool): Judge {
  const isAnswer = newAjv().compile(outputSchema)
  return ({ status, body }) => {
    const { jsonrpc, error, result } = Object(body)
    if (jsonrpc !== '2.0') return `it is no JSON-RPC: ${status}`
    if (status !== 200) return error && [400, 404].includes(status) ? null : `it is ${status}`
    const { isError, content, structuredContent } = result
    if (!isError)
      return isAnswer(structuredContent)
        ? null
        : `it is not what the tool says: ${JSON.stringify(isAnswer.errors)}`
    const failure = JSON.parse(content[0].text).error
    return expectedFailures.includes(failure.status) ? null : `it fails with ${failure.status}`
  }
}
