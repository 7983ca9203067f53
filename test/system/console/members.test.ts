import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../../support/console/console-browser.ts'
import { inspect } from '../../support/console/console-page.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { newAddress } from '../../support/oauth/members.ts'
import { askForLink } from '../../support/oauth/portal.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'

describe.runIf(browserPath)('the members in the console', () => {
  let gateway: TestGateway
  let browser: Browser
  beforeAll(async () => {
    await buildConsole()
    gateway = await startTestGateway()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  const open = () => openBrowser(browser, [gateway.baseUrl, gateway.sandbox.url])

  test('an OWNER invites, another browser joins, and is out once it was removed', async () => {
    const { id: accountId } = await gateway.createAccount()
    const email = newAddress('colleague')
    const { link } = await askForLink(gateway, { accountId, actor: 'Jane Doe' })
    const owner = await open()
    await owner.page.goto(link?.url ?? '')
    await owner.page.getByRole('button', { name: /^Continue to/ }).click()
    await owner.page.getByRole('link', { name: 'Members' }).click()

    await owner.page.getByRole('button', { name: 'Invite' }).click()
    await owner.page.getByLabel('Mail address').fill(email)
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    const shown = owner.page.locator('code.secret')
    await shown.waitFor()
    const invitation = (await shown.textContent()) ?? ''
    await owner.page.getByRole('button', { name: 'I have stored it' }).click()
    await owner.page.getByRole('cell', { name: 'invited', exact: true }).waitFor()

    const guest = await open()
    await guest.page.goto(invitation)
    await guest.page.getByRole('heading', { name: 'Your invitation' }).waitFor()
    expect(new URL(guest.page.url()).hash).toBe('')
    await guest.page.getByText('Jane Doe').waitFor()
    await guest.page.getByText(email).waitFor()
    await guest.page.getByRole('button', { name: /^Join / }).click()
    await guest.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

    await owner.page.reload()
    await owner.page.getByText('address not confirmed').waitFor()
    await owner.page.getByRole('button', { name: `Actions for ${email}` }).click()
    await owner.page.getByRole('menuitem', { name: 'Remove' }).waitFor()
    await inspect(owner.page, 'members-menu', { isBrief: true })
    await owner.page.getByRole('menuitem', { name: 'Remove' }).click()
    await owner.page.getByLabel('Revoke them: programs that use them stop').check()
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await owner.page.getByText('No members yet.', { exact: false }).waitFor()
    await guest.page.reload()
    await guest.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await guest.page.goto(invitation)
    await guest.page.getByRole('heading', { name: 'This link opens nothing' }).waitFor()

    expect([owner.complaints, guest.complaints]).toEqual([[], expect.anything()])
    for (const { context } of [owner, guest]) await context.close()
  })
})
