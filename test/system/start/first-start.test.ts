import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { previewOf, secretOf, signInWith } from '../../support/oauth/portal.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type Workplace,
  type WorkplaceOptions,
} from '../../support/processes/workplace.ts'
import { createClient } from '../../support/requests/client.ts'
import { curlCommand, paste } from '../../support/requests/pasted-command.ts'

const isRoot = process.getuid?.() === 0
const nobody = { uid: 65_534, gid: 65_534 }

beforeAll(compileProgram)

function workplaceOf({ onTestFinished }: TestContext, options?: WorkplaceOptions): Workplace {
  const place = openWorkplace(options)
  onTestFinished(() => place.close())
  return place
}

/** The link of the banner signs in the owner of the demo account, once. */
async function expectConsoleLink(
  banner: string,
  { baseUrl, accountId }: { baseUrl: string; accountId: string },
): Promise<void> {
  const url = /Console +(\S+)\n/.exec(banner)?.[1] ?? ''
  expect(url.startsWith(`${baseUrl}/console/portal#svc_opl_`)).toBe(true)
  expect(banner).toContain(`npx gateway portal link --account ${accountId} --role OWNER\n`)
  const proof = { portal_token: secretOf(url) }
  const live = createClient(baseUrl)
  const expected = { account_id: accountId, role: 'OWNER', actor: 'demo', environment: 'live' }
  expect(await previewOf(live, proof)).toMatchObject({ status: 200, body: expected })
  expect((await signInWith(live, proof)).status).toBe(201)
  expect((await signInWith(live, proof)).status).toBe(404)
}

describe.concurrent('gateway start', () => {
  test('shows its addresses, new keys and a command that works, and stores them', async (context) => {
    const place = workplaceOf(context, { mode: 0o755 })
    const gateway = await place.start()

    const demo = place.demo()
    expect(demo).toMatchObject({
      base_url: gateway.baseUrl,
      sandbox_url: gateway.sandboxUrl,
      internal_url: gateway.internalUrl,
    })
    expect(statSync(join(place.dataDir, 'demo.json')).mode & 0o777).toBe(0o600)
    const banner = gateway.stdout()
    for (const shown of [demo.account_id, demo.live_key, demo.sandbox_key]) {
      expect(banner).toContain(shown)
    }
    expect(banner).not.toContain(demo.internal_token)
    const port = new URL(gateway.internalUrl).port
    expect(banner).toContain(`  Operators        http://localhost:${port}/operator\n`)
    await expectConsoleLink(banner, { ...gateway, accountId: demo.account_id })
    expect(gateway.stderr()).not.toContain(demo.live_key)
    expect(gateway.stderr()).toContain(
      `This is the first start: it makes a PostgreSQL database in ${place.dataDir}.\nIt writes a demo account with an invented history.\n`,
    )
    const answer = await paste(curlCommand(banner))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('X-Credits-Charged')).toBe('5')
    expect(answer.headers.get('X-Credits-Remaining')).toBe('9995')
    const sandbox = createClient(gateway.sandboxUrl)
    expect(await sandbox.get('/v1/account', demo.sandbox_key)).toMatchObject({
      status: 200,
      body: { id: demo.account_id, environment: 'sandbox' },
    })
    const internal = createClient(gateway.internalUrl)
    const query = '{ accounts(first: 2) { nodes { id balance } } }'
    expect(await internal.post('/graphql', { query }, demo.internal_token)).toMatchObject({
      status: 200,
      body: { data: { accounts: { nodes: [{ id: demo.account_id, balance: 9995 }] } } },
    })
  })

  test('keeps account, keys and balance over a restart, and does not show the keys again', async (context) => {
    // Quotes and spaces must not break the command that the banner shows.
    const place = workplaceOf(context, { prefix: "gateway's start " })
    const first = await place.start()
    const before = place.demo()
    expect((await paste(curlCommand(first.stdout()))).status).toBe(200)
    first.signal('SIGTERM')
    expect(await first.finished).toMatchObject({ code: 0 })

    const second = await place.start()

    const { account_id, live_key, sandbox_key } = before
    const demo = place.demo()
    expect(demo).toMatchObject({ account_id, live_key, sandbox_key, base_url: second.baseUrl })
    expect(second.stdout()).toContain(account_id)
    expect(second.stdout()).not.toContain(live_key)
    await expectConsoleLink(second.stdout(), { ...second, accountId: account_id })
    expect(second.stdout()).not.toContain(sandbox_key)
    const credits = await createClient(second.baseUrl).get('/v1/account/credits', live_key)
    expect(credits.body).toMatchObject({ balance: 9995, held: 0 })
    expect(statSync(join(place.dataDir, 'demo.json')).mode & 0o777).toBe(0o600)
    // The command of the second start works when pasted, too (docs/contract.md §1).
    const answer = await paste(curlCommand(second.stdout()))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('X-Credits-Remaining')).toBe('9990')
  })

  test('writes a new token of a day into demo.json, and keeps the other members', async (context) => {
    const place = workplaceOf(context)
    const first = await place.start()
    const before = place.demo()
    first.signal('SIGTERM')
    expect(await first.finished).toMatchObject({ code: 0 })
    const file = join(place.dataDir, 'demo.json')
    writeFileSync(file, JSON.stringify({ ...before, note: 'mine' }))

    const second = await place.start({ CONSOLE: 'off' })

    const { internal_token, ...kept } = Object(JSON.parse(readFileSync(file, 'utf8')))
    const { internal_token: earlier, ...others } = before
    const addresses = { base_url: second.baseUrl, sandbox_url: second.sandboxUrl }
    expect(kept).toEqual({
      ...{ ...others, ...addresses, internal_url: second.internalUrl },
      note: 'mine',
    })
    const claims = [earlier, internal_token].map((token) => decodeJwt(token))
    expect(new Set(claims.map(({ jti }) => jti)).size).toBe(2)
    for (const { exp = 0, iat = 0 } of claims) expect(exp - iat).toBe(86_400)
    const client = createClient(second.internalUrl)
    const answer = await client.post('/graphql', { query: '{ __typename }' }, internal_token)
    expect(answer.status).toBe(200)
    // There is no link to a console that is off.
    expect(second.stdout()).toContain(before.account_id)
    expect(second.stdout()).not.toContain('Console  ')
  })
})

/** Whether every folder on the way lets any user pass. */
function mayBeReadByAll(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o005) === 0o005
  return isOpen && (folder === dirname(folder) || mayBeReadByAll(dirname(folder)))
}

describe.concurrent('gateway start as another user', () => {
  test('works for root below a folder that is closed to other users', async (context) => {
    if (!isRoot) context.skip('only root can try what root may do')
    const place = workplaceOf(context, { parent: homedir() })
    const gateway = await place.start()

    expect((await paste(curlCommand(gateway.stdout()))).status).toBe(200)
    const [postmaster] = place.postmasters()
    expect(statSync(`/proc/${postmaster}`).uid).not.toBe(0)
  })

  test('works without any privilege', async (context) => {
    if (!isRoot) context.skip('all other tests run without privileges already')
    if (!mayBeReadByAll(projectRoot)) context.skip(`others may not read ${projectRoot}`)
    const place = workplaceOf(context, { user: nobody })
    const gateway = await place.start()

    const answer = await paste(curlCommand(gateway.stdout()))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('X-Credits-Charged')).toBe('5')
    const [postmaster] = place.postmasters()
    expect(statSync(`/proc/${postmaster}`).uid).toBe(nobody.uid)
  })
})
