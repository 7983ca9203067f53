import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { chosen } from '../../support/extent/extent.ts'
import { accept, invitationTokenIn } from '../../support/oauth/members.ts'
import { previewOf, secretOf, signInWith } from '../../support/oauth/portal.ts'
import { compileProgram, type Finished } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import { createClient } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

const commands = [
  [],
  ['start'],
  ['ledger', 'verify'],
  ['audit', 'verify'],
  ['usage', 'verify'],
  ['doctor'],
  ['migrate'],
  ['account', 'create'],
  ['account', 'list'],
  ['account', 'show'],
  ['account', 'invite'],
  ['account', 'find'],
  ['account', 'suspend'],
  ['account', 'resume'],
  ['account', 'close'],
  ['account', 'set-tier'],
  ['account', 'reset-passkeys'],
  ['credits', 'grant'],
  ['credits', 'adjust'],
  ['credits', 'refund'],
  ['payments', 'refund'],
  ['jobs', 'list'],
  ['jobs', 'retry'],
  ['key', 'create'],
  ['key', 'revoke'],
  ['portal', 'link'],
  ['operator', 'link'],
  ['operator', 'end'],
  ['token', 'mint'],
  ['token', 'list'],
  ['token', 'revoke'],
]
const unknownAccount = 'acct_01m7wjg1aje00b678rt0km14np'
const unknownPayment = 'pay_01m7wjg1aje00b678rt0km14np'
const unknownKey = 'key_01m7wjg1aje00b678rt0km14np'

const account = z.strictObject({
  account_id: z.string(),
  live_key: z.string(),
  sandbox_key: z.string(),
})
const key = z.strictObject({ key_id: z.string(), plaintext: z.string() })
const token = z.strictObject({ token: z.string(), expires_at: z.iso.datetime() })
const link = z.strictObject({ url: z.string(), expires_at: z.iso.datetime() })
const madeLink = z.strictObject({ url: z.string(), id: z.string(), expires_at: z.iso.datetime() })
const listedTokens = z.array(z.looseObject({ id: z.string() }))
const accounts = z.array(z.looseObject({ id: z.string(), balance: z.number() }))
const entry = z.looseObject({ id: z.string() })
const refunded = z.strictObject({
  id: z.string(),
  payment_id: z.string(),
  amount_cents: z.number(),
  status: z.string(),
})

/** The JSON that a command printed, which must be all that it printed. */
function json<Shape extends z.ZodType>(shape: Shape, { code, stdout, stderr }: Finished) {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  return shape.parse(JSON.parse(stdout))
}

const newAccount = [
  ...['account', 'create', '--name', 'Ada', '--email', 'ada@example.com'],
  ...['--tier', 'GROWTH', '--subscription-tier', 'pro_sub', '--credits', '120', '--json'],
]
const newKey = (accountId: string, ...more: string[]) => [
  ...['key', 'create', '--account', accountId, '--name', 'second', '--json', ...more],
]
const revoke = (id: string, ...more: string[]) => [
  ...['key', 'revoke', id, '--reason', 'It leaked.', '--json', ...more],
]
const grant = (accountId: string, idempotencyKey: string) => [
  ...['credits', 'grant', '--account', accountId, '--credits', '30', '--reason', 'thanks'],
  ...['--idempotency-key', idempotencyKey, '--json'],
  ...['--expires-at', '2099-01-01T00:00:00Z', '--priority', '10'],
]

const until = (expiresAt: string, accountId = unknownAccount) => [
  ...grant(accountId, `until ${expiresAt}`),
  ...['--expires-at', expiresAt],
]

const portalLink = (accountId: string, ...more: string[]) => [
  ...['portal', 'link', '--account', accountId, '--json', ...more],
]

const operatorLink = (...more: string[]) => [
  ...['operator', 'link', '--name', 'Ada Lovelace', '--json', ...more],
]

describe('gateway, the command line', () => {
  let place: Workplace
  beforeAll(async () => {
    await compileProgram()
    place = openWorkplace()
  })
  afterAll(() => place.close())

  test('explains every command on standard output and exits with 0', async () => {
    const results = await Promise.all(
      commands.map(async (words) => ({ words, ...(await place.run([...words, '--help'])) })),
    )

    for (const { words, code, stdout, stderr } of results) {
      expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' })
      expect(stdout).toMatch(new RegExp(`^Usage: ${['gateway', ...words].join(' ')}\\b`))
    }
  })

  test.concurrent.each([
    ['an unknown command', ['launch']],
    ['an unknown option', ['account', 'list', '--colour']],
    ['an unknown role', portalLink(unknownAccount, '--role', 'ROOT')],
    ['an unknown tier', [...newAccount, '--tier', 'GOLD']],
    ['no reason for an act', ['account', 'suspend', unknownAccount]],
    ['no reason for a key that ends', ['key', 'revoke', unknownKey]],
    ['no reason for a refund', ['payments', 'refund', unknownPayment]],
    ['no reason for an invitation', ['account', 'invite', unknownAccount, 'a@b.example']],
    ['no reason for jobs', ['jobs', 'retry']],
    ['an invisible name', ['account', 'close', unknownAccount, '--reason', 'a', '--by', ' ']],
    ['a day that does not exist', until('2027-02-30')],
    ['a month that does not exist', until('2027-13-01')],
    ['an instant without a time zone', until('2027-12-31T12:00:00')],
    ['an instant in words', until('tomorrow')],
    ['an expiry in words', newKey(unknownAccount, '--expires-at', 'never')],
    ['credits that are no number', [...newAccount, '--credits', 'many']],
  ])('answers %s with one line and exit code 2, and starts nothing', async (_, args) => {
    const { code, stdout, stderr } = await place.run(args)

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^error: [^\n]+\n$/)
    expect(place.postmasters()).toEqual([])
  })

  test.concurrent('makes no portal link to a port that is not known', async () => {
    const { code, stdout, stderr } = await place.run(portalLink(unknownAccount, '--role', 'OWNER'))

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('BASE_URL must be set: the gateway chose a free port.\n')
  })

  test.concurrent('makes no link for an operator where there is no page of operators', async () => {
    const { code, stdout, stderr } = await place.run(operatorLink('--role', 'admin'), {
      INTERNAL_HOST: '0.0.0.0',
    })

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('OPERATOR_BASE_URL must be set: the page of operators needs it.\n')
  })

  test.concurrent('names every wrong budget of a new key, with exit code 2', async () => {
    const budgets = ['day:0', 'day:5', 'day:6', 'hour:5'].flatMap((text) => ['--budget', text])

    const { code, stdout, stderr } = await place.run(newKey(unknownAccount, ...budgets))

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    for (const wrong of ['"day:0" must be', '"day:6" has the period', '"hour:5" must be']) {
      expect(stderr).toContain(wrong)
    }
    expect(stderr).not.toContain('"day:5"')
  })

  test.concurrent('names a wrong address of a module, also for a command that asks no module', async () => {
    const { code, stdout, stderr } = await place.run(['account', 'list'], {
      BACKEND_SEO_URL: 'seo',
    })

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('BACKEND_SEO_URL must be an http or https URL\n')
  })
})

describe.concurrent('gateway, the command line, beside a running gateway', () => {
  let place: Workplace
  let gateway: StartedGateway
  beforeAll(async () => {
    await compileProgram()
    place = openWorkplace()
    // Keys are believed for an hour: only a notice can make the gateway forget one.
    gateway = await place.start({ KEY_CACHE_SECONDS: '3600' })
  })
  afterAll(() => place.close())

  /** The status of a call with this key. */
  const statusWith = async (plaintext: string) =>
    (await createClient(gateway.baseUrl).get('/v1/account', plaintext)).status

  const untilStatus = (plaintext: string, status: number) =>
    vi.waitUntil(async () => (await statusWith(plaintext)) === status, patience)

  test('account create, list and show agree', async () => {
    const created = json(account, await place.run(newAccount))

    expect(await createClient(gateway.baseUrl).get('/v1/account', created.live_key)).toMatchObject({
      status: 200,
      body: { id: created.account_id, tier: 'GROWTH', subscription_tier: 'pro_sub', balance: 120 },
    })
    const [listed, shown] = await Promise.all([
      place.run(['account', 'list', '--json']),
      place.run(['account', 'show', created.account_id, '--json']),
    ])
    expect(json(accounts, listed)).toContainEqual(
      expect.objectContaining({ id: created.account_id, balance: 120 }),
    )
    expect(json(entry, shown)).toMatchObject({ id: created.account_id, name: 'Ada', balance: 120 })
    expect(shown.stdout).not.toContain(created.live_key)
  })

  test('account find finds by id, address, shown key and external id, and by nothing else', async () => {
    const tag = crypto.randomUUID()
    const email = `${tag}@find.example`
    const created = json(
      account,
      await place.run(['account', 'create', '--name', 'Ada', '--email', email, '--json']),
    )
    const { account_id: id, live_key: liveKey } = created
    json(key, await place.run(newKey(id, '--external-id', tag)))
    await place.run(['account', 'invite', id, `owner-${email}`, '--reason', 'Because'], {
      BASE_URL: gateway.baseUrl,
    })
    const find = async (text: string) =>
      json(accounts, await place.run(['account', 'find', text, '--json'])).map((one) => one.id)

    expect(await find(id)).toEqual([id])
    expect(await find(email.toUpperCase())).toEqual([id])
    expect(await find(`owner-${email}`)).toEqual([id])
    expect(await find(tag)).toEqual([id])
    expect(await find(`svc_live_…${liveKey.slice(-4)}`)).toContain(id)
    expect(await find(tag.slice(1))).toEqual([])
  })

  test('account suspend, resume, set-tier and close change the account, each for a reason', async () => {
    const { account_id: id, live_key: liveKey } = json(account, await place.run(newAccount))
    const changed = z.strictObject({
      ...{ id: z.string(), status: z.string(), tier: z.string() },
      before: z.object({ status: z.string(), tier: z.string() }),
    })
    const act = async (name: string, ...more: string[]) => {
      const said = ['--reason', 'Because', '--by', 'Ada Lovelace', '--json']
      return json(changed, await place.run(['account', name, id, ...more, ...said]))
    }

    expect(await act('suspend')).toMatchObject({
      ...{ id, status: 'SUSPENDED' },
      before: { status: 'ACTIVE', tier: 'GROWTH' },
    })
    await untilStatus(liveKey, 403)
    expect(await act('resume')).toMatchObject({ status: 'ACTIVE', before: { status: 'SUSPENDED' } })
    await untilStatus(liveKey, 200)
    expect(await act('set-tier', 'SCALE')).toMatchObject({
      ...{ tier: 'SCALE', before: { tier: 'GROWTH' } },
    })
    const once = ['--idempotency-key', 'close-1']
    const closed = await act('close', ...once)
    expect(await act('close', ...once)).toEqual(closed)
    await untilStatus(liveKey, 401)

    const minted = json(token, await place.run(['token', 'mint', '--role', 'readonly', '--json']))
    const query = `query ($id: ID!) { account(id: $id) {
      auditEvents(actor: "internal:Ada Lovelace") { nodes { action actorId details } } } }`
    const lines = async () => {
      const client = createClient(gateway.internalUrl)
      const { body } = await client.post('/graphql', { query, variables: { id } }, minted.token)
      return Object(body).data.account.auditEvents.nodes.toReversed()
    }
    const line = (before: object, after: object) => ({
      ...{ action: 'account.update', actorId: 'Ada Lovelace' },
      details: { ...after, reason: 'Because', before, after },
    })
    await vi.waitFor(async () => {
      expect(await lines()).toEqual([
        line({ status: 'ACTIVE' }, { status: 'SUSPENDED' }),
        line({ status: 'SUSPENDED' }, { status: 'ACTIVE' }),
        line({ tier: 'GROWTH' }, { tier: 'SCALE' }),
        line({ status: 'ACTIVE' }, { status: 'CLOSED' }),
      ])
    }, patience)
  })

  test('credits grant grants once for one idempotency key', async () => {
    const { account_id, live_key } = place.demo()

    const results = await Promise.all([
      place.run(grant(account_id, 'thanks-1')),
      place.run(grant(account_id, 'thanks-1')),
    ])

    const [first, second] = results.map((result) => json(entry, result))
    expect(second).toEqual(first)
    const credits = await createClient(gateway.baseUrl).get('/v1/account/credits', live_key)
    expect(credits.body).toMatchObject({ balance: 10_030 })
  })

  test('payments refund refunds once, and a running gateway asks the provider', async () => {
    const { live_key: key } = json(account, await place.run(newAccount))
    const live = createClient(gateway.baseUrl)
    const order = { package_id: 'pack_starter', payment_method: 'simulated' }
    const bought = await live.post('/v1/billing/checkout', order, key)
    expect(bought.status).toBe(201)
    const { id } = Object(bought.body)
    const refund = (...more: string[]) =>
      place.run(['payments', 'refund', id, '--reason', 'thanks', '--json', ...more])

    const first = json(refunded, await refund('--cents', '400'))
    const again = json(refunded, await refund('--cents', '400'))
    const tooMuch = await refund('--cents', '601')

    expect(first).toMatchObject({ payment_id: id, amount_cents: 400 })
    expect(again.id).toBe(first.id)
    expect(tooMuch).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: 'error: amountCents: must be at most 600: so much is left\n',
    })
    await vi.waitUntil(async () => {
      const { body } = await live.get('/v1/account/credits', key)
      return Object(body).balance === 120 + 1000 - 400
    }, patience)
  })

  test('credits grant takes a date as the end of that day in UTC', async () => {
    const { account_id: accountId, live_key: liveKey } = json(account, await place.run(newAccount))

    json(entry, await place.run(until('2099-12-31', accountId)))
    json(entry, await place.run(until('2098-12-31T12:00:00+02:00', accountId)))

    const lots = await createClient(gateway.baseUrl).get('/v1/account/credits/lots', liveKey)
    expect(lots.status).toBe(200)
    const ends = Object(lots.body).items.map((lot: { expires_at: string }) => lot.expires_at)
    expect(ends).toEqual(
      expect.arrayContaining(['2099-12-31T23:59:59.999Z', '2098-12-31T10:00:00.000Z']),
    )
  })

  test.each([
    [
      'an end in the past',
      (id: string) => newKey(id, '--expires-at', '2020-12-31'),
      '--expires-at',
    ],
    ['no credits', (id: string) => [...grant(id, 'none'), '--credits', '0'], '--credits'],
    [
      'an office as an address',
      (id: string) => newKey(id, '--ip-allowlist', 'a'),
      '--ip-allowlist',
    ],
  ])('answers %s with one line and exit code 2', async (_, argsFor, option) => {
    const { code, stdout, stderr } = await place.run(argsFor(place.demo().account_id))

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^error: [^\n]+\n$/)
    expect(stderr).toContain(` ${option}: `)
  })

  test('key create and key revoke take effect without waiting for a cache to expire', async () => {
    const created = json(
      key,
      await place.run(newKey(place.demo().account_id, '--scopes', 'account:read')),
    )
    await untilStatus(created.plaintext, 200)

    const revoked = await place.run(revoke(created.key_id, '--by', 'Ada Lovelace'))

    expect(json(entry, revoked)).toMatchObject({
      ...{ id: created.key_id, status: 'revoked', status_before: 'active' },
    })
    await untilStatus(created.plaintext, 401)
  })

  test('acts with --by are those of the person, whose key belongs to one act', async () => {
    const one = json(account, await place.run(newAccount))
    const other = json(account, await place.run(newAccount))
    const { key_id: keyId, plaintext } = json(
      key,
      await place.run(newKey(one.account_id, '--by', 'Ada Lovelace')),
    )
    expect(
      await createClient(gateway.baseUrl).get('/v1/account/keys/current', plaintext),
    ).toMatchObject({ status: 200, body: { created_by: 'internal:cli' } })
    const person = ['--by', 'Ada Lovelace', '--reason', 'Because', '--json']
    const once = ['--idempotency-key', `once ${one.account_id}`]
    const credits = ['--credits', '7', '--idempotency-key']
    const to = (id: string) => ['--account', id]
    const link = [...to(one.account_id), '--role', 'VIEWER']

    const made = await Promise.all(
      [
        ['key', 'revoke', keyId, ...once],
        ['credits', 'grant', ...to(one.account_id), ...credits, `grant ${one.account_id}`],
        ['credits', 'adjust', ...to(one.account_id), ...credits, `adjust ${one.account_id}`],
        ['portal', 'link', ...link],
      ].map((words) => place.run([...words, ...person], { BASE_URL: gateway.baseUrl })),
    )
    const again = await place.run(['key', 'revoke', keyId, ...once, ...person])
    const elsewhere = await place.run(['account', 'close', other.account_id, ...once, ...person])
    const mute = await place.run(['portal', 'link', ...link, '--by', 'Ada Lovelace'], {
      BASE_URL: gateway.baseUrl,
    })

    for (const { code, stderr } of made) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(again).toEqual(made[0])
    for (const { code, stderr } of [elsewhere, mute])
      expect([code, stderr]).toEqual([2, expect.any(String)])
    expect(elsewhere.stderr).toBe('error: --idempotency-key: was used before for another request\n')
    expect(mute.stderr).toBe('error: --reason: must have 1 to 200 characters\n')
    const minted = json(token, await place.run(['token', 'mint', '--role', 'readonly', '--json']))
    const query = `query ($id: ID!) { account(id: $id) {
      auditEvents(actor: "internal:Ada Lovelace") { nodes { action details } } } }`
    await vi.waitFor(async () => {
      const client = createClient(gateway.internalUrl)
      const variables = { id: one.account_id }
      const { body } = await client.post('/graphql', { query, variables }, minted.token)
      const lines: { action: string; details: { reason?: string } }[] =
        Object(body).data.account.auditEvents.nodes
      const told = lines.map(({ action, details }) => [action, details.reason])
      expect(told.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual([
        ['credits.adjust', 'Because'],
        ['credits.grant', 'Because'],
        // A new key needs no reason.
        ['key.create', undefined],
        ['key.revoke', 'Because'],
        // The link without a reason was refused.
        ['portal_link.create', undefined],
        ['portal_link.create', 'Because'],
      ])
    }, patience)
  })

  test('key create takes budgets and an external id', async () => {
    const budgets = ['--budget', 'day:500', '--budget', 'month:5000', '--external-id', 'team-1']

    const { plaintext } = json(key, await place.run(newKey(place.demo().account_id, ...budgets)))

    const client = createClient(gateway.baseUrl)
    const { status, body } = await client.get('/v1/account/keys/current', plaintext)
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ external_id: 'team-1', created_by: 'internal:cli' },
        budgets: [
          { period: 'day', limit_credits: 500 },
          { period: 'month', limit_credits: 5000 },
        ],
      },
    ])
  })

  test('token mint makes a token of the role with the given lifetime', async () => {
    const minted = json(
      token,
      await place.run(['token', 'mint', '--role', 'readonly', '--ttl', '1h', '--json']),
    )

    const seconds = (Date.parse(minted.expires_at) - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(3500)
    expect(seconds).toBeLessThanOrEqual(3600)
    const query = '{ accounts(first: 1) { nodes { id } } }'
    const answer = await createClient(gateway.internalUrl).post('/graphql', { query }, minted.token)
    expect(answer).toMatchObject({ status: 200, body: { data: { accounts: { nodes: [{}] } } } })
  })

  test('portal link makes a link that signs in once, to live as `cli` unless told', async () => {
    const { account_id: accountId } = place.demo()
    const to = (words: string[]) => place.run(portalLink(accountId, ...words))
    const elsewhere = ['--environment', 'sandbox', '--actor', 'Jane Doe']
    const ofLive = json(link, await to(['--role', 'owner']))
    const ofSandbox = json(link, await to(['--role', 'VIEWER', ...elsewhere]))
    const live = createClient(gateway.baseUrl)
    const sandbox = createClient(gateway.sandboxUrl)

    const preview = await previewOf(live, { portal_token: secretOf(ofLive.url) })
    const first = await signInWith(live, { portal_token: secretOf(ofLive.url) })
    const second = await signInWith(live, { portal_token: secretOf(ofLive.url) })
    const other = await previewOf(sandbox, { portal_token: secretOf(ofSandbox.url) })

    expect(ofLive.url.startsWith(`${gateway.baseUrl}/console/portal#svc_opl_`)).toBe(true)
    expect(ofSandbox.url.startsWith(`${gateway.sandboxUrl}/console/portal#`)).toBe(true)
    expect(Date.parse(ofLive.expires_at) - Date.now()).toBeLessThanOrEqual(15 * 60_000)
    expect(preview).toMatchObject({ status: 200, body: { role: 'OWNER', actor: 'cli' } })
    expect([first.status, second.status]).toEqual([201, 404])
    const shown = { environment: 'sandbox', role: 'VIEWER', actor: 'Jane Doe' }
    expect(other).toMatchObject({ status: 200, body: { account_id: accountId, ...shown } })
  })

  test('operator link makes a link that signs in once, until operator end', async () => {
    const made = json(madeLink, await place.run(operatorLink('--role', 'support')))
    const unused = json(madeLink, await place.run(operatorLink('--role', 'readonly')))
    const page = `http://localhost:${new URL(gateway.internalUrl).port}`
    const ask = (operation: string, variables: object, cookie = '') =>
      fetch(`${page}/operator/api`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
        body: JSON.stringify({ operation, variables }),
      })
    expect(made.url.startsWith(`${page}/operator#token=svc_olk_`)).toBe(true)
    expect(Date.parse(made.expires_at) - Date.now()).toBeLessThanOrEqual(15 * 60_000)
    const [, token = ''] = made.url.split('#token=')
    const [, other = ''] = unused.url.split('#token=')

    const first = await ask('SignIn', { token })
    const second = await ask('SignIn', { token })

    expect([first.status, second.status]).toEqual([200, 404])
    expect(await first.json()).toEqual({ data: { name: 'Ada Lovelace', role: 'support' } })
    const cookie = first.headers.get('set-cookie')?.split(';').at(0)
    expect((await ask('Me', {}, cookie)).status).toBe(200)
    const ended = await place.run(['operator', 'end', '--name', 'Ada Lovelace', '--json'])
    expect([ended.code, JSON.parse(ended.stdout)]).toEqual([0, { links: 1, sessions: 1 }])
    expect((await ask('Me', {}, cookie)).status).toBe(401)
    expect((await ask('SignIn', { token: other })).status).toBe(404)
  })

  test('account invite prints the link of an invitation, to live, where no mails are sent', async () => {
    const { account_id: accountId } = place.demo()
    const invite = [
      ...['account', 'invite', accountId, 'Owner@Acme.example', '--reason', 'Because', '--json'],
    ]
    const invitation = z.object({
      ...{ id: z.string(), email: z.string(), role: z.string(), state: z.string() },
      link: z.string(),
    })

    const first = json(invitation, await place.run(invite))
    const again = json(invitation, await place.run([...invite, '--role', 'VIEWER']))
    const live = createClient(gateway.baseUrl)
    const voided = await accept({ live }, invitationTokenIn(first.link))
    const joined = await accept({ live }, invitationTokenIn(again.link))
    const member = await place.run(invite)

    expect(first).toMatchObject({ email: 'owner@acme.example', role: 'OWNER', state: 'invited' })
    expect(first.link.startsWith(`${gateway.baseUrl}/console/invitation#ivt_`)).toBe(true)
    expect([voided.status, joined.status]).toEqual([404, 201])
    expect(member).toMatchObject({ code: 1, stderr: 'This address belongs to a member.\n' })
  })

  test('token mint refuses a lifetime above INTERNAL_TOKEN_MAX_TTL', async () => {
    const mint = ['token', 'mint', '--role', 'admin', '--ttl', '25h', '--json']

    const refused = await place.run(mint)
    const permitted = await place.run(mint, { INTERNAL_TOKEN_MAX_TTL: '90000' })

    expect(refused).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: 'error: --ttl must be at most 86400 seconds: INTERNAL_TOKEN_MAX_TTL says so.\n',
    })
    const long = json(token, permitted)
    // The running gateway permits a day.
    const query = '{ __typename }'
    const answer = await createClient(gateway.internalUrl).post('/graphql', { query }, long.token)
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'INVALID_API_KEY' } } })
  })

  test('token list shows minted tokens, and token revoke ends one at once', async () => {
    const mint = ['token', 'mint', '--role', 'support', '--json']
    const minted = json(token, await place.run(mint))
    const tokenId = String(decodeJwt(minted.token).jti)
    const ask = async () => {
      const client = createClient(gateway.internalUrl)
      return (await client.post('/graphql', { query: '{ __typename }' }, minted.token)).status
    }
    const find = async () => {
      const listed = json(listedTokens, await place.run(['token', 'list', '--json']))
      return listed.find(({ id }) => id === tokenId)
    }
    expect(await ask()).toBe(200)
    expect(await find()).toEqual({
      ...{ id: tokenId, role: 'support', revoked_at: null },
      ...{ expires_at: minted.expires_at, minted_at: expect.any(String) },
    })

    const revoked = await place.run(['token', 'revoke', tokenId, '--json'])

    expect(await ask()).toBe(401)
    expect(json(z.looseObject({ id: z.string() }), revoked)).toMatchObject({ id: tokenId })
    expect(await find()).toMatchObject({ revoked_at: expect.any(String) })
    expect(revoked.stdout).not.toContain(minted.token)
  })

  test('jobs list and jobs retry find nothing to do', async () => {
    const [listed, retried] = await Promise.all([
      place.run(['jobs', 'list', '--json']),
      place.run([
        ...['jobs', 'retry', '--operation', 'TurnSubscription', '--reason', 'Because', '--json'],
      ]),
    ])

    expect(json(z.array(z.unknown()), listed)).toEqual([])
    expect(json(z.looseObject({}), retried)).toEqual({ retried: 0 })
  })

  test('migrate finds nothing to do', async () => {
    const { code, stderr } = await place.run(['migrate', '--json'])

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await statusWith(place.demo().live_key)).toBe(200)
  })

  const unknown: readonly (readonly [string, readonly string[]])[] = [
    ['account show', ['account', 'show', unknownAccount]],
    ['account suspend', ['account', 'suspend', unknownAccount, '--reason', 'a']],
    ['credits grant', grant(unknownAccount, 'thanks-2')],
    ['payments refund', ['payments', 'refund', unknownPayment, '--reason', 'thanks']],
    ['key create', newKey(unknownAccount)],
    ['portal link', portalLink(unknownAccount, '--role', 'OWNER')],
    ['key revoke', revoke(unknownKey)],
  ]
  test.each(chosen('something unknown', unknown, 2))(
    '%s of something unknown fails with a message',
    async (_, args) => {
      const { code, stdout, stderr } = await place.run(args, { BASE_URL: gateway.baseUrl })

      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^No (account|API key|payment) has this id\.\n$/)
    },
  )
})

describe('gateway, the command line, while no gateway runs', () => {
  let place: Workplace
  beforeAll(async () => {
    await compileProgram()
    place = openWorkplace()
  })
  afterAll(() => place.close())

  test('works on the data folder, and a gateway that starts later has all changes', {
    timeout: 300_000,
  }, async () => {
    expect(await place.run(['migrate', '--json'])).toMatchObject({ code: 0, stderr: '' })
    const created = json(account, await place.run(newAccount))
    const { account_id } = created
    json(entry, await place.run(grant(account_id, 'thanks')))
    const revoked = json(key, await place.run(newKey(account_id)))
    json(entry, await place.run(revoke(revoked.key_id)))
    const minted = json(token, await place.run(['token', 'mint', '--role', 'admin', '--json']))
    expect(place.postmasters()).toEqual([])

    const { baseUrl, internalUrl } = await place.start()

    const live = createClient(baseUrl)
    expect((await live.get('/v1/account/credits', created.live_key)).body).toMatchObject({
      balance: 150,
    })
    expect((await live.get('/v1/account', revoked.plaintext)).status).toBe(401)
    const query = '{ accounts(first: 5) { nodes { id name } } }'
    const answer = await createClient(internalUrl).post('/graphql', { query }, minted.token)
    const { nodes } = Object(answer.body).data.accounts
    expect(nodes).toHaveLength(2)
    expect(nodes[0]).toMatchObject({ name: 'Demo' })
    expect(nodes[1]).toMatchObject({ id: account_id })
  })
})
