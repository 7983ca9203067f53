import type { Target } from './compare.ts'
import type { GatewayReady } from './gateway.ts'
import { keyInBody } from './load.ts'

/** POST /v1/contacts/reveal, with the keys of all accounts in rotation. */
export function revealRequest({ accounts }: Pick<GatewayReady, 'accounts'>): Omit<Target, 'url'> {
  return {
    method: 'POST',
    path: '/v1/contacts/reveal',
    body: JSON.stringify({ contact_id: 'con_5f1e0c7a9b3d2e48' }),
    headerSets: accounts.map(({ liveKey }) => ({
      authorization: `Bearer ${liveKey}`,
      'content-type': 'application/json',
    })),
  }
}

/** The same call as a tool of `/mcp`. Fresh keys are contacts, from which it derives keys of its own. */
export function revealToolRequest({
  accounts,
}: Pick<GatewayReady, 'accounts'>): Omit<Target, 'url'> {
  const name = 'contacts_reveal_contact'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name, arguments: { contact_id: `con_${keyInBody}` }, _meta }
  return {
    method: 'POST',
    path: '/mcp',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    headerSets: accounts.map(({ liveKey }) => ({
      authorization: `Bearer ${liveKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    })),
  }
}
