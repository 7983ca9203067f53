import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../../support/console/console-browser.ts'
import { inspect } from '../../support/console/console-page.ts'
import {
  type OperatorGateway,
  openOperatorPage,
  startOperatorGateway,
} from '../../support/console/operator-browser.ts'
import { newOperator, plantLink } from '../../support/gateway/operator-page.ts'
import { buyPackage, disputeOf, notifySimulated } from '../../support/gateway/payment-returns.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'

describe.runIf(browserPath)('the screens of the operators’ page', () => {
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

  const reveal = (key: string) =>
    gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_5f1e0c7a9b3d2e48' }, key)

  test('a link names the operator, signs in by a button, works once, and leaves nothing in the browser', async () => {
    const operator = newOperator('support')
    const token = await plantLink(gateway, operator)
    const { origin } = new URL(gateway.operatorUrl)
    const { page, context, complaints } = await openBrowser(browser, [origin])
    await page.goto(`${gateway.operatorUrl}#token=${token}`)
    await page.getByText(operator.name, { exact: true }).waitFor()
    expect(new URL(page.url()).hash).toBe('')
    expect(await context.cookies()).toEqual([])
    await inspect(page, 'operator-link')

    await page.getByRole('button', { name: `Sign in as ${operator.name}` }).click()
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor()
    await page.getByRole('button', { name: `Operator ${operator.name}, support` }).waitFor()
    const kept = await page.evaluate(() =>
      JSON.stringify([localStorage, sessionStorage, history.state]),
    )
    expect(kept).not.toContain(token)
    await page.goto(`${gateway.operatorUrl}#token=${token}`)
    await page.getByRole('heading', { level: 1, name: 'This link opens nothing' }).waitFor()
    expect(new URL(page.url()).hash).toBe('')
    await page.getByRole('button', { name: 'Go on without it' }).click()
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor()

    await page.getByRole('button', { name: `Operator ${operator.name}, support` }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'Operators' }).waitFor()
    await inspect(page, 'operator-door')
    await page.goto(`${gateway.operatorUrl}/health?again#token=${token}`)
    await page.getByRole('heading', { level: 1, name: 'This link opens nothing' }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('an account is found by its name, mail address, shown key, external id and id', async () => {
    const { id } = await gateway.createAccount()
    const [found] = await gateway.database.query<{ name: string; email: string }>(
      'SELECT name, email FROM account.account WHERE id = $1',
      [id],
    )
    const { name = '', email = '' } = found ?? {}
    const [key] = await gateway.database.query<{ shown: string }>(
      `UPDATE keys.api_key SET external_id = 'customer ' || account_id
       WHERE account_id = $1 AND environment = 'live' RETURNING prefix || '…' || last4 AS shown`,
      [id],
    )
    const { page, context, complaints } = await openOperatorPage(browser, gateway)
    const looks = [
      ['Mail address', email],
      ['Key prefix', key?.shown ?? ''],
      ['External id', `customer ${id}`],
      ['Account id', id],
    ] as const

    for (const [by, text] of looks) {
      await page.goto(gateway.operatorUrl)
      await page.getByLabel('Find by').first().click()
      await page.getByRole('option', { name: by }).click()
      await page.getByLabel('Text to find').fill(text)
      await page.getByRole('button', { name: 'Find', exact: true }).click()
      const row = page.getByRole('row').filter({ hasText: id })
      await row.getByRole('link', { name }).waitFor()
    }
    await page.getByRole('link', { name }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a whole key is not put into the address: only what lists show of it is looked for', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const { page, context } = await openOperatorPage(browser, gateway)
    await page.getByLabel('Find by').first().click()
    await page.getByRole('option', { name: 'Key prefix' }).click()
    await page.getByLabel('Text to find').fill(liveKey)
    await page.getByRole('button', { name: 'Find', exact: true }).click()
    await page.getByRole('row').filter({ hasText: id }).waitFor()

    expect(decodeURIComponent(page.url())).toContain(`…${liveKey.slice(-4)}`)
    expect(page.url()).not.toContain(liveKey.slice(12, 30))
    await context.close()
  })

  test('filters of the list are in the address, and the browser goes back through them', async () => {
    const { id } = await gateway.createAccount()
    await gateway.database.query(
      `UPDATE account.account SET status = 'SUSPENDED', name = 'Stopped ' || id WHERE id = $1`,
      [id],
    )
    const { page, context } = await openOperatorPage(browser, gateway)
    await page.getByLabel('State').first().click()
    await page.getByRole('option', { name: 'Suspended' }).click()
    await page.getByRole('link', { name: `Stopped ${id}` }).waitFor()
    expect(new URL(page.url()).search).toBe('?state=SUSPENDED')
    await page.goBack()
    await page.waitForFunction(() => location.search === '')
    await context.close()
  })

  test('every screen stands in both themes at both widths, and axe finds nothing', async () => {
    const account = await gateway.createAccount({ credits: 1_234_567 })
    for (let call = 0; call < 3; call += 1) await reveal(account.liveKey)
    await gateway.live.post('/v1/contacts/reveal', {}, account.liveKey)
    const paymentId = await buyPackage(gateway, account)
    await notifySimulated(gateway, disputeOf(paymentId, 500, 'open'))
    const { page, context, open, complaints } = await openOperatorPage(browser, gateway)

    await inspect(page, 'operator-accounts')
    for (const part of partsOfAccount) {
      await open(`accounts/${account.id}/${part}`)
      await inspect(page, `operator-account-${part}`)
    }
    for (const path of ['health', 'money']) {
      await open(path)
      await inspect(page, `operator-${path}`)
    }
    await open(`accounts/${account.id}`)
    for (const act of actsOfAccount) await inspectAct(page, act)
    expect(complaints).toEqual([])
    await context.close()
  })

  async function inspectAct(page: Page, act: string) {
    await page.getByRole('button', { name: 'Act', exact: true }).click()
    await page.getByRole('menuitem', { name: act }).click()
    await page.getByRole('dialog').waitFor()
    await inspect(page, `operator-act-${act.toLowerCase().replaceAll(' ', '-')}`, { isBrief: true })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
})

const partsOfAccount = [
  ...['credits', 'keys', 'members', 'apps', 'payments', 'plan', 'budgets', 'log', 'audit'],
]
const actsOfAccount = ['Grant credits', 'Set the tier', 'Close the account']
