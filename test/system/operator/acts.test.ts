import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  beginAct,
  type OperatorGateway,
  openOperatorPage,
  startOperatorGateway,
} from '../../support/console/operator-browser.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { newOperator, plantLink } from '../../support/gateway/operator-page.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'
import { patience } from '../../support/time/patience.ts'

describe.runIf(browserPath)('the acts of the operators’ page', () => {
  let gateway: OperatorGateway
  let browser: Browser
  beforeAll(async () => {
    await buildConsole()
    gateway = await startOperatorGateway()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  const dialog = (page: Page) => page.getByRole('dialog')
  const changed = (page: Page) => page.getByRole('table', { name: 'What has changed' })

  async function linesOf(accountId: string, action: string) {
    return gateway.database.query(
      `SELECT actor_kind, actor_id, result, details FROM usage.audit_event
       WHERE account_id = $1 AND action = $2 ORDER BY seq`,
      [accountId, action],
    )
  }

  test('a grant shows the balance before and after, is in the books, and has a line with name and reason', async () => {
    const { id } = await gateway.createAccount({ credits: 1000 })
    const { page, context, complaints, operator, open } = await openOperatorPage(browser, gateway)
    await open(`accounts/${id}`)

    await beginAct(page, 'Grant credits', 'An outage of the module')
    await page.getByRole('textbox', { name: 'Credits' }).fill('500')
    const planned = page.getByRole('table', { name: 'What changes' })
    await planned.getByRole('row', { name: 'Balance 1,000 1,500' }).waitFor()
    await dialog(page).getByRole('button', { name: 'Grant' }).click()
    await changed(page).getByRole('row', { name: 'Balance 1,000 1,500' }).waitFor()
    await dialog(page).getByRole('button', { name: 'Close', exact: true }).last().click()
    await page.locator('.stat').filter({ hasText: 'Balance' }).getByText('1,500').waitFor()

    const entries = await gateway.database.query(
      `SELECT kind, credits::int, balance_after::int FROM account.ledger_entry
       WHERE account_id = $1 AND environment = 'live' ORDER BY seq DESC LIMIT 1`,
      [id],
    )
    expect(entries).toEqual([{ kind: 'grant', credits: 500, balance_after: 1500 }])
    await expect
      .poll(() => linesOf(id, 'credits.grant'), patience)
      .toEqual([
        {
          ...{ actor_kind: 'internal', actor_id: operator.name, result: 'succeeded' },
          details: expect.objectContaining({ reason: 'An outage of the module', credits: 500 }),
        },
      ])
    await expectExactBooks(gateway)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('an act whose answer is lost is sent again with the same key, and takes effect once', async () => {
    const { id } = await gateway.createAccount({ credits: 100 })
    const { page, context, open } = await openOperatorPage(browser, gateway)
    await open(`accounts/${id}`)
    let cuts = 0
    await page.route('**/operator/api', async (route) => {
      const { operation } = route.request().postDataJSON()
      if (operation !== 'GrantCredits' || cuts > 0) return route.continue()
      cuts += 1
      await route.fetch()
      await route.abort('connectionreset')
    })

    await beginAct(page, 'Grant credits', 'Once')
    await page.getByRole('textbox', { name: 'Credits' }).fill('50')
    await dialog(page).getByRole('button', { name: 'Grant' }).click()
    await page.getByText('Nobody knows yet whether this was done.').waitFor()
    expect(await page.getByLabel('Reason').isDisabled()).toBe(true)
    await dialog(page).getByRole('button', { name: 'Send again' }).click()
    await changed(page).getByRole('row', { name: 'Balance 100 150' }).waitFor()

    const [balance] = await gateway.database.query(
      `SELECT balance::int FROM account.balance WHERE account_id = $1 AND environment = 'live'`,
      [id],
    )
    expect([cuts, balance]).toEqual([1, { balance: 150 }])
    await context.close()
  })

  test('suspending needs a fresh proof: the dialog shows the command, and a pasted link goes on', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const { page, context, operator, open } = await openOperatorPage(browser, gateway)
    await gateway.database.query(
      `UPDATE keys.operator_session SET proven_at = proven_at - interval '16 minutes' WHERE name = $1`,
      [operator.name],
    )
    await open(`accounts/${id}`)

    await beginAct(page, 'Suspend the account', 'A stolen card')
    await dialog(page).getByRole('button', { name: 'Suspend' }).click()
    const proof = page.getByRole('dialog', { name: 'Prove that it is you' })
    await proof.getByText(`--role admin --name '${operator.name}'`).waitFor()
    const token = await plantLink(gateway, operator)
    await proof.getByLabel('Link').fill(`${gateway.operatorUrl}#token=${token}`)
    await proof.getByRole('button', { name: 'Continue' }).click()
    await changed(page).getByRole('row', { name: 'Status active suspended' }).waitFor()

    expect((await gateway.live.get('/v1/account', liveKey)).status).toBe(403)
    await expect
      .poll(() => linesOf(id, 'account.update'), patience)
      .toEqual([
        {
          ...{ actor_kind: 'internal', actor_id: operator.name, result: 'succeeded' },
          details: expect.objectContaining({ reason: 'A stolen card' }),
        },
      ])
    await context.close()
  })

  test('a portal link is shown once, and neither storage nor address keeps it', async () => {
    const { id } = await gateway.createAccount()
    const { page, context, open } = await openOperatorPage(browser, gateway, newOperator('support'))
    await open(`accounts/${id}`)

    await beginAct(page, 'Make a portal link', 'Asked by phone')
    await page.getByLabel('Person').fill('Ada')
    await dialog(page).getByRole('button', { name: 'Make the link' }).click()
    const link = await page.locator('code.secret').innerText()
    expect(link).toMatch(/\/portal#/)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.locator('code.secret').waitFor({ state: 'detached' })

    expect(await page.content()).not.toContain(link)
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))
    expect(kept).not.toContain(link)
    await context.close()
  })

  test('readonly sees an account whole, and no act', async () => {
    const { id } = await gateway.createAccount()
    const { page, context, open, complaints } = await openOperatorPage(
      browser,
      gateway,
      newOperator('readonly'),
    )
    const acts = page.getByRole('button', {
      name: /^(Act|Refund|Revoke|End|End all|Retry)$/,
    })
    for (const part of ['credits', 'keys', 'members', 'payments', 'budgets']) {
      await open(`accounts/${id}/${part}`)
      expect([part, await acts.count()]).toEqual([part, 0])
    }
    await open('health')
    expect(await acts.count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a dead job is tried again from Health', async () => {
    const accountId = newId('acct')
    const [job] = await gateway.database.query<{ id: string }>(
      `INSERT INTO jobs.job (name, data, source_name, source_output, policy)
       VALUES ('dead_letter', $1, 'EndGrants', '{"reason": "The module is away."}', 'standard')
       RETURNING id`,
      [JSON.stringify({ accountId })],
    )
    expect(job).toBeDefined()
    const { page, context, open } = await openOperatorPage(browser, gateway)
    await open('health')
    const row = page
      .getByRole('table', { name: 'dead jobs' })
      .getByRole('row')
      .filter({ hasText: accountId })

    await row.getByRole('button', { name: 'Retry' }).click()
    await page.getByLabel('Reason').fill('The module is back')
    await dialog(page).getByRole('button', { name: 'Retry' }).click()
    await changed(page).waitFor()

    await row.waitFor({ state: 'detached' })
    await context.close()
  })
})
