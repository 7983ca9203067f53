import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openBrowser } from '../../support/console/console-browser.ts'
import { inspect } from '../../support/console/console-page.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { joinByMail, type MailedMember } from '../../support/oauth/mailed-members.ts'
import { newAddress } from '../../support/oauth/members.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'
import { type MailServer, openMailServer } from '../../support/stubs/mail-server.ts'
import { patience } from '../../support/time/patience.ts'

describe.runIf(browserPath)('the own address in the console', () => {
  let server: MailServer
  let gateway: TestGateway
  let browser: Browser
  beforeAll(async () => {
    await buildConsole()
    server = await openMailServer()
    gateway = await startTestGateway({
      SMTP_URL: server.url,
      MAIL_FROM: 'Gateway <gw@api.example>',
    })
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
    await server?.stop()
  })

  /** A browser with the session of the member. */
  async function openAs(member: MailedMember) {
    const opened = await openBrowser(browser, [gateway.baseUrl, gateway.sandbox.url])
    const at = member.cookie.indexOf('=')
    const [name, value] = [member.cookie.slice(0, at), member.cookie.slice(at + 1)]
    const url = gateway.baseUrl.replace(/^http:/, 'https:')
    await opened.context.addCookies([
      { name, value, url, secure: true, httpOnly: true, sameSite: 'Strict' },
    ])
    return opened
  }

  test('a member changes it in the settings, and by the link of the mail, but in no other browser', async () => {
    const [email, next] = [newAddress('console'), newAddress('console-next')]
    const { page, context, complaints } = await openAs(
      await joinByMail(gateway, server, { email, role: 'VIEWER' }),
    )
    await page.goto(`${gateway.baseUrl}/console/settings`)
    await page.getByRole('button', { name: 'Change the address' }).click()
    await page.getByLabel('Mail address').fill(next)
    await inspect(page, 'own-address')
    await page.getByRole('button', { name: 'Mail me a link' }).click()
    await page.getByText(`Follow the link in the mail to ${next}.`, { exact: false }).waitFor()
    const link = await vi.waitFor(() => {
      const mail = server.received.find(({ to }) => to === next)
      const path = /\/console\/confirm-address#\S+/.exec(mail?.text ?? '')?.[0]
      expect(path).toBeDefined()
      return `${gateway.baseUrl}${path}`
    }, patience)

    const other = await openBrowser(browser, [gateway.baseUrl, gateway.sandbox.url])
    await other.page.goto(link)
    await other.page.getByRole('button', { name: 'Confirm this address' }).click()
    await other.page.getByRole('heading', { name: 'Sign in first' }).waitFor()
    await inspect(other.page, 'confirm-address-elsewhere')

    await page.goto(link)
    await page.getByRole('heading', { name: 'Confirm your address' }).waitFor()
    expect(new URL(page.url()).hash).toBe('')
    await inspect(page, 'confirm-address')
    await page.getByRole('button', { name: 'Confirm this address' }).click()
    await page.getByText(`From now on you sign in with ${next}.`).waitFor()
    await inspect(page, 'confirmed-address')

    // The same address in the open tab would load no page.
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('button', { name: 'Confirm this address' }).click()
    await page.getByRole('heading', { name: 'This link confirms nothing here' }).waitFor()
    await page.getByRole('link', { name: 'Open the console' }).click()
    await page.goto(`${gateway.baseUrl}/console/settings`)
    await page
      .locator('p')
      .filter({ hasText: next })
      .getByText('You sign in by mail with this address.')
      .waitFor()

    expect([complaints, other.complaints]).toEqual([[], []])
    await context.close()
    await other.context.close()
  })
})
