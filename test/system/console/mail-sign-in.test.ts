import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../../support/console/console-browser.ts'
import { inspect } from '../../support/console/console-page.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { secretsIn } from '../../support/oauth/mail-sign-in.ts'
import { joinByMail } from '../../support/oauth/mailed-members.ts'
import { newAddress } from '../../support/oauth/members.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'
import { type MailServer, openMailServer } from '../../support/stubs/mail-server.ts'

describe.runIf(browserPath)('the sign-in by mail in the console', () => {
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

  const open = () => openBrowser(browser, [gateway.baseUrl, gateway.sandbox.url])

  const join = (email: string, role: 'OWNER' | 'VIEWER' | 'DEVELOPER') =>
    joinByMail(gateway, server, { email, role })

  async function newestTo(email: string, count: number) {
    return secretsIn((await server.until(email, count)).at(-1)?.text ?? '')
  }

  test('the code signs in; a wrong one says so; the step-up dialog asks for another', async () => {
    const email = newAddress('code')
    await join(email, 'OWNER')
    const { page, context, complaints } = await open()
    await page.goto(`${gateway.baseUrl}/console/members`)
    await page.getByRole('button', { name: 'Use a mail address instead' }).click()
    await page.getByLabel('Mail address').waitFor()
    await inspect(page, 'mail-sign-in-address')
    await page.getByLabel('Mail address').fill(email)
    await page.getByRole('button', { name: 'Send me a mail' }).click()
    await page.getByText(`If ${email} belongs to a member`, { exact: false }).waitFor()
    await inspect(page, 'mail-sign-in-code')
    const { code } = await newestTo(email, 2)

    await page.getByLabel('Code from the mail').fill(code === '00000000' ? '1' : '00000000')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('This code is wrong, or no longer works.', { exact: false }).waitFor()
    await page.getByLabel('Code from the mail').fill(`${code.slice(0, 4)} ${code.slice(4)}`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()

    const cookies = await context.cookies(gateway.baseUrl)
    expect(
      cookies
        .toSorted((one, other) => one.name.localeCompare(other.name))
        .map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]),
    ).toEqual(
      ['__Host-gw_ask', '__Host-gw_known', '__Host-gw_session'].map((name) => [
        name,
        true,
        'Strict',
      ]),
    )
    await gateway.database.query(
      `UPDATE oauth.session SET proven_at = now() - interval '1 hour', auth_time = now() - interval '2 h'
       WHERE actor = $1`,
      [email],
    )
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Mail address').fill(newAddress('guest'))
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('button', { name: 'Mail me a code' }).click()
    const proof = await newestTo(email, 3)
    await inspect(page, 'mail-step-up')
    await page.getByLabel('Code from the mail').fill(proof.code)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('cell', { name: 'invited', exact: true }).waitFor()

    expect(complaints).toEqual([])
    await context.close()
  })

  test('the link signs in when a person presses the button, and nowhere but in this browser', async () => {
    const email = newAddress('link')
    await join(email, 'VIEWER')
    await join(email, 'DEVELOPER')
    const asking = await open()
    await asking.page.goto(`${gateway.baseUrl}/console`)
    await asking.page.getByRole('button', { name: 'Use a mail address instead' }).click()
    await asking.page.getByLabel('Mail address').fill(email)
    await asking.page.getByRole('button', { name: 'Send me a mail' }).click()
    await asking.page.getByLabel('Code from the mail').waitFor()
    const { token } = await newestTo(email, 3)
    const link = `${gateway.baseUrl}/console/sign-in#${token}`

    const other = await open()
    await other.page.goto(link)
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.page.getByRole('heading', { name: 'This link does not work here' }).waitFor()
    await other.page.getByText('the browser in which you asked for it', { exact: false }).waitFor()
    await inspect(other.page, 'mail-link-elsewhere')

    await asking.page.goto(link)
    await asking.page.getByRole('heading', { name: 'Sign in to the console' }).waitFor()
    expect(new URL(asking.page.url()).hash).toBe('')
    await inspect(asking.page, 'mail-link')
    await asking.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await asking.page.getByRole('heading', { name: 'Choose an account' }).waitFor()
    await inspect(asking.page, 'mail-accounts')
    await asking.page.getByRole('button', { name: /DEVELOPER/ }).click()
    await asking.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

    expect([asking.complaints, other.complaints]).toEqual([[], []])
    for (const { context } of [asking, other]) await context.close()
  })
})
