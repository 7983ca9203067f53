import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { cookieOf, linkToken, signInWith } from '../../support/oauth/portal.ts'
import { openPage, type Page, pageOf } from '../../support/oauth/sessions.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

async function ownerPage({ id: accountId }: TestAccount): Promise<Page> {
  const proof = { portal_token: await linkToken(gateway, { accountId, role: 'OWNER' }) }
  const answer = await signInWith(gateway.live, proof)
  expect(answer.status).toBe(201)
  return pageOf(gateway.live, cookieOf(answer) ?? '', Object(answer.body).id)
}

interface Entry {
  readonly endpoint: string
  readonly credits: number
  readonly key_id: string | null
  readonly source: string
}

async function logOf(page: Page, query = ''): Promise<Entry[]> {
  const { status, body } = await page.get(`/v1/account/usage/log?extended=true${query}`)
  expect(status).toBe(200)
  return Object(body).items
}

/** The totals of every answer that adds up calls. */
async function totalsOf(page: Page) {
  const paths = [
    '/v1/account/overview',
    '/v1/account/usage/summary?interval=hour',
    '/v1/account/usage/summary?interval=hour&group_by=key',
    '/v1/account/billing',
  ]
  const answers = await Promise.all(paths.map((path) => page.get(path)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const [overview, byService, byKey, billing] = answers.map(({ body }) => Object(body))
  const sum = (items: { requests: number; credits: number }[]) => ({
    requests: items.reduce((all, { requests }) => all + requests, 0),
    credits: items.reduce((all, { credits }) => all + credits, 0),
  })
  const { requests, credits } = overview.usage.month_to_date
  const { requests: billed, credits: cost } = billing.month_to_date
  return [
    { requests, credits },
    sum(byService.items),
    sum(byKey.items),
    { requests: billed, credits: cost },
  ]
}

const each = <Value>(value: Value) => [value, value, value, value]

describe.each([
  ['a key', (account: TestAccount) => openPage(gateway.live, account.liveKey)],
  ['a person', ownerPage],
] as const)('calls of a session of %s', (who, open) => {
  test('that cost nothing have the source session, and are in no sum', async () => {
    const page = await open(await gateway.createAccount())
    const before = await totalsOf(page)
    const answers = [
      await page.get('/v1/account'),
      await page.get('/v1/account/keys'),
      await page.get('/v1/account/keys/key_1'),
      await page.send('POST', '/v1/quotes', {
        calls: [{ method: 'GET', path: '/v1/cloud/files' }],
      }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200])

    const entries = await logOf(page, '&source=session&limit=200')
    const others = await logOf(page, '&source=key,token')

    expect(await totalsOf(page)).toEqual(before)
    const endpoints = entries.map(({ endpoint }) => endpoint)
    for (const path of [
      '/v1/account',
      '/v1/account/keys',
      '/v1/account/keys/key_1',
      '/v1/quotes',
    ]) {
      expect(endpoints).toContain(path)
    }
    expect(new Set(entries.map(({ source }) => source))).toEqual(new Set(['session']))
    for (const { key_id } of entries) {
      expect(key_id).toEqual(who === 'a key' ? expect.stringMatching(/^key_/) : null)
    }
    expect(others.filter(({ endpoint }) => endpoint !== '/v1/oauth/session')).toEqual([])
  })

  test('that are product calls are ordinary entries, whatever they cost, and in every sum', async () => {
    const page = await open(await gateway.createAccount())
    const before = await totalsOf(page)
    const answers = [
      await page.send('POST', '/v1/contacts/reveal', { contact_id: 'con_1' }),
      await page.get('/v1/contacts/con_1'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])

    const entries = await logOf(page, '&source=key,token&service=contacts')

    const key_id = who === 'a key' ? expect.stringMatching(/^key_/) : null
    expect(entries).toMatchObject([
      { endpoint: '/v1/contacts/con_1', credits: 0, key_id, source: 'key' },
      { endpoint: '/v1/contacts/reveal', credits: 5, key_id, source: 'key' },
    ])
    expect(await logOf(page, '&source=session&service=contacts')).toEqual([])
    const [first] = before
    const expected = { requests: (first?.requests ?? 0) + 2, credits: (first?.credits ?? 0) + 5 }
    expect(await totalsOf(page)).toEqual(each(expected))
    const audit = await gateway.graphql('{ usageAudit { drifts { problem } } }')
    expect(audit).toEqual({ usageAudit: { drifts: [] } })
  })
})
