import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import { postForm, registerApp } from '../../../support/oauth/oauth-flow.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ TRUST_PROXY: '1' })
})
afterAll(() => gateway.close())

const paths = ['/v1/oauth/token', '/v1/oauth/revoke', '/v1/oauth/introspect']

test.each(paths)(
  'failures at %s are counted by address, without the secret and without a line in the audit trail (docs/oauth-rules.md 10, 118)',
  async (path) => {
    const address = `192.0.2.${1 + paths.indexOf(path)}`
    const app = await registerApp(gateway)
    const form = { token: 'x', grant_type: 'refresh_token', refresh_token: 'x' }
    const post = (client: object) =>
      postForm(gateway.live, path, { ...form, ...client }, { 'x-forwarded-for': address })
    // Swapped by mistake, not to be found again; and what no column would take.
    const swapped = { client_id: app.secret ?? '', client_secret: app.clientId }
    const hostile = ['\0', 'x'.repeat(500), '\ud800', ' ']
    const requests = [
      ...hostile.map((client_id) => ({ client_id, client_secret: 'x' })),
      swapped,
      { client_id: app.clientId, client_secret: 'x' },
    ]

    const statuses: number[] = []
    for (const client of requests) statuses.push((await post(client)).status)

    const refused = statuses.filter((status) => status === 401).length
    expect(refused).toBeGreaterThanOrEqual(2)
    await vi.waitFor(async () => {
      const rows = await gateway.database.query(
        `SELECT result, sum(failures)::int AS failures, min(last_route) AS last_route
         FROM usage.anonymous_failure WHERE client = $1 GROUP BY result`,
        [address],
      )
      expect(rows).toEqual([{ result: 'invalid_client', failures: refused, last_route: path }])
    }, patience)
    const [kept] = await gateway.database.query(
      `SELECT (SELECT count(*)::int FROM usage.audit_event WHERE address = $1) AS lines,
         (SELECT count(*)::int FROM usage.anonymous_failure a WHERE a::text LIKE $2) AS secrets`,
      [address, `%${app.secret}%`],
    )
    expect(kept).toEqual({ lines: 0, secrets: 0 })
  },
)
