import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { callTool, resultOf } from '../../support/mcp/mcp.ts'
import { registerItself } from '../../support/oauth/agents.ts'
import { secretsIn } from '../../support/oauth/mail-sign-in.ts'
import { joinByMail } from '../../support/oauth/mailed-members.ts'
import { newAddress } from '../../support/oauth/members.ts'
import { linkToken } from '../../support/oauth/portal.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'
import { type MailServer, openMailServer } from '../../support/stubs/mail-server.ts'
import { patience } from '../../support/time/patience.ts'

/** An agent on another site than the gateway's, as Chromium meets it. */
interface Agent {
  readonly startUrl: string
  close(): Promise<void>
}

/** With a document, unless it registers itself. */
async function startAgent(
  { baseUrl, live }: TestGateway,
  { registersItself = false } = {},
): Promise<Agent> {
  const verifier = randomBytes(32).toString('base64url')
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', origin)
    const html = (body: string) =>
      res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body)
    if (pathname === '/agent.json') {
      const document = {
        client_id: clientId,
        client_name: 'Desk Agent',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
      }
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    } else if (pathname === '/start') {
      html(`<a href="${authorizeUrl().replaceAll('&', '&amp;')}">Connect</a>`)
    } else if (pathname === '/callback') {
      void redeem(searchParams.get('code') ?? '').then((said) => html(`<h1>${said}</h1>`))
    } else res.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const bound = server.address()
  const port = typeof bound === 'object' ? bound?.port : 0
  // Another site than 127.0.0.1: no cookie of the gateway comes along.
  const origin = `http://localhost:${port}`
  const redirectUri = `${origin}/callback`
  const clientId = registersItself
    ? await registerItself(live, { redirect_uris: [redirectUri] })
    : `http://127.0.0.1:${port}/agent.json`

  function authorizeUrl(): string {
    const query = new URLSearchParams({
      ...{ client_id: clientId, redirect_uri: redirectUri, response_type: 'code' },
      ...{ scope: 'openid offline_access contacts:write', resource: `${baseUrl}/mcp` },
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      ...{ code_challenge_method: 'S256', state: 'here' },
    })
    return `${baseUrl}/v1/oauth/authorize?${query}`
  }

  /** Gets a token, and calls a tool with it; returns what the agent's page says. */
  async function redeem(code: string): Promise<string> {
    const response = await fetch(`${baseUrl}/v1/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri },
        ...{ client_id: clientId, code_verifier: verifier, resource: `${baseUrl}/mcp` },
      }),
    })
    const { access_token } = Object(await response.json())
    const input = { contact_id: randomBytes(8).toString('hex') }
    const called = await callTool(live, access_token, 'contacts_reveal_contact', input)
    return `Token ${response.status}, charged ${resultOf(called)._meta.credits_charged}`
  }

  return {
    startUrl: `${origin}/start`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

describe.runIf(browserPath)(
  'an agent in a browser (docs/oauth-rules.md 128, 129, 137, 138)',
  () => {
    let gateway: TestGateway
    let server: MailServer
    let agent: Agent
    let browser: Browser
    beforeAll(async () => {
      await buildConsole()
      server = await openMailServer()
      gateway = await startTestGateway({
        ...{ WEBHOOK_ALLOW_LOOPBACK: 'true' },
        ...{ SMTP_URL: server.url, MAIL_FROM: 'Gateway <gw@api.example>' },
      })
      agent = await startAgent(gateway)
      browser = await launchBrowser()
    })
    afterAll(async () => {
      await browser?.close()
      await agent?.close()
      await gateway?.close()
      await server?.stop()
    })

    async function openPage(): Promise<Page> {
      const context = await browser.newContext({ javaScriptEnabled: true })
      context.setDefaultTimeout(patience.timeout)
      return context.newPage()
    }

    async function connect(page: Page, { startUrl } = agent): Promise<void> {
      await page.goto(startUrl)
      await page.getByRole('link', { name: 'Connect' }).click()
    }

    async function signIn(page: Page, { liveKey }: TestAccount): Promise<void> {
      await page.getByLabel('API key').fill(liveKey)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    }

    async function allow(page: Page, credits: string): Promise<void> {
      await page.getByLabel('Credits', { exact: true }).fill(credits)
      await page.getByLabel('Period').selectOption('week')
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByRole('heading', { name: 'Token 200, charged 5' }).waitFor()
    }

    const spent = async ({ liveKey }: TestAccount) =>
      1000 - Object((await gateway.live.get('/v1/account/credits', liveKey)).body).balance

    const budgets = async ({ liveKey }: TestAccount) => {
      const { body } = await gateway.live.get('/v1/oauth/consents', liveKey)
      return Object(body).items.map((one: { budgets: object[] }) => one.budgets)
    }

    test('that registered itself is named by that day, and calls a tool at a price', async () => {
      const person = await gateway.createAccount()
      const registered = await startAgent(gateway, { registersItself: true })
      const page = await openPage()

      await connect(page, registered)
      await signIn(page, person)
      const title = await page.getByRole('heading', { level: 1 }).textContent()
      await allow(page, '70')

      expect(title).toMatch(
        /^An app that registered itself on \d{4}-\d\d-\d\d asks to use your account$/,
      )
      expect(await spent(person)).toBe(5)
      await page.context().close()
      await registered.close()
    })

    test('comes from another site with nothing, and leaves with a token, a budget and a charged call', async () => {
      const person = await gateway.createAccount()
      const page = await openPage()

      await connect(page)
      await signIn(page, person)
      const title = await page.getByRole('heading', { level: 1 }).textContent()
      await allow(page, '70')

      expect(title).toBe('An app of 127.0.0.1 asks to use your account')
      expect(await budgets(person)).toMatchObject([[{ period: 'week', limit_credits: 70 }]])
      expect(await spent(person)).toBe(5)
      await page.context().close()
    })

    test('meets a fresh session, which approves at once; an old proof is asked for once, in place', async () => {
      const person = await gateway.createAccount()
      const page = await openPage()
      await connect(page)
      await signIn(page, person)
      await allow(page, '70')

      await connect(page)
      await allow(page, '60')
      await gateway.database.query(
        "UPDATE oauth.session SET proven_at = now() - interval '16 minutes' WHERE account_id = $1",
        [person.id],
      )
      await connect(page)
      await signIn(page, person)
      await allow(page, '50')

      expect(await budgets(person)).toMatchObject([[{ period: 'week', limit_credits: 50 }]])
      await page.context().close()
    })

    test('meets an owner without a key, who signs in to the console by mail, proves it there once more, and is led back', async () => {
      const email = newAddress('owner')
      const account = await gateway.createAccount({ credits: 1000 })
      await joinByMail(gateway, server, { email, role: 'OWNER', account })
      const page = await openPage()
      async function signInByMail(mails: number): Promise<void> {
        await page.getByRole('link', { name: 'Sign in to the console' }).click()
        await page.getByText('An app asks for access', { exact: false }).waitFor()
        expect(new URL(page.url()).pathname).toBe('/console/authorize')
        await page.getByRole('button', { name: 'Use a mail address instead' }).click()
        await page.getByLabel('Mail address').fill(email)
        await page.getByRole('button', { name: 'Send me a mail' }).click()
        const { code } = secretsIn((await server.until(email, mails)).at(-1)?.text ?? '')
        await page.getByLabel('Code from the mail').fill(code)
        await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      }

      await connect(page)
      // The invitation was the first mail.
      await signInByMail(2)
      await allow(page, '70')
      await gateway.database.query(
        "UPDATE oauth.session SET proven_at = now() - interval '16 minutes' WHERE account_id = $1",
        [account.id],
      )
      await connect(page)
      await signInByMail(3)
      await allow(page, '50')

      expect(await budgets(account)).toMatchObject([[{ period: 'week', limit_credits: 50 }]])
      const sessions = await gateway.database.query(
        'SELECT FROM oauth.session WHERE account_id = $1 AND actor = $2',
        [account.id, email],
      )
      // That of the invitation, and the one that was proven again.
      expect(sessions).toHaveLength(2)
      await page.context().close()
    })

    test('the console leads a request to its own gateway, whatever it says', async () => {
      const page = await openPage()
      const request = '//evil.example/?client_id=x#@evil.example'

      await page.goto(`${gateway.baseUrl}/console/authorize?${new URLSearchParams({ request })}`)
      await page.waitForURL(`${gateway.baseUrl}/v1/oauth/authorize?**`)

      expect(new URL(page.url()).origin).toBe(new URL(gateway.baseUrl).origin)
      await page.context().close()
    })

    test('meets a developer, who is told to ask an owner, and an owner, who approves at once', async () => {
      const person = await gateway.createAccount()
      const page = await openPage()
      async function follow(role: string): Promise<void> {
        const token = await linkToken(gateway, { accountId: person.id, role })
        await page.goto(`${gateway.baseUrl}/docs`)
        const status = await page.evaluate(async (portal_token) => {
          const body = JSON.stringify({ portal_token })
          const headers = { 'content-type': 'application/json' }
          return (await fetch('/v1/account/sessions', { method: 'POST', headers, body })).status
        }, token)
        expect(status).toBe(201)
      }

      await follow('DEVELOPER')
      await connect(page)
      await page.getByRole('heading', { name: 'Ask an owner' }).waitFor()
      const link = await page.getByRole('link').first().getAttribute('href')
      await follow('OWNER')
      await page.goto(link ?? '')
      await allow(page, '40')

      expect(link).toContain('/v1/oauth/authorize?client_id=')
      expect(await budgets(person)).toMatchObject([[{ period: 'week', limit_credits: 40 }]])
      await page.context().close()
    })
  },
)
