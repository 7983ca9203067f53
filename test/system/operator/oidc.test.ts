import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../../support/console/console-browser.ts'
import { inspect } from '../../support/console/console-page.ts'
import { beginAct, startOidcGateway } from '../../support/console/operator-browser.ts'
import { newPerson } from '../../support/operator/sign-in.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'
import { patience } from '../../support/time/patience.ts'

describe.runIf(browserPath)('operators who sign in at an issuer', () => {
  let gateway: Awaited<ReturnType<typeof startOidcGateway>>
  let browser: Browser
  beforeAll(async () => {
    await buildConsole()
    gateway = await startOidcGateway()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  const open = () => openBrowser(browser, [new URL(gateway.operatorUrl).origin, gateway.issuer.url])
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
  const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds

  test('one comes back to the screen that was asked for, proves an act by signing in again, and signs out at the issuer too', async () => {
    const { id } = await gateway.createAccount()
    const { issuer } = gateway
    const person = newPerson('gw-admins')
    Object.assign(issuer, { person, loginAt: secondsAgo(3600) })
    const { page, context, complaints } = await open()
    const account = `${gateway.operatorUrl}/accounts/${id}`

    await page.goto(account)
    await heading(page, 'Operators').waitFor()
    await inspect(page, 'operator-door-oidc')
    await page.getByRole('link', { name: 'Sign in', exact: true }).click()
    await heading(page, 'Test').waitFor()
    expect(page.url()).toBe(account)
    await page.getByRole('button', { name: `Operator ann (${person.sub}), admin` }).waitFor()

    await beginAct(page, 'Suspend the account', 'A stolen card')
    const dialog = page.getByRole('dialog', { name: 'Suspend the account' })
    await dialog.getByRole('button', { name: 'Suspend' }).click()
    const proof = page.getByRole('dialog', { name: 'Prove that it is you' })
    await proof.waitFor()
    await inspect(page, 'operator-proof-oidc', { isBrief: true })
    issuer.loginAt = null
    await proof.getByRole('link', { name: 'Sign in again' }).click()
    await proof.waitFor({ state: 'detached' })
    await heading(page, 'Test').waitFor()
    expect([page.url(), issuer.authorizations.at(-1)?.get('max_age')]).toEqual([account, '0'])
    await beginAct(page, 'Suspend the account', 'A stolen card')
    await dialog.getByRole('button', { name: 'Suspend' }).click()
    const changed = page.getByRole('table', { name: 'What has changed' })
    await changed.getByRole('row', { name: 'Status active suspended' }).waitFor()
    await page.keyboard.press('Escape')
    await changed.waitFor({ state: 'detached' })
    const lines = () =>
      gateway.database.query(
        `SELECT actor_id, result FROM usage.audit_event WHERE account_id = $1 AND action = 'account.update'`,
        [id],
      )
    const actor_id = `ann (${person.sub})`
    await expect.poll(lines, patience).toEqual([{ actor_id, result: 'succeeded' }])

    await page.getByRole('button', { name: /^Operator ann/ }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${issuer.url}/**`)
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await heading(page, 'Operators').waitFor()
    const cookies = await context.cookies([gateway.operatorUrl, issuer.url])
    expect(cookies.map(({ name }) => name)).not.toContain('__Host-gw_operator')
    expect(complaints).toEqual([])

    // The issuer asks again who is there.
    issuer.person = newPerson('gw-readers')
    await page.getByRole('link', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: /^Operator ann .*, readonly$/ }).waitFor()
    await context.close()
  })

  test('one without a role, and one who declines, see why and the way back', async () => {
    const { issuer } = gateway
    for (const [person, title] of [
      [newPerson('others'), 'You have no role here'],
      [null, 'You are not signed in'],
    ] as const) {
      issuer.person = person
      const { page, context } = await open()
      await page.goto(gateway.operatorUrl)
      await page.getByRole('link', { name: 'Sign in', exact: true }).click()
      await heading(page, title).waitFor()
      await page.getByRole('link', { name: 'Sign in again' }).waitFor()
      await context.close()
    }
  })
})
