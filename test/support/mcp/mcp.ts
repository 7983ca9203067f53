import { expect } from 'vitest'
import type { TestClient, TestResponse } from '../requests/client.ts'

/** The revision in which each request stands alone. */
export const modern = '2026-07-28'

export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

type Headers = Readonly<Record<string, string>>

/** The headers of every client. */
export const accepted: Headers = { accept: 'application/json, text/event-stream' }

/** The headers that a request of the newest revision repeats from its body. */
export function headersOf(method: string, params: object = {}): Headers {
  const { name } = Object(params)
  return {
    ...accepted,
    'mcp-protocol-version': modern,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  }
}

/** Sends one message of the newest revision. */
export function ask(
  client: TestClient,
  key: string | undefined,
  method: string,
  params: object = {},
  headers: Headers = {},
): Promise<TestResponse> {
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } }
  return client.post('/mcp', body, key, { ...headersOf(method, params), ...headers })
}

/** Sends one message of an older revision. */
export function askOlder(
  client: TestClient,
  key: string | undefined,
  method: string,
  params: object = {},
  version = '2025-11-25',
): Promise<TestResponse> {
  const body = { jsonrpc: '2.0', id: 1, method, params }
  return client.post('/mcp', body, key, { ...accepted, 'mcp-protocol-version': version })
}

/** Calls a tool. */
export function callTool(
  client: TestClient,
  key: string | undefined,
  name: string,
  input: object = {},
  headers: Headers = {},
): Promise<TestResponse> {
  return ask(client, key, 'tools/call', { name, arguments: input }, headers)
}

/** The result of a call that was answered with one. */
export function resultOf({ status, body }: TestResponse) {
  expect(status, JSON.stringify(body)).toBe(200)
  const { jsonrpc, id, result } = Object(body)
  expect([jsonrpc, id]).toEqual(['2.0', 1])
  return result
}

/** The error body of a call whose tool has failed. */
export function failureOf(response: TestResponse) {
  const { isError, content, structuredContent } = resultOf(response)
  expect([isError, structuredContent]).toEqual([true, undefined])
  return JSON.parse(content[0].text).error
}
