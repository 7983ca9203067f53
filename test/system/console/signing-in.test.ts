import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { keptBy, openBrowser, signIn } from '../../support/console/console-browser.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { askForLink } from '../../support/oauth/portal.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'
import { patience } from '../../support/time/patience.ts'

const contact = 'support@gateway.example'

describe.runIf(browserPath)('signing in to the console', () => {
  let gateway: TestGateway
  let browser: Browser
  beforeAll(async () => {
    await buildConsole()
    gateway = await startTestGateway({ SUPPORT_CONTACT: contact })
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  const open = () => openBrowser(browser, [gateway.baseUrl, gateway.sandbox.url])

  test('a key signs in once, and the browser does not keep it', async () => {
    const { liveKey } = await gateway.createAccount()
    const visit = await open()
    await visit.page.goto(`${gateway.baseUrl}/console/keys?status=active`)

    await signIn(visit.page, liveKey)
    await visit.page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()

    expect(new URL(visit.page.url()).search).toBe('?status=active')
    expect(await keptBy(visit)).not.toContain(liveKey)
    const cookies = await visit.context.cookies(gateway.baseUrl)
    expect(cookies).toEqual([
      expect.objectContaining({ name: '__Host-gw_session', httpOnly: true, sameSite: 'Strict' }),
    ])
    expect(JSON.stringify(cookies)).not.toContain(liveKey)
    expect(visit.complaints).toEqual([])
    await visit.context.close()
  })

  test('a wrong key is refused with message and request id', async () => {
    const { page, context } = await open()
    await page.goto(`${gateway.baseUrl}/console`)
    await page.getByLabel('API key', { exact: true }).fill('svc_live_nothing')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()

    const alert = page.getByRole('alert')
    await alert.getByText(/^req_\w+$/).waitFor()
    expect(await context.cookies(gateway.baseUrl)).toEqual([])
    await context.close()
  })

  test('signing out leaves no data, neither behind the back button nor in the storage of the browser', async () => {
    const account = await gateway.createAccount({ credits: 4321 })
    const visit = await open()
    const { page } = visit
    await page.goto(`${gateway.baseUrl}/console`)
    await signIn(page, account.liveKey)
    await page.getByText('4,321').first().waitFor()
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()

    await page.getByRole('button', { name: /^Account / }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()

    expect(await page.content()).not.toContain('4,321')
    expect(await page.content()).not.toContain(account.id)
    expect(await keptBy(visit)).not.toContain(account.id)
    expect(await visit.context.cookies(gateway.baseUrl)).toEqual([])
    await visit.context.close()
  })

  test('a revoked key ends the session of an open page, and its data goes', async () => {
    const account = await gateway.createAccount({ credits: 8765 })
    const key = await gateway.createKey(account.id)
    const { page, context, complaints } = await open()
    await page.goto(`${gateway.baseUrl}/console`)
    await signIn(page, key.plaintext)
    await page.getByText('8,765').first().waitFor()

    const revoked = await gateway.live.request(`/v1/account/keys/${key.id}`, {
      method: 'DELETE',
      key: account.liveKey,
    })

    expect(revoked.status).toBe(200)
    await page.getByText('Your session has ended.').waitFor()
    expect(await page.content()).not.toContain('8,765')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a suspended account sees that in place of its data, with the contact, until it is active again', async () => {
    const account = await gateway.createAccount({ credits: 9753 })
    const setStatus = (status: string) =>
      gateway.graphql(
        'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
        { input: { id: account.id, status } },
      )
    const { page, context } = await open()
    await page.goto(`${gateway.baseUrl}/console`)
    await signIn(page, account.liveKey)
    await page.getByText('9,753').first().waitFor()

    await setStatus('SUSPENDED')

    await page.getByRole('heading', { level: 1, name: 'This account is suspended' }).waitFor()
    expect(await page.content()).not.toContain('9,753')
    const link = page.getByRole('link', { name: contact })
    expect(await link.getAttribute('href')).toBe(`mailto:${contact}`)
    await setStatus('ACTIVE')
    await page.getByText('9,753').first().waitFor()
    await setStatus('SUSPENDED')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key', { exact: true }).fill(account.liveKey)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText(`This account is suspended. Contact ${contact}.`).waitFor()
    expect(await context.cookies(gateway.baseUrl)).toEqual([])
    await context.close()
  })

  test('the page says when the gateway is unavailable, keeps its content, and goes on when it is back', async () => {
    const account = await gateway.createAccount({ credits: 2468 })
    const { page, context } = await open()
    await page.goto(`${gateway.baseUrl}/console`)
    await signIn(page, account.liveKey)
    await page.getByText('2,468').first().waitFor()

    await context.setOffline(true)
    await page.getByText('The gateway does not answer.').first().waitFor()
    expect(await page.getByText('2,468').first().isVisible()).toBe(true)
    await context.setOffline(false)

    await page.getByText('The gateway does not answer.').first().waitFor({ state: 'detached' })
    expect(await page.getByRole('heading', { level: 1, name: 'Overview' }).isVisible()).toBe(true)
    await context.close()
  })

  test('a portal link names account and role, has one button, and works once', async () => {
    const account = await gateway.createAccount()
    const { link } = await askForLink(gateway, {
      ...{ accountId: account.id, role: 'VIEWER', actor: 'jane@acme.example' },
    })
    const url = link?.url ?? ''
    const visit = await open()
    const { page } = visit
    const token = new URL(url).hash.slice(1)

    await page.goto(url)
    await page.getByText('VIEWER').waitFor()
    expect(await page.getByText('jane@acme.example').isVisible()).toBe(true)
    expect(new URL(page.url()).hash).toBe('')
    expect(await page.getByRole('button').count()).toBe(1)
    expect(await visit.context.cookies(gateway.baseUrl)).toEqual([])
    await page.getByRole('button').click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
    expect(await keptBy(visit)).not.toContain(token)
    expect(visit.complaints).toEqual([])

    const other = await open()
    await other.page.goto(url)
    await other.page.getByRole('heading', { name: 'This link opens nothing' }).waitFor()
    expect(await other.page.getByRole('button').count()).toBe(0)
    await visit.context.close()
    await other.context.close()
  })

  test('a portal link that has expired, or belongs to the other listener, opens nothing', async () => {
    const account = await gateway.createAccount()
    const linkOf = async () => {
      const { link } = await askForLink(gateway, { accountId: account.id, role: 'OWNER' })
      return link?.url ?? ''
    }
    const expired = await linkOf()
    await gateway.database.query(
      `UPDATE oauth.portal_link SET expires_at = now() - interval '1 s' WHERE account_id = $1`,
      [account.id],
    )
    const elsewhere = (await linkOf()).replace(gateway.baseUrl, gateway.sandbox.url)

    for (const url of [expired, elsewhere]) {
      const { page, context } = await open()
      await page.goto(url)
      await page.getByRole('heading', { name: 'This link opens nothing' }).waitFor()
      expect(await page.getByRole('button').count()).toBe(0)
      expect(await context.cookies([gateway.baseUrl, gateway.sandbox.url])).toEqual([])
      await context.close()
    }
  })

  test('the switch leads from live to the sandbox and back', async () => {
    const account = await gateway.createAccount()
    const { page, context, complaints } = await open()
    await page.goto(`${gateway.baseUrl}/console`)
    await signIn(page, account.liveKey)
    await page.getByText('Live', { exact: true }).first().waitFor()

    await page.getByRole('button', { name: 'Sandbox' }).click()
    await page.waitForURL(`${gateway.sandbox.url}/console/`)
    await page.locator('.environment[data-environment="sandbox"]').waitFor()
    await page.getByRole('button', { name: 'Live' }).click()
    await page.waitForURL(`${gateway.baseUrl}/console/`)
    await page.locator('.environment[data-environment="live"]').waitFor()

    expect(complaints).toEqual([])
    await context.close()
  })

  test('an old proof must be renewed, and the action is repeated after it', async () => {
    const account = await gateway.createAccount()
    const { page, context, complaints } = await open()
    await page.goto(`${gateway.baseUrl}/console/keys`)
    await signIn(page, account.liveKey)
    await gateway.database.query(
      `UPDATE oauth.session SET proven_at = now() - interval '1 day' WHERE account_id = $1`,
      [account.id],
    )

    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('Nightly job')
    const dialog = page.getByRole('dialog', { name: 'Prove that it is you' })
    // The gateway may remember the session for some seconds.
    await vi.waitUntil(async () => {
      await page.getByRole('button', { name: 'Create key' }).last().click()
      await dialog.or(page.getByText('It is shown this once')).waitFor()
      return dialog.isVisible()
    }, patience)
    await dialog.getByLabel('API key', { exact: true }).fill(account.liveKey)
    await dialog.getByRole('button', { name: 'Continue' }).click()

    await page.getByText('It is shown this once').waitFor()
    const rows = await gateway.database.query<{ name: string }>(
      `SELECT name FROM keys.api_key WHERE account_id = $1 AND name = 'Nightly job'`,
      [account.id],
    )
    expect(rows).toEqual([{ name: 'Nightly job' }])
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a disabled key is enabled after a new proof, and its session can undo the disabling without one', async () => {
    const account = await gateway.createAccount()
    const { id } = await gateway.createKey(account.id)
    const { page, context, complaints } = await open()
    await page.goto(`${gateway.baseUrl}/console/keys/${id}`)
    await signIn(page, account.liveKey)
    const isEnabled = async () => {
      const { body } = await gateway.live.get(`/v1/account/keys/${id}`, account.liveKey)
      return Object(body).enabled
    }
    await gateway.database.query(
      `UPDATE oauth.session SET proven_at = now() - interval '1 day' WHERE account_id = $1`,
      [account.id],
    )
    // The gateway may remember the session for some seconds.
    await vi.waitUntil(
      () =>
        page.evaluate(async () => {
          const headers = { 'content-type': 'application/json' }
          const change = { method: 'PUT', headers, body: '{"budgets":[]}' }
          return (await fetch('/v1/account/budgets', change)).status === 403
        }),
      patience,
    )
    const disable = page.getByRole('button', { name: 'Disable', exact: true })
    const enable = page.getByRole('button', { name: 'Enable', exact: true })
    const confirm = page
      .getByRole('dialog', { name: 'Disable this key?' })
      .getByRole('button', { name: 'Disable' })
    await disable.click()
    await confirm.click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await disable.waitFor()
    expect(await isEnabled()).toBe(true)

    await disable.click()
    await confirm.click()
    await enable.click()
    const dialog = page.getByRole('dialog', { name: 'Prove that it is you' })
    await dialog.waitFor()
    expect(await isEnabled()).toBe(false)
    await dialog.getByLabel('API key', { exact: true }).fill(account.liveKey)
    await dialog.getByRole('button', { name: 'Continue' }).click()

    await disable.waitFor()
    expect(await isEnabled()).toBe(true)
    expect(complaints).toEqual([])
    await context.close()
  })
})
