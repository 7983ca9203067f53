import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ConsoleBrowser, openBrowser, signIn } from '../../support/console/console-browser.ts'
import { untilLoaded } from '../../support/console/console-page.ts'
import { chosen } from '../../support/extent/extent.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { ofOwnPage } from '../../support/oauth/sessions.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'
import { patience } from '../../support/time/patience.ts'

/**
 * Pages of somebody else try to act with the session of a browser that is signed in. A page at another
 * port of the same host is of the same site: the browser sends it the strict cookie. A page of another
 * host is of another site.
 */
describe.runIf(browserPath)('pages of other origins, beside a browser with a session', () => {
  let gateway: TestGateway
  let browser: Browser
  let evil: Server
  let evilPort: number
  beforeAll(async () => {
    await buildConsole()
    gateway = await startTestGateway()
    browser = await launchBrowser()
    evil = createServer((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end('<!doctype html><title>A nice page</title><h1>A nice page</h1>')
    })
    await new Promise<void>((resolve) => evil.listen(0, '::', resolve))
    evilPort = (evil.address() as AddressInfo).port
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
    await new Promise((resolve) => evil.close(resolve))
  })

  const ownHost = () => new URL(gateway.baseUrl).hostname
  const otherHost = () => (ownHost() === 'localhost' ? '127.0.0.1' : 'localhost')

  /** Everything of the account that a page could have changed. */
  async function readState(accountId: string): Promise<unknown> {
    const [keys, balance, sessions] = await Promise.all([
      gateway.database.query(
        `SELECT id, name, revoked_at, replaced_by FROM keys.api_key WHERE account_id = $1 ORDER BY id`,
        [accountId],
      ),
      gateway.database.query(
        `SELECT environment, balance, held FROM account.balance WHERE account_id = $1 ORDER BY environment`,
        [accountId],
      ),
      gateway.database.query(`SELECT id FROM oauth.session WHERE account_id = $1 ORDER BY id`, [
        accountId,
      ]),
    ])
    return { keys, balance, sessions }
  }

  /** A browser that is signed in to the console, with a page of somebody else in a second tab. */
  async function lure(host: string) {
    const account = await gateway.createAccount({ credits: 5000 })
    const evilOrigin = `http://${host}:${evilPort}`
    const visit = await openBrowser(browser, [gateway.baseUrl, evilOrigin])
    await visit.page.goto(`${gateway.baseUrl}/console`)
    await signIn(visit.page, account.liveKey)
    await untilLoaded(visit.page)
    const page = await visit.context.newPage()
    await page.goto(evilOrigin)
    const before = await readState(account.id)
    return { account, visit, page, before }
  }

  /** The status of each answer to the page, as the browser got it; the page itself may see none of them. */
  function answersTo(page: Page): [string, number][] {
    const answers: [string, number][] = []
    page.on('response', (response) => {
      const { origin, pathname } = new URL(response.url())
      const method = response.request().method()
      if (origin === gateway.baseUrl) answers.push([`${method} ${pathname}`, response.status()])
    })
    return answers
  }

  async function stillSignedIn({ page }: ConsoleBrowser): Promise<void> {
    await page.reload()
    await untilLoaded(page)
    expect(await page.getByRole('heading', { level: 1, name: 'Overview' }).isVisible()).toBe(true)
  }

  describe.each([
    ['the same site', ownHost],
    ['another site', otherHost],
  ])('of %s', (where, host) => {
    test('a request of a script changes nothing, costs nothing and tells the page nothing', async () => {
      const { account, visit, page, before } = await lure(host())
      const answers = answersTo(page)
      const told = await page.evaluate(
        async ([base]) => {
          const json = { 'content-type': 'application/json' }
          const key = JSON.stringify({ name: 'Stolen', scopes: ['*'] })
          const attempts: [string, RequestInit][] = [
            ['/v1/account/credits', {}],
            ['/v1/account/credits', { mode: 'no-cors' }],
            ['/v1/seo/keywords?topic=tea', { mode: 'no-cors' }],
            ['/v1/account/keys', { method: 'POST', headers: json, body: key }],
            ['/v1/account/keys', { method: 'POST', mode: 'no-cors', body: key }],
            ['/v1/contacts/search', { method: 'POST', mode: 'no-cors', body: '{"query":"a"}' }],
            ['/v1/account/sessions', { method: 'DELETE' }],
            ['/v1/oauth/session', { method: 'DELETE' }],
          ]
          return Promise.all(
            attempts.map(async ([path, init]) => {
              try {
                const sent = await fetch(base + path, { credentials: 'include', ...init })
                return `${sent.type} ${sent.status} ${(await sent.text()).length}`
              } catch (error) {
                return Object(error).name
              }
            }),
          )
        },
        [gateway.baseUrl] as const,
      )

      // An opaque answer has the status 0 and no body.
      expect(new Set(told)).toEqual(new Set(['TypeError', 'opaque 0 0']))
      // The preflight of a change is refused, so that the change is never sent.
      expect(answers.filter(([, status]) => status < 400 && status !== 204)).toEqual([])
      expect(await readState(account.id)).toEqual(before)
      await stillSignedIn(visit)
      await visit.context.close()
    })

    const forms = [
      ['POST', '/v1/account/keys', 'text/plain'],
      ['POST', '/v1/contacts/search', 'text/plain'],
      ['POST', '/v1/oauth/session', 'text/plain'],
      ['GET', '/v1/seo/keywords', 'application/x-www-form-urlencoded'],
    ] as const
    test.each(chosen(`forms of ${where}`, forms, 2))(
      'a form that sends %s %s as %s is refused',
      async (method, path, enctype) => {
        const { account, visit, page, before } = await lure(host())
        const answers = answersTo(page)
        // Sent as text, the name, "=" and the value are together one JSON document.
        const fields: Record<string, string> = {
          ...(method === 'GET'
            ? { topic: 'tea' }
            : { '{"name":"Stolen","scopes":["*"],"query":"a","x":"': '"}' }),
        }
        await page.evaluate(
          ([action, verb, encoding, entries]) => {
            const form = document.createElement('form')
            Object.assign(form, { action, method: verb, enctype: encoding })
            for (const [name, value] of Object.entries(entries)) {
              const input = document.createElement('input')
              Object.assign(input, { type: 'hidden', name, value })
              form.append(input)
            }
            document.body.append(form)
            form.submit()
          },
          [gateway.baseUrl + path, method, enctype, fields] as const,
        )
        await vi.waitUntil(() => answers.length > 0, patience)

        const [[asked, status] = ['', 0]] = answers
        expect(asked).toBe(`${method} ${path}`)
        expect([401, 403, 415, 422]).toContain(status)
        expect(await readState(account.id)).toEqual(before)
        await stillSignedIn(visit)
        await visit.context.close()
      },
    )

    test('an image and a link that cost credits are refused', async () => {
      const { account, visit, page, before } = await lure(host())
      const answers = answersTo(page)
      const url = `${gateway.baseUrl}/v1/seo/keywords?topic=tea`
      const event = await page.evaluate(
        (src) =>
          new Promise<string>((resolve) => {
            const image = new Image()
            image.onload = image.onerror = (happened) => resolve(Object(happened).type)
            image.src = src
            document.body.append(image)
          }),
        url,
      )
      expect(event).toBe('error')
      await page.evaluate((href) => {
        const link = Object.assign(document.createElement('a'), { href, textContent: 'more' })
        document.body.append(link)
        link.click()
      }, url)
      await page.waitForURL(url)

      expect(answers.length).toBeGreaterThan(0)
      expect(answers.every(([, status]) => status === 401 || status === 403)).toBe(true)
      expect(await readState(account.id)).toEqual(before)
      await visit.context.close()
    })

    test('no frame shows the console, and an opened window is out of reach', async () => {
      const { visit, page } = await lure(host())
      await page.evaluate((src) => {
        document.body.append(Object.assign(document.createElement('iframe'), { src }))
      }, `${gateway.baseUrl}/console/keys`)
      const refusal = await visit.context.waitForEvent('console', {
        predicate: (message) => message.text().includes('frame-ancestors'),
      })
      expect(refusal.type()).toBe('error')
      const shown = page.frames().filter((frame) => frame.url().includes('/console/keys'))
      for (const frame of shown) expect(await frame.locator('h1').count()).toBe(0)

      const opened = visit.context.waitForEvent('page')
      await page.evaluate((url) => {
        Object.assign(window, { stolen: open(url, 'stolen') })
      }, `${gateway.baseUrl}/console/keys`)
      const victim = await opened
      await untilLoaded(victim)
      // The window of the console has a group of its own, so that the page has no hold on it.
      const held = await page.evaluate(() => {
        const { stolen } = window as unknown as { stolen: Window | null }
        try {
          return stolen?.closed ? 'closed' : String(stolen?.document.title)
        } catch (error) {
          return Object(error).name
        }
      })
      expect(['closed', 'SecurityError']).toContain(held)
      expect(await victim.evaluate(() => window.opener === null)).toBe(true)
      await visit.context.close()
    })
  })
})

describe.runIf(browserPath)('a page that asks too much', () => {
  test('waits until its window is over, and shows everything then, without an error', async () => {
    await buildConsole()
    const gateway = await startTestGateway()
    const browser = await launchBrowser()
    const account = await gateway.createAccount({ tier: 'STARTER', credits: 1357 })
    const { page, context, calls, complaints } = await openBrowser(browser, [gateway.baseUrl])
    await page.goto(`${gateway.baseUrl}/console`)
    await signIn(page, account.liveKey)
    await untilLoaded(page)
    const isRefused = () => calls.some(({ status }) => status === 429)
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    let isOver = false
    /** Another client of the same session: a browser has too few connections to ask so much. */
    async function flood(): Promise<void> {
      const ask = () => gateway.live.get('/v1/account', undefined, { cookie, ...ofOwnPage })
      while (!isOver) await Promise.all([pause(200), ...Array.from({ length: 40 }, ask)])
    }

    const flooding = flood()
    try {
      await vi.waitUntil(async () => {
        const isOnKeys = new URL(page.url()).pathname.endsWith('/keys')
        await page.getByRole('link', { name: isOnKeys ? 'Overview' : 'API keys' }).click()
        return isRefused()
      }, patience)
    } finally {
      isOver = true
      await flooding
    }

    await page.getByRole('link', { name: 'Overview' }).click()
    await untilLoaded(page)
    await page.getByText('1,357').first().waitFor()
    await vi.waitUntil(async () => (await page.getByRole('alert').count()) === 0, patience)
    expect(complaints).toEqual([])
    await context.close()
    await browser.close()
    await gateway.close()
  })
})
