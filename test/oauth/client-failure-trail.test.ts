import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { postForm, registerApp } from '../support/oauth-flow.ts'
import { patience } from '../support/patience.ts'

// Of its own: the trail takes so many failures of one address in a second, and these are fewer.
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

interface Line {
  readonly action: string
  readonly result: string
  readonly account_id: string | null
  readonly actor_kind: string
  readonly resource_id: string | null
  readonly address: string
  readonly details: object
}

const lineOf = (requestId: string | null) =>
  vi.waitUntil(async () => {
    const [line] = await gateway.database.query<Line>(
      `SELECT action, result, account_id, actor_kind, resource_id, address, details
       FROM usage.audit_event WHERE request_id = $1`,
      [requestId],
    )
    return line
  }, patience)

test.each(['/v1/oauth/token', '/v1/oauth/revoke', '/v1/oauth/introspect'])(
  'rules 10, 118: a failure at %s has its line in the audit trail, and no secret in it',
  async (path) => {
    const app = await registerApp(gateway)
    const form = { token: 'x', grant_type: 'refresh_token', refresh_token: 'x' }
    // Swapped by mistake, not to be found again; and what no column would take.
    const swapped = { client_id: app.secret ?? '', client_secret: app.clientId }
    const hostile = ['\0', 'x'.repeat(500), '\ud800', ' ']
    for (const client_id of hostile) {
      await postForm(gateway.live, path, { ...form, client_id, client_secret: 'x' })
    }
    const unknown = await postForm(gateway.live, path, { ...form, ...swapped })

    const wrong = { client_id: app.clientId, client_secret: 'x' }
    const response = await postForm(gateway.live, path, { ...form, ...wrong })

    const line = {
      action: 'authentication.fail',
      result: 'invalid_client',
      account_id: null,
      actor_kind: 'anonymous',
      address: '127.0.0.1',
      details: { method: 'POST', endpoint: path, not_recorded_before: expect.any(Number) },
    }
    expect(await lineOf(response.headers.get('x-request-id'))).toEqual({
      ...line,
      resource_id: app.clientId,
    })
    expect(await lineOf(unknown.headers.get('x-request-id'))).toEqual({
      ...line,
      resource_id: null,
    })
  },
)
