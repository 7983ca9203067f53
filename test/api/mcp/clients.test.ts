import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { toolName } from '../../../schema/catalog/tool-name.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { sharedGateway, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { argumentsOf } from '../../support/mcp/example-arguments.ts'
import { modern } from '../../support/mcp/mcp.ts'
import { productExamples } from '../../support/requests/every-row.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
/** One whose module a test answers for. */
let own: TestGateway
let backend: StubBackend
beforeAll(async () => {
  gateway = await sharedGateway()
  backend = await startStubBackend()
  own = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
})
afterAll(async () => {
  await expectExactBooks(own)
  await own.close()
  await backend.close()
  await gateway.close()
})

interface Called {
  readonly isError?: boolean | undefined
  readonly structuredContent?: unknown
  readonly content?: unknown
  readonly _meta?: Record<string, unknown> | undefined
}

/** What both clients can do. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(
    params: { name: string; arguments: Record<string, unknown> },
    signal?: AbortSignal,
  ): Promise<Called>
  close(): Promise<void>
}

type Connect = (url: string, key: string, headers?: Record<string, string>) => Promise<AnyClient>

const about = { name: 'test', version: '1.0.0' }

function transportOptions(key: string, headers: Record<string, string> = {}) {
  return { requestInit: { headers: { ...headers, authorization: `Bearer ${key}` } } }
}

type Mode = 'auto' | 'legacy' | { readonly pin: string }

/** The current client, by how it chooses the revision. */
function current(mode: Mode): Connect {
  return async (url, key, headers) => {
    const client = new Client(about, { versionNegotiation: { mode } })
    const options = transportOptions(key, headers)
    await client.connect(new StreamableHTTPClientTransport(new URL(url), options))
    return {
      listTools: () => client.listTools(),
      callTool: (params, signal) => client.callTool(params, { signal }) as Promise<Called>,
      close: () => client.close(),
    }
  }
}

const clients: Readonly<Record<string, Connect>> = {
  'client 2.4.0 in the newest revision': current({ pin: modern }),
  'client 2.4.0, which finds out the revision': current('auto'),
  'client 2.4.0 in an older revision': current('legacy'),
  'sdk 1.32.2': async (url, key, headers) => {
    const client = new OlderClient(about)
    await client.connect(new OlderTransport(new URL(url), transportOptions(key, headers)))
    return {
      listTools: () => client.listTools(),
      callTool: (params, signal) =>
        client.callTool(params, undefined, { signal }) as Promise<Called>,
      close: () => client.close(),
    }
  },
}

const reveal = { name: 'contacts_reveal_contact', arguments: { contact_id: 'con_1' } }

describe.each(Object.entries(clients))('the %s', (_, connect) => {
  test('lists the tools, calls one and gets its structured answer, and is charged for it', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 12 })
    const client = await connect(`${gateway.live.url}/mcp`, liveKey)

    const { tools } = await client.listTools()
    const called = await client.callTool({
      name: 'contacts_reveal_contact',
      arguments: { contact_id: 'con_1' },
    })

    expect(tools).toHaveLength(21)
    expect(called.isError).toBe(false)
    expect(called.structuredContent).toMatchObject({ contact_id: 'con_1' })
    expect(called._meta).toMatchObject({
      credits_charged: 5,
      credits_remaining: 7,
      replayed: false,
    })
    const again = await client.callTool({
      name: 'contacts_reveal_contact',
      arguments: { contact_id: 'con_1' },
    })
    expect(again._meta).toMatchObject({ credits_charged: 0, credits_remaining: 7, replayed: true })
    await client.close()
    await expectExactBooks(gateway)
  })

  test('gets a failure of a tool as a result', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 1 })
    const client = await connect(`${gateway.live.url}/mcp`, liveKey)

    const called = await client.callTool({
      name: 'contacts_reveal_contact',
      arguments: { contact_id: 'con_1' },
    })

    expect(called.isError).toBe(true)
    const [block] = called.content as { text: string }[]
    expect(JSON.parse(block?.text ?? '').error).toMatchObject({ status: 402 })
    await client.close()
  })

  test('fails where a scope is missing', async () => {
    const { id } = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(id, { scopes: ['contacts:write'] })
    const client = await connect(`${gateway.live.url}/mcp`, plaintext)

    const call = client.callTool({ name: 'usage', arguments: {} })

    await expect(call).rejects.toThrow()
    await client.close()
  })

  test('calls every tool in the sandbox, and checks each answer by the schema of the tool', async () => {
    const { sandboxKey } = await gateway.createAccount()
    const client = await connect(`${gateway.sandbox.url}/mcp`, sandboxKey)
    const { tools } = await client.listTools()
    const priced = { method: 'POST', path: '/v1/contacts/reveal', body: reveal.arguments }
    const calls = [
      ...productExamples().map((example) => ({
        name: toolName({ service: example.file.slug, id: example.operation.id }),
        arguments: argumentsOf(example),
      })),
      { name: 'credits', arguments: {} },
      { name: 'quote', arguments: { calls: [priced] } },
      { name: 'usage', arguments: { interval: 'hour' } },
    ]

    const called = new Set<string>()
    for (const call of calls) {
      const { isError, structuredContent } = await client.callTool(call)
      expect([call.name, isError, structuredContent]).toEqual([
        ...[call.name, false, expect.any(Object)],
      ])
      called.add(call.name)
    }

    expect([...called].toSorted()).toEqual(tools.map(({ name }) => name).toSorted())
    await client.close()
  })

  test('gets a 503 of a module as a result, and fails at a 429', async () => {
    const { sandboxKey } = await gateway.createAccount()
    const url = `${gateway.sandbox.url}/mcp`
    const unavailable = await connect(url, sandboxKey, { 'x-sandbox-scenario': 'unavailable' })
    const limited = await connect(url, sandboxKey, { 'x-sandbox-scenario': 'rate_limited' })

    const called = await unavailable.callTool(reveal)
    const refused = limited.callTool(reveal)

    await expect(refused).rejects.toThrow()
    const [block] = called.content as { text: string }[]
    expect(called.isError).toBe(true)
    expect(JSON.parse(block?.text ?? '').error).toMatchObject({ status: 503 })
    await unavailable.close()
    await limited.close()
  })

  test('cancels a call whose module was asked: it is charged, and its repetition gets the answer', async () => {
    const { liveKey } = await own.createAccount({ credits: 100 })
    const client = await connect(`${own.live.url}/mcp`, liveKey)
    backend.received.length = 0
    const kept: (() => void)[] = []
    backend.answer(
      (_, res) => void kept.push(() => sendBackendJson(res, 200, { contact_id: 'con_1' })),
    )
    const leaving = new AbortController()
    const left = client.callTool(reveal, leaving.signal).catch(() => 'left')
    await vi.waitUntil(() => kept.length === 1, patience)

    leaving.abort()
    const first = await left
    for (const answer of kept) answer()
    const again = await client.callTool(reveal)

    expect(first).toBe('left')
    expect(again._meta).toMatchObject({
      ...{ credits_charged: 0, credits_remaining: 95, replayed: true },
    })
    expect(backend.received).toHaveLength(1)
    await client.close()
  })
})
