import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { productScopes } from '../../../schema/vocabulary/scopes.ts'
import { keptBy } from '../../support/console/console-browser.ts'
import { type ConsolePage, inspect, openConsole } from '../../support/console/console-page.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { callTool, resultOf } from '../../support/mcp/mcp.ts'
import {
  agentOf,
  approveAgent,
  type DocumentHost,
  redeemAgent,
  registerItself,
  startDocumentHost,
} from '../../support/oauth/agents.ts'
import { tokensOf } from '../../support/oauth/oauth-flow.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'
import { patience } from '../../support/time/patience.ts'

const programs = ['Claude', 'ChatGPT', 'VS Code', 'Cursor']

describe.runIf(browserPath)('agents in the console', () => {
  let gateway: TestGateway
  let browser: Browser
  let host: DocumentHost
  beforeAll(async () => {
    await buildConsole()
    gateway = await startTestGateway({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
    browser = await launchBrowser()
    host = await startDocumentHost()
  })
  afterAll(async () => {
    await host?.close()
    await browser?.close()
    await gateway?.close()
  })

  /** A browser in which this account has signed in. It must not complain about anything. */
  async function signIn(key: string, { baseUrl } = gateway): Promise<ConsolePage> {
    const opened = await openConsole(browser, baseUrl, key)
    onTestFinished(async () => {
      await opened.context.close()
      expect(opened.complaints).toEqual([])
    })
    return opened
  }

  const reveal = (key: string, contact_id = 'con_1') =>
    callTool(gateway.live, key, 'contacts_reveal_contact', { contact_id })

  test('Connect an agent: the address, and the configuration of each program', async () => {
    const { liveKey } = await gateway.createAccount()
    const { page, open } = await signIn(liveKey)
    await page.getByRole('link', { name: 'Connect an agent' }).click()
    await page.getByRole('heading', { level: 1, name: 'Connect an agent' }).waitFor()

    const address = `${gateway.baseUrl}/mcp`
    await page.getByText(address, { exact: true }).first().waitFor()
    const shown = []
    for (const name of programs) {
      await page.getByText(name, { exact: true }).click()
      shown.push(
        await page
          .getByRole('region', { name: `Connect ${name}` })
          .locator('pre')
          .innerText(),
      )
    }

    expect(shown.slice(0, 2)).toEqual([
      `claude mcp add --transport http credit-gateway ${address}`,
      address,
    ])
    expect(shown.slice(2).map((text) => JSON.parse(text))).toEqual([
      { servers: { 'credit-gateway': { type: 'http', url: address } } },
      { mcpServers: { 'credit-gateway': { url: address } } },
    ])
    await open('agents')
    await inspect(page, 'agents')
  })

  test('Connect an agent: one click makes a key of all products with a budget, shown once with its configuration, and it calls tools', async () => {
    const account = await gateway.createAccount()
    const opened = await signIn(account.liveKey)
    const { page, open } = opened
    await open('agents')
    await page.getByText('Cursor', { exact: true }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your new API key' })
    await dialog.locator('code').nth(1).waitFor()
    const [plaintext = '', configuration = ''] = await dialog.locator('code').allInnerTexts()
    await inspect(page, 'agents-key', { isBrief: true })
    await dialog.getByRole('button', { name: 'I have stored it' }).click()
    await dialog.waitFor({ state: 'detached' })

    const { body } = await gateway.live.get('/v1/account/keys?q=Agent', account.liveKey)
    expect(JSON.parse(configuration)).toEqual({
      mcpServers: {
        'credit-gateway': {
          url: `${gateway.baseUrl}/mcp`,
          headers: { Authorization: `Bearer ${plaintext}` },
        },
      },
    })
    expect(Object(body).items).toMatchObject([
      {
        ...{ name: 'Agent: Cursor', last4: plaintext.slice(-4) },
        scopes: expect.toSatisfy(
          (scopes: string[]) => scopes.toSorted().join() === productScopes.toSorted().join(),
        ),
        budgets: [{ period: 'month', limit_credits: 500, enforce: true }],
      },
    ])
    expect(resultOf(await reveal(plaintext))._meta).toMatchObject({
      ...{ credits_charged: 5, budget_remaining: 495 },
    })
    expect(await page.content()).not.toContain(plaintext)
    expect(await keptBy(opened)).not.toContain(plaintext)
  })

  test('Apps: an agent is unverified, with its host, and shows what it may spend and has spent', async () => {
    const { liveKey } = await gateway.createAccount()
    const described = agentOf(host.address())
    const registered = agentOf(
      await registerItself(gateway.live, { client_name: 'Trusted Bank” of “Acme' }),
    )
    const code = await approveAgent(gateway.live, described, liveKey)
    await approveAgent(gateway.live, registered, liveKey, { budgets: 'day:40' })
    const resource = `${gateway.baseUrl}/mcp`
    const { accessToken } = tokensOf(await redeemAgent(gateway.live, described, code, { resource }))
    expect(resultOf(await reveal(accessToken))._meta).toMatchObject({ credits_charged: 5 })
    const { page, open } = await signIn(liveKey)

    await open('apps')

    const table = page.getByRole('table', { name: 'granted consents' })
    const row = (text: string) => table.getByRole('row').filter({ hasText: text })
    const documented = row(new URL(described.clientId).host)
    await documented.getByText('unverified', { exact: true }).waitFor()
    await documented.getByText('5 of 500 a month').waitFor()
    const bank = row('An app that registered itself')
    await bank.getByText("“Trusted Bank' of 'Acme”").waitFor()
    await bank.getByText('unverified', { exact: true }).waitFor()
    await bank.getByText('0 of 40 a day').waitFor()
    await inspect(page, 'apps-agents')
    const named = (what: string) =>
      `${what} of an app that registered itself (“Trusted Bank' of 'Acme”)`
    await bank.getByRole('button', { name: named('Budget') }).click()
    await page.getByRole('dialog', { name: named('Budget') }).waitFor()
    await page.keyboard.press('Escape')
    await bank.getByRole('button', { name: named('Withdraw access') }).click()
    await page
      .getByText(`After this, ${named('x').slice(5)} can no longer`, { exact: false })
      .waitFor()
  })

  test('Unverified apps: a key with account:write turns them off and on, others see the setting', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const reader = await gateway.createKey(id, { scopes: ['account:read'] })
    const stored = async () => (await gateway.live.get('/v1/account/agents', liveKey)).body
    const owner = await signIn(liveKey)
    await owner.open('agents')
    const label = 'Let unverified apps ask for access'

    await owner.page.getByRole('switch', { name: label }).click()
    await vi.waitFor(
      async () => expect(await stored()).toEqual({ allow_unverified_apps: false }),
      patience,
    )
    const other = await signIn(reader.plaintext)
    await other.open('agents')
    const shown = other.page.getByRole('switch', { name: label })
    await shown.waitFor()
    const states = [await shown.isChecked(), await shown.isDisabled()]
    await owner.page.getByRole('switch', { name: label }).click()
    await vi.waitFor(
      async () => expect(await stored()).toEqual({ allow_unverified_apps: true }),
      patience,
    )

    expect(states).toEqual([false, true])
    await other.page.getByText('Needs the scope account:write.').waitFor()
    await other.page.getByRole('button', { name: 'Create key' }).click({ force: true })
    expect(other.calls.filter(({ method }) => method !== 'GET').map(({ path }) => path)).toEqual([
      '/v1/oauth/session',
    ])
  })

  test('with MCP=off there is neither a link nor a screen', async () => {
    const without = await startTestGateway({ MCP: 'off' })
    onTestFinished(() => without.close())
    const { liveKey } = await without.createAccount()
    const { page, open } = await signIn(liveKey, without)

    await page.getByRole('link', { name: 'Audit trail' }).waitFor()
    await open('agents')

    await page.getByRole('heading', { level: 1, name: 'There is no page here' }).waitFor()
    await open('apps')
    expect(await page.getByRole('link', { name: 'Connect an agent' }).count()).toBe(0)
  })
})
