import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inspect } from '../../support/console/console-page.ts'
import {
  beginAct,
  type OperatorBrowser,
  type OperatorGateway,
  openOperatorPage,
  startOperatorGateway,
} from '../../support/console/operator-browser.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import type { TestAccount } from '../../support/gateway/gateway.ts'
import { buyPackage, disputeOf, notifySimulated } from '../../support/gateway/payment-returns.ts'
import { cookieOf, linkToken, signInWith } from '../../support/oauth/portal.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'
import { patience } from '../../support/time/patience.ts'

/** All by one operator in one browser: only the accounts are each test's own. */
describe.runIf(browserPath)('the acts on an account, in the operators’ page', () => {
  let gateway: OperatorGateway
  let browser: Browser
  let operator: OperatorBrowser
  let page: Page
  beforeAll(async () => {
    await buildConsole()
    gateway = await startOperatorGateway()
    browser = await launchBrowser()
    operator = await openOperatorPage(browser, gateway)
    page = operator.page
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  const dialog = () => page.getByRole('dialog')
  const planned = (row: string) =>
    page.getByRole('table', { name: 'What changes' }).getByRole('row', { name: row }).waitFor()

  /** Sends the act, and closes its dialog once this has changed. */
  async function confirm(submit: string, ...changed: readonly string[]) {
    await dialog().getByRole('button', { name: submit, exact: true }).click()
    const table = page.getByRole('table', { name: 'What has changed' })
    for (const row of changed) await table.getByRole('row', { name: row }).waitFor()
    await dialog().getByRole('button', { name: 'Close', exact: true }).last().click()
    await dialog().waitFor({ state: 'detached' })
  }

  /** Presses a button of a row, and gives the reason in its dialog. */
  async function beginOf(table: string, row: string, button: string, reason: string) {
    const rows = page.getByRole('table', { name: table }).getByRole('row')
    await rows.filter({ hasText: row }).first().getByRole('button', { name: button }).click()
    await page.getByLabel('Reason').fill(reason)
  }

  /** The lines of this operator in the trail of an account, without those about reads. */
  async function lines({ id }: TestAccount) {
    const found = await gateway.database.query<{ action: string; reason: string }>(
      `SELECT action, details ->> 'reason' AS reason FROM usage.audit_event
       WHERE account_id = $1 AND actor_id = $2 AND result = 'succeeded'
         AND action <> 'account.looked_at' ORDER BY occurred_at`,
      [id, operator.operator.name],
    )
    return found.map(({ action, reason }) => [action, reason])
  }

  test('adjusting below zero has to be permitted; refunding a charge gives its credits back, once', async () => {
    const account = await gateway.createAccount({ credits: 100 })
    const call = await gateway.live.post(
      '/v1/contacts/reveal',
      { contact_id: 'con_5f1e0c7a9b3d2e48' },
      account.liveKey,
    )
    expect(call.status).toBe(200)
    await operator.open(`accounts/${account.id}`)

    await beginOf('ledger entries', 'charge', 'Refund', 'It found nothing')
    await planned('Credits charged for the call 5 0')
    await confirm('Refund', 'Balance 95 100')

    await beginAct(page, 'Adjust credits', 'Granted by mistake')
    await page.getByRole('textbox', { name: 'Credits' }).fill('150')
    await planned('Balance 100 -50')
    expect(await dialog().getByRole('button', { name: 'Adjust' }).isDisabled()).toBe(true)
    await page.getByLabel('Let the balance become negative').check()
    await inspect(page, 'operator-act-adjust', { isBrief: true })
    await confirm('Adjust', 'Balance 100 -50')
    await page.locator('.stat').filter({ hasText: 'Balance' }).getByText('-50').waitFor()

    await expect
      .poll(() => lines(account), patience)
      .toEqual([
        ['credits.refund', 'It found nothing'],
        ['credits.adjust', 'Granted by mistake'],
      ])
    await expectExactBooks(gateway)
  })

  test('suspending and resuming, another tier, and closing by the name of the account', async () => {
    const account = await gateway.createAccount()
    const status = async () => (await gateway.live.get('/v1/account', account.liveKey)).status
    await operator.open(`accounts/${account.id}`)

    await beginAct(page, 'Suspend the account', 'A stolen card')
    await confirm('Suspend', 'Status active suspended')
    expect(await status()).toBe(403)
    await beginAct(page, 'Resume the account', 'It was not stolen')
    await confirm('Resume', 'Status suspended active')
    expect(await status()).toBe(200)

    await beginAct(page, 'Set the tier', 'Contract 12')
    await dialog().getByLabel('Tier').first().click()
    await page.getByRole('option', { name: 'Growth' }).click()
    await planned('Tier Scale Growth')
    await confirm('Set', 'Tier Scale Growth', 'Subscription Enterprise Enterprise')

    await beginAct(page, 'Close the account', 'The contract has ended')
    const close = dialog().getByRole('button', { name: 'Close the account' })
    expect(await close.isDisabled()).toBe(true)
    await page.getByLabel('Type “Test” to confirm').fill('Test')
    await confirm('Close the account', 'Status active closed')
    expect(await status()).toBe(401)

    await expect
      .poll(() => lines(account), patience)
      .toEqual([
        ['account.update', 'A stolen card'],
        ['account.update', 'It was not stolen'],
        ['account.update', 'Contract 12'],
        ['account.update', 'The contract has ended'],
      ])
  })

  test('a payment is refunded in part, and the block after a dispute is lifted', async () => {
    const account = await gateway.createAccount()
    const [paymentId, disputed] = [
      await buyPackage(gateway, account),
      await buyPackage(gateway, account),
    ]
    await notifySimulated(gateway, disputeOf(disputed, 1000, 'funds_withdrawn'))
    await operator.open(`accounts/${account.id}/payments`)

    await beginOf('payments', paymentId, 'Refund', 'Bought twice')
    await page.getByLabel('Amount in USD').fill('4')
    await planned('Returned of the payment $0.00 $4.00')
    await confirm('Refund', 'Left of the payment $10.00 $6.00')
    const row = page.getByRole('row').filter({ hasText: paymentId })
    await row.getByText('$4.00 refund').waitFor()

    await beginAct(page, 'Lift the block of payments', 'The bank has decided')
    await confirm('Lift the block', 'Payments blocked permitted')
    await buyPackage(gateway, account)

    await expect
      .poll(() => lines(account), patience)
      .toEqual([
        ['payment.refund', 'Bought twice'],
        ['payment_block.lift', 'The bank has decided'],
      ])
    await expectExactBooks(gateway)
  })

  test('a revoked key is refused, and an ended session is signed out', async () => {
    const account = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(account.id, { name: 'Leaked' })
    const token = await linkToken(gateway, { accountId: account.id, actor: 'Ada' })
    const cookie = cookieOf(await signInWith(gateway.live, { portal_token: token })) ?? ''
    const session = () => gateway.live.get('/v1/account/sessions/current', undefined, { cookie })
    expect((await session()).status).toBe(200)
    await operator.open(`accounts/${account.id}/keys`)

    await beginOf('API keys', 'Leaked', 'Revoke', 'It was published')
    await confirm('Revoke', 'Status of the key active revoked')
    expect((await gateway.live.get('/v1/account', plaintext)).status).toBe(401)
    expect((await gateway.live.get('/v1/account', account.liveKey)).status).toBe(200)

    await page.getByRole('link', { name: 'Members' }).click()
    await beginOf('sessions', 'Ada', 'End', 'A lost laptop')
    await confirm('End', 'Open sessions 1 0')
    expect((await session()).status).toBe(401)

    await expect
      .poll(() => lines(account), patience)
      .toEqual([
        ['key.revoke', 'It was published'],
        ['session.end', 'A lost laptop'],
      ])
    expect(operator.complaints).toEqual([])
  })
})
