import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { atNight } from '../../support/extent/extent.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { patience } from '../../support/time/patience.ts'

const artifacts = join(projectRoot, '.artifacts/consent-pages')

/** Colours do not depend on the width, nor does what fits on the colours: the first two show all. */
const looks = [
  { device: 'desktop', colorScheme: 'light', width: 1280, height: 800 },
  { device: 'phone', colorScheme: 'dark', width: 360, height: 740 },
  { device: 'desktop', colorScheme: 'dark', width: 1280, height: 800 },
  { device: 'phone', colorScheme: 'light', width: 360, height: 740 },
] as const

describe.runIf(browserPath)('sign-in and consent in a browser', () => {
  let gateway: TestGateway
  let app: RelyingParty
  let browser: Browser
  beforeAll(async () => {
    gateway = await startTestGateway()
    app = await startRelyingParty(`${gateway.baseUrl}/v1`)
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    await gateway?.close()
  })

  /** A public app, and the account of its user. */
  async function registerApp({ name = 'Photo Box', redirectUri = app.redirectUri } = {}) {
    const owner = await gateway.createAccount()
    const created = await gateway.live.post(
      '/v1/oauth/apps',
      {
        client_name: name,
        redirect_uris: [redirectUri],
        application_type: 'web',
        token_endpoint_auth_method: 'none',
        scope: 'openid profile account:read usage:read',
        client_uri: 'https://photos.example/',
        logo_uri: 'https://photos.example/logo.png',
      },
      owner.liveKey,
    )
    expect(created.status).toBe(201)
    const { client_id: clientId } = Object(created.body)
    return { start: app.startUrl(clientId, redirectUri), clientId, owner }
  }

  async function grantsOf({ id }: TestAccount) {
    return gateway.database.query<{ scopes: string[] }>(
      'SELECT scopes FROM oauth.authorization_grant WHERE account_id = $1',
      [id],
    )
  }

  /** A browser of the test's own, whose requests and errors are recorded. */
  async function openBrowser(options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options)
    context.setDefaultTimeout(patience.timeout)
    const asked: string[] = []
    const complaints: string[] = []
    context.on('response', (response) => {
      const { origin, pathname } = new URL(response.url())
      const host = origin === gateway.baseUrl ? '' : origin === app.origin ? 'app ' : `${origin} `
      const type = response.request().resourceType()
      const kind = type === 'document' ? '' : ` ${type}`
      asked.push(`${response.request().method()} ${host}${pathname} ${response.status()}${kind}`)
    })
    context.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`))
    context.on('console', (message) => complaints.push(message.text()))
    return { context, page: await context.newPage(), asked, complaints }
  }

  test('lets a person sign in and allow without a script, and the app gets the requested scopes (docs/oauth-rules.md 8, 11)', async () => {
    const { start } = await registerApp()
    const person = await gateway.createAccount()
    const { context, page, asked, complaints } = await openBrowser({ javaScriptEnabled: false })

    await page.goto(start)
    await page.getByRole('link', { name: 'Sign in with the gateway' }).click()
    await page.getByLabel('API key').fill(person.liveKey)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()

    expect(await readResult(page)).toMatchObject({ sub: person.id, account_id: person.id })
    expect(await grantsOf(person)).toEqual([{ scopes: ['openid', 'account:read'] }])
    expect(asked).toEqual([
      'GET app /start 200',
      'GET /v1/oauth/authorize 200',
      'GET /v1/oauth/authorize 200',
      'POST /v1/oauth/session 303',
      'GET /v1/oauth/authorize 200',
      'POST /v1/oauth/consent 303',
      'GET app /callback 200',
    ])
    expect(complaints).toEqual([])
    await context.close()
  })

  test('keeps the session in a cookie that no script reads, no other site sends, and no other host gets (docs/oauth-rules.md 8)', async () => {
    const { start } = await registerApp()
    const { liveKey } = await gateway.createAccount()
    const { context, page } = await openBrowser()
    await signIn(page, start, liveKey)
    await page.getByRole('button', { name: 'Allow' }).waitFor()

    const cookies = await context.cookies(gateway.baseUrl)

    expect(cookies).toEqual([
      expect.objectContaining({
        name: '__Host-gw_session',
        path: '/',
        httpOnly: true,
        secure: true,
        sameSite: 'Strict',
      }),
    ])
    expect(await page.content()).not.toContain(liveKey)
    await context.close()
  })

  test('sends a person who denies back with the refusal, and grants nothing', async () => {
    const { start } = await registerApp()
    const person = await gateway.createAccount()
    const { context, page } = await openBrowser()

    await signIn(page, start, person.liveKey)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Refused' }).waitFor()

    expect(await readResult(page)).toEqual({ error: 'access_denied', iss: `${gateway.baseUrl}/v1` })
    expect(await grantsOf(person)).toEqual([])
    await context.close()
  })

  test('refuses a wrong key at its field, and keeps the request', async () => {
    const { start } = await registerApp()
    const person = await gateway.createAccount()
    const { context, page, asked } = await openBrowser()
    const wrong = `${person.liveKey.slice(0, -4)}0000`

    await signIn(page, start, wrong)
    await page.getByRole('alert').waitFor()

    expect(asked.at(-1)).toBe('POST /v1/oauth/session 401')
    expect(await page.title()).toBe('Error: Sign in')
    expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true')
    expect(await page.content()).not.toContain(wrong)
    await page.getByLabel('API key').fill(person.liveKey)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    expect(await readResult(page)).toMatchObject({ sub: person.id })
    await context.close()
  })

  test('does not ask a signed-in person for a key again for the next app', async () => {
    const first = await registerApp()
    const second = await registerApp({ name: 'Second App' })
    const person = await gateway.createAccount()
    const { context, page, asked } = await openBrowser()
    await signIn(page, first.start, person.liveKey)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    asked.length = 0

    await page.goto(second.start)
    await page.getByRole('link', { name: 'Sign in with the gateway' }).click()
    await page.getByRole('heading', { name: 'Allow Second App to use your account?' }).waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()

    expect(await readResult(page)).toMatchObject({ sub: person.id })
    expect(asked).toEqual([
      'GET app /start 200',
      'GET /v1/oauth/authorize 200',
      'GET /v1/oauth/authorize 200',
      'POST /v1/oauth/consent 303',
      'GET app /callback 200',
    ])
    await context.close()
  })

  test('asks for the key again, once, for prompt=login (docs/oauth-rules.md 36)', async () => {
    const { start } = await registerApp()
    const person = await gateway.createAccount()
    const { context, page, asked } = await openBrowser()
    await signIn(page, start, person.liveKey)
    await page.getByRole('button', { name: 'Allow' }).waitFor()

    // A moment later, and with a slip.
    await signIn(page, `${start}&prompt=login`, `${person.liveKey.slice(0, -4)}0000`)
    await page.getByRole('alert').waitFor()
    await page.getByLabel('API key').fill(person.liveKey)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()

    expect(await readResult(page)).toMatchObject({ sub: person.id })
    expect(asked.filter((line) => line.startsWith('POST'))).toEqual([
      'POST /v1/oauth/session 303',
      'POST /v1/oauth/session 401',
      'POST /v1/oauth/session 303',
      'POST /v1/oauth/consent 303',
    ])
    await context.close()
  })

  test('reaches an app that redirects to another host of its own (docs/oauth-rules.md 8)', async () => {
    const { start } = await registerApp({ redirectUri: app.hoppingRedirectUri })
    const { liveKey } = await gateway.createAccount()
    const { context, page, complaints } = await openBrowser()

    await signIn(page, start, liveKey)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Another host' }).waitFor()

    expect(new URL(page.url()).host).toBe(app.otherHost)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('writes nothing when pages are only viewed (docs/oauth-rules.md 41)', async () => {
    const { start } = await registerApp()
    const { liveKey } = await gateway.createAccount()
    const { context, page } = await openBrowser()
    await signIn(page, start, liveKey)
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    const before = await rowCounts(gateway)

    const anonymous = await openBrowser()
    await anonymous.page.goto(start)
    await anonymous.page.getByRole('link').click()
    await anonymous.page.getByLabel('API key').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Allow' }).waitFor()

    expect(await rowCounts(gateway)).toEqual(before)
    await Promise.all([context.close(), anonymous.context.close()])
  })

  test('cannot be framed by any site (docs/oauth-rules.md 8)', async () => {
    const { start } = await registerApp()
    const { context, page, complaints } = await openBrowser()
    await page.goto(start)
    const address = await page.getByRole('link').getAttribute('href')

    await page.goto(app.framing(address ?? ''))
    await expect.poll(() => page.frames()[1]?.url(), patience).toBe('chrome-error://chromewebdata/')

    await expect
      .poll(() => complaints, patience)
      .toContainEqual(expect.stringContaining("frame-ancestors 'none'"))
    await context.close()
  })

  test('cannot be started by another site (docs/oauth-rules.md 8)', async () => {
    const { liveKey } = await gateway.createAccount()
    const { context, page, asked } = await openBrowser()

    await page.goto(app.posting(`${gateway.baseUrl}/v1/oauth/session`, { api_key: liveKey }))
    await page.getByRole('button', { name: 'Look here' }).click()
    await expect.poll(() => asked.at(-1), patience).toMatch(/^POST \/v1\/oauth\/session 4/)

    expect(await context.cookies(gateway.baseUrl)).toEqual([])
    await context.close()
  })

  test('shows an error page for an unregistered redirect URI, without a link to it (docs/oauth-rules.md 8)', async () => {
    const { clientId } = await registerApp()
    const { context, page, asked } = await openBrowser()
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: `${app.redirectUri}/evil`,
      scope: 'openid',
    })

    await page.goto(`${gateway.baseUrl}/v1/oauth/authorize?${query}`)

    expect(asked).toEqual(['GET /v1/oauth/authorize 422'])
    expect(await page.getByRole('alert').textContent()).toContain('redirect_uri')
    expect(await page.getByRole('link').count()).toBe(0)
    await context.close()
  })

  test('shows a hostile name as text (docs/oauth-rules.md 8)', async () => {
    const name = '<img src=x onerror=alert(1)> "&amp;\' \u05d0\u05d1'
    const { start } = await registerApp({ name })
    const { liveKey } = await gateway.createAccount()
    const { context, page, asked } = await openBrowser()

    await signIn(page, start, liveKey)
    await page.getByRole('button', { name: 'Allow' }).waitFor()

    const heading = await page.getByRole('heading', { level: 1 }).textContent()
    expect(heading).toBe(`Allow ${name} to use your account?`)
    expect(await page.locator('img, script').count()).toBe(0)
    expect(asked.filter((line) => !/^(GET|POST) (app )?\/[\w/]+ \d+$/.test(line))).toEqual([])
    await context.close()
  })

  test('offers a browser that does not redirect a link to continue, on an accessible page', async () => {
    const { start } = await registerApp()
    const { context, page } = await openBrowser()
    let asked = 0
    await page.route(`${gateway.baseUrl}/**`, (route) => {
      asked += 1
      // The second request is the page's own.
      return asked === 2 ? route.fulfill({ status: 204 }) : route.continue()
    })

    await page.goto(start)
    await page.getByRole('link', { name: 'Sign in with the gateway' }).click()
    await expect.poll(() => asked, patience).toBe(2)
    await expect.poll(() => page.title(), patience).toBe('One moment')
    expect(await violationsOn(page)).toEqual([])
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.getByLabel('API key').waitFor()

    expect(asked).toBe(3)
    await context.close()
  })

  test('works with the keyboard alone', async () => {
    const { start } = await registerApp()
    const person = await gateway.createAccount()
    const { context, page } = await openBrowser()
    const { keyboard } = page

    await page.goto(start)
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await page.locator('#api_key:focus').waitFor()
    await keyboard.insertText(person.liveKey)
    await keyboard.press('Enter')
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    await keyboard.press('Tab')
    expect(await page.locator(':focus-visible').getAttribute('name')).toBe('budgets')
    await keyboard.press('Tab')
    expect(await page.locator(':focus-visible').textContent()).toBe('Deny')
    await keyboard.press('Tab')
    expect(await page.locator(':focus-visible').textContent()).toBe('Allow')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()

    expect(await readResult(page)).toMatchObject({ sub: person.id })
    await context.close()
  })

  test.each(atNight ? looks : looks.slice(0, 2))(
    'is accessible and fits the screen: $device, $colorScheme',
    async (look) => {
      const { device, colorScheme, width, height } = look
      const { start, clientId } = await registerApp()
      const { liveKey } = await gateway.createAccount()
      const { context, page } = await openBrowser({ colorScheme, viewport: { width, height } })
      mkdirSync(artifacts, { recursive: true })
      async function inspect(name: string): Promise<void> {
        await page.screenshot({
          path: `${artifacts}/${name}-${device}-${colorScheme}.png`,
          fullPage: true,
        })
        expect(await violationsOn(page)).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      }

      await page.goto(start)
      await page.getByRole('link').click()
      await page.getByLabel('API key').waitFor()
      await inspect('sign-in')
      await page.getByLabel('API key').fill('no key')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('alert').waitFor()
      await inspect('sign-in-refused')
      await page.getByLabel('API key').fill(liveKey)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('button', { name: 'Allow' }).waitFor()
      await inspect('consent')
      await page.goto(`${gateway.baseUrl}/v1/oauth/authorize?client_id=${clientId}`)
      await page.getByRole('alert').waitFor()
      await inspect('error')

      await context.close()
    },
  )
})

/** From the app's own page to the answer to the key. */
async function signIn(page: Page, start: string, key: string): Promise<void> {
  await page.goto(start)
  await page.getByRole('link', { name: 'Sign in with the gateway' }).click()
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function readResult(page: Page): Promise<unknown> {
  return JSON.parse((await page.locator('pre').textContent()) ?? '')
}

/** Every problem that axe finds, however slight. */
async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations } = Object(await page.evaluate('axe.run()'))
  return violations.map(({ id, help }: { id: string; help: string }) => `${id}: ${help}`)
}

/** How many rows every table of the provider has. */
async function rowCounts({ database }: TestGateway): Promise<Readonly<Record<string, number>>> {
  const tables = await database.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'oauth' ORDER BY 1",
  )
  const counts = tables.map(async ({ name }) => {
    const [row] = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM oauth."${name}"`,
    )
    return [name, row?.count ?? -1] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

interface RelyingParty {
  readonly origin: string
  readonly otherHost: string
  readonly redirectUri: string
  /** Redirects every request to another host. */
  readonly hoppingRedirectUri: string
  /** The page with the link to the gateway. */
  startUrl(clientId: string, redirectUri: string): string
  /** A page of the app's with another page in a frame. */
  framing(address: string): string
  /** A page of the app's with a form that leads elsewhere. */
  posting(address: string, fields: Readonly<Record<string, string>>): string
  close(): Promise<void>
}

/**
 * A small app on another site than the gateway's: authorization code flow with PKCE, then userinfo.
 */
async function startRelyingParty(issuer: string): Promise<RelyingParty> {
  const flows = new Map<string, { verifier: string; clientId: string; redirectUri: string }>()

  function start({ searchParams }: URL): string {
    const state = randomBytes(16).toString('base64url')
    const verifier = randomBytes(32).toString('base64url')
    const clientId = searchParams.get('client_id') ?? ''
    const redirectUri = searchParams.get('redirect_uri') ?? ''
    flows.set(state, { verifier, clientId, redirectUri })
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid account:read',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      prompt: searchParams.get('prompt') ?? '',
    })
    return `<h1>The app</h1><a href="${issuer}/oauth/authorize?${query.toString().replaceAll('&', '&amp;')}">Sign in with the gateway</a>`
  }

  async function userinfoFor({ searchParams }: URL): Promise<unknown> {
    const flow = flows.get(searchParams.get('state') ?? '')
    const tokens = await fetch(`${issuer}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: searchParams.get('code') ?? '',
        redirect_uri: flow?.redirectUri ?? '',
        client_id: flow?.clientId ?? '',
        code_verifier: flow?.verifier ?? '',
      }),
    })
    const { access_token: accessToken } = Object(await tokens.json())
    const headers = { authorization: `Bearer ${accessToken}` }
    return await (await fetch(`${issuer}/oauth/userinfo`, { headers })).json()
  }

  async function pageFor(url: URL): Promise<string> {
    const { pathname, searchParams } = url
    if (pathname === '/start') return start(url)
    if (pathname === '/framing')
      return `<iframe src="${attribute(searchParams.get('at'))}"></iframe>`
    if (pathname === '/posting') return searchParams.get('form') ?? ''
    if (pathname === '/welcome') return '<h1>Another host</h1>'
    const error = searchParams.get('error')
    if (error) return result('Refused', { error, iss: searchParams.get('iss') })
    return result('Welcome', await userinfoFor(url))
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '', 'http://localhost')
    if (url.pathname === '/hop') {
      res.writeHead(303, { Location: `http://${otherHost}/welcome` }).end()
      return
    }
    if (url.pathname === '/favicon.ico') {
      res.writeHead(204).end()
      return
    }
    res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(await pageFor(url))
  }

  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => res.writeHead(500).end(String(error)))
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const origin = `http://localhost:${port}`
  const otherHost = `app.localhost:${port}`
  return {
    origin,
    otherHost,
    redirectUri: `${origin}/callback`,
    hoppingRedirectUri: `${origin}/hop`,
    startUrl: (clientId, redirectUri) =>
      `${origin}/start?${new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri })}`,
    framing: (at) => `${origin}/framing?${new URLSearchParams({ at })}`,
    posting(action, fields) {
      const inputs = Object.entries(fields).map(
        ([name, value]) => `<input type="hidden" name="${name}" value="${attribute(value)}">`,
      )
      const form = `<form method="post" action="${action}">${inputs.join('')}<button>Look here</button></form>`
      return `${origin}/posting?${new URLSearchParams({ form })}`
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function result(title: string, body: unknown): string {
  return `<h1>${title}</h1><pre>${JSON.stringify(body)}</pre>`
}

function attribute(text: string | null): string {
  return (text ?? '').replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}
