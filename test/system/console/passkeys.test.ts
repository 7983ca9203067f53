import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { type ConsoleBrowser, openBrowser } from '../../support/console/console-browser.ts'
import { inspect } from '../../support/console/console-page.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { newAddress } from '../../support/oauth/members.ts'
import { answerSignIn, beginSignIn } from '../../support/oauth/passkeys.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'

describe.runIf(browserPath)('passkeys in the console', () => {
  let gateway: TestGateway
  let browser: Browser
  let otherOrigin: string
  beforeAll(async () => {
    await buildConsole()
    const [port, sandboxPort] = [String(await freePort()), String(await freePort())]
    otherOrigin = `http://localhost:${sandboxPort}`
    gateway = await startTestGateway({
      ...{ PORT: port, BASE_URL: `http://localhost:${port}` },
      ...{ SANDBOX_PORT: sandboxPort, SANDBOX_BASE_URL: otherOrigin },
    })
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  interface Device extends ConsoleBrowser {
    readonly cdp: CDPSession
    readonly authenticatorId: string
    readonly memberId: string
  }

  /** A browser of a new OWNER, with an authenticator that always agrees. */
  async function openDevice(): Promise<Device> {
    const { id: accountId } = await gateway.createAccount()
    const input = { accountId, email: newAddress('owner'), role: 'OWNER' }
    const { inviteToAccount: invited } = Object(
      await gateway.graphql(
        'mutation ($input: InviteMemberInput!) { inviteToAccount(input: $input) { id link } }',
        { input },
      ),
    )
    const viewport = { width: 1280, height: 900 }
    const opened = await openBrowser(browser, [gateway.baseUrl, otherOrigin], { viewport })
    const cdp = await opened.context.newCDPSession(opened.page)
    await cdp.send('WebAuthn.enable')
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true },
        ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
      },
    })
    await opened.page.goto(invited.link)
    await opened.page.getByRole('button', { name: /^Join / }).click()
    await opened.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    return { ...opened, cdp, authenticatorId, memberId: invited.id }
  }

  async function addPasskey(page: Page, name: string): Promise<void> {
    await page.goto(`${gateway.baseUrl}/console/settings`)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill(name)
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('cell', { name, exact: true }).waitFor()
  }

  async function signOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: /^Account / }).click()
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  }

  const byPasskey = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' })

  test('a member adds a passkey, signs in with it, proves the session with it, and removes it', async () => {
    const { page, context, complaints, memberId } = await openDevice()
    await addPasskey(page, 'Laptop')
    await inspect(page, 'passkeys')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('dialog').getByLabel('Name').waitFor()
    await inspect(page, 'passkeys-add', { isBrief: true })
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

    await signOut(page)
    await inspect(page, 'sign-in-passkey')
    await byPasskey(page).click()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()

    await gateway.database.query(
      `UPDATE oauth.session SET auth_time = now() - interval '2 h', proven_at = now() - interval '2 h'
       WHERE member_id = $1`,
      [memberId],
    )
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Mail address').fill(newAddress('colleague'))
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('button', { name: 'Use passkey' }).waitFor()
    await inspect(page, 'passkey-proof', { isBrief: true })
    await page.getByRole('button', { name: 'Use passkey' }).click()
    await page.locator('code.secret').waitFor()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await inspect(page, 'members-passkeys')

    await page.goto(`${gateway.baseUrl}/console/settings`)
    await page.getByRole('button', { name: 'Remove Laptop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('None yet.', { exact: false }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a session without a proof asks for the removal, and sees until when it waits', async () => {
    const { page, context, memberId } = await openDevice()
    await addPasskey(page, 'Phone')
    await gateway.database.query(
      `UPDATE oauth.session SET proven_at = auth_time - interval '1 ms' WHERE member_id = $1`,
      [memberId],
    )

    await page.reload()
    await page.getByRole('button', { name: 'Remove Phone' }).click()
    await page.getByText('Ask now, and remove it in 24 hours.', { exact: false }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('has asked to remove one', { exact: false }).waitFor()
    await inspect(page, 'passkeys-wait')

    await page.getByRole('cell', { name: 'Phone', exact: true }).waitFor()
    await context.close()
  })

  test('a copy of a passkey is refused, and disables it', async () => {
    const { page, context, cdp, authenticatorId, memberId } = await openDevice()
    await addPasskey(page, 'Laptop')
    await signOut(page)
    await byPasskey(page).click()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    await signOut(page)

    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    const [credential] = credentials
    if (!credential) throw new Error('The authenticator has no passkey.')
    const { credentialId } = credential
    await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
    const copy = { ...credential, signCount: 0 }
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: copy })
    await byPasskey(page).click()

    await page.getByText('This passkey was not accepted.', { exact: false }).waitFor()
    const [stored] = await gateway.database.query<{ disabled: boolean }>(
      `SELECT p.disabled_at IS NOT NULL AS disabled FROM oauth.passkey p
       JOIN oauth.membership m USING (person_id) WHERE m.id = $1`,
      [memberId],
    )
    expect(stored).toEqual({ disabled: true })
    await context.close()
  })

  test('what the passkey signs for a page of another origin is refused', async () => {
    const { page, context } = await openDevice()
    await addPasskey(page, 'Laptop')
    const begun = await beginSignIn(gateway)

    // The same host on another port: the browser offers the passkey there too.
    await page.goto(`${otherOrigin}/console`)
    const credential = await page.evaluate(async (options) => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as never)
      const made = await navigator.credentials.get({ publicKey })
      return (made as PublicKeyCredential).toJSON()
    }, begun.options)
    const answer = await answerSignIn(gateway, begun, { credential: credential as never })

    expectError(gateway, answer, { status: 403, code: 'FORBIDDEN' })
    await context.close()
  })
})
