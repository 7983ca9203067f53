import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

describe('GET /graphiql of the internal listener', () => {
  test('answers without a token, and its policy loads nothing from elsewhere', async () => {
    const response = await fetch(`${gateway.internal.url}/graphiql`)

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      expect.stringMatching(/^style-src 'self' 'sha256-[\w+/]+='$/),
      "connect-src 'self'",
      'font-src data:',
      'img-src data:',
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
    const html = await response.text()
    expect(html).toMatch(/<script type="module" crossorigin src="graphiql\/[\w.-]+\.js"><\/script>/)
    expect(html).not.toMatch(
      /<script(?! type="module" crossorigin src="graphiql\/[\w.-]+"><\/script>)|\bon\w+=|https?:/,
    )
  })

  test.each([
    ['GET', '/graphiql/nothing.js', 404, 'NOT_FOUND'],
    ['GET', '/graphiql/..%2findex.html', 404, 'NOT_FOUND'],
    ['GET', '/graphiql/index.html', 404, 'NOT_FOUND'],
    ['GET', '/graphiql/', 404, 'NOT_FOUND'],
    ['POST', '/graphiql', 405, 'METHOD_NOT_ALLOWED'],
  ])('has no other page or method: %s %s', async (method, path, status, code) => {
    const response = await gateway.internal.request(path, { method })

    expect([response.status, Object(response.body).error.code]).toEqual([status, code])
  })

  test('is not on the public listeners', async () => {
    for (const client of [gateway.live, gateway.sandbox]) {
      for (const path of ['/graphiql', '/v1/graphiql', '/graphiql/index.js']) {
        const { status, body } = await client.get(path)

        expect([status, Object(body).error.code]).toEqual([404, 'NOT_FOUND'])
      }
    }
  })
})

const artifacts = join(projectRoot, '.artifacts/graphiql')

describe.runIf(browserPath)('GraphiQL in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  /** A page of the test's own; every host it asks and every error it reports is written down. */
  async function open() {
    const context = await browser.newContext()
    context.setDefaultTimeout(patience.timeout)
    const hosts = new Set<string>()
    const complaints: string[] = []
    context.on('request', (request) => hosts.add(new URL(request.url()).origin))
    context.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`))
    context.on('weberror', (error) => complaints.push(error.error().message))
    context.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    const page = await context.newPage()
    await page.goto(`${gateway.internal.url}/graphiql`)
    return { context, page, hosts, complaints }
  }

  test('runs a query with the token of its field, asks no other host and keeps no token', async () => {
    const { id } = await gateway.createAccount()
    const token = await gateway.internalToken('readonly')
    const { context, page, hosts, complaints } = await open()

    await page.getByLabel('Internal token').fill(token)
    await page.getByRole('button', { name: 'Use' }).click()
    await page.getByText('The token is in use.').waitFor()
    await page.getByRole('button', { name: 'Execute query' }).click()
    await page.locator('.result-window').getByText(id).waitFor()
    mkdirSync(artifacts, { recursive: true })
    await page.screenshot({ path: `${artifacts}/answer.png` })
    // The schema has been read, and a dialog breaks no policy.
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await page.getByRole('link', { name: 'Query', exact: true }).first().click()
    await page.getByText('All accounts, or those that a filter lets through.').waitFor()
    await page.getByRole('button', { name: 'Open settings dialog' }).click()
    await page.getByRole('dialog').getByText('Theme').waitFor()

    expect([...hosts]).toEqual([gateway.internal.url])
    expect(complaints).toEqual([])
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
    )
    expect(stored).not.toContain(token)
    await context.close()
  })

  test('takes the token of its headers editor', async () => {
    await gateway.createAccount()
    const token = await gateway.internalToken('readonly')
    const { context, page, complaints } = await open()

    await page.getByRole('button', { name: 'Headers' }).click()
    await page.locator('.graphiql-editor-tool .CodeMirror:visible').click()
    await page.keyboard.insertText(JSON.stringify({ Authorization: `Bearer ${token}` }))
    await page.getByRole('button', { name: 'Execute query' }).click()
    await page.locator('.result-window').getByText('acct_').first().waitFor()

    expect(complaints).toEqual([])
    await context.close()
  })
})
