import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { modern } from '../../support/mcp/mcp.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

interface Called {
  readonly isError?: boolean | undefined
  readonly structuredContent?: unknown
  readonly content?: unknown
  readonly _meta?: Record<string, unknown> | undefined
}

/** What both clients can do. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<Called>
  close(): Promise<void>
}

const about = { name: 'test', version: '1.0.0' }

function transportOptions(key: string) {
  return { requestInit: { headers: { authorization: `Bearer ${key}` } } }
}

const clients: Readonly<Record<string, (url: string, key: string) => Promise<AnyClient>>> = {
  'client 2.4.0 in the newest revision': async (url, key) => {
    const client = new Client(about, { versionNegotiation: { mode: { pin: modern } } })
    await client.connect(new StreamableHTTPClientTransport(new URL(url), transportOptions(key)))
    return client as AnyClient
  },
  'client 2.4.0, which finds out the revision': async (url, key) => {
    const client = new Client(about, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(new URL(url), transportOptions(key)))
    return client as AnyClient
  },
  'client 2.4.0 in an older revision': async (url, key) => {
    const client = new Client(about, { versionNegotiation: { mode: 'legacy' } })
    await client.connect(new StreamableHTTPClientTransport(new URL(url), transportOptions(key)))
    return client as AnyClient
  },
  'sdk 1.32.2': async (url, key) => {
    const client = new OlderClient(about)
    await client.connect(new OlderTransport(new URL(url), transportOptions(key)))
    return client as unknown as AnyClient
  },
}

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
})
