import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { startTestGateway, type TestGateway } from '../gateway/gateway.ts'
import { newOperator, plantLink, type TestOperator } from '../gateway/operator-page.ts'
import { startTestIssuer, type TestIssuer } from '../operator/test-issuer.ts'
import { type ConsoleBrowser, openBrowser } from './console-browser.ts'
import { untilLoaded } from './console-page.ts'

/** A gateway whose operators' page a browser reaches. */
export interface OperatorGateway extends TestGateway {
  /** The address of the page, without a slash at the end. */
  readonly operatorUrl: string
}

export async function startOperatorGateway(): Promise<OperatorGateway> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const gateway = await startTestGateway({
    ...{ INTERNAL_PORT: String(port), OPERATOR_BASE_URL: origin },
  })
  return { ...gateway, operatorUrl: `${origin}/operator` }
}

interface OidcGateway extends OperatorGateway {
  readonly issuer: TestIssuer
}

/** A gateway whose operators sign in at an issuer. The issuer is another site than the page. */
export async function startOidcGateway(): Promise<OidcGateway> {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const issuer = await startTestIssuer({ operatorUrl: origin })
  const gateway = await startTestGateway({
    ...{ INTERNAL_PORT: String(port), OPERATOR_BASE_URL: origin, ...issuer.variables },
  })
  return {
    ...{ ...gateway, issuer, operatorUrl: `${origin}/operator` },
    async close() {
      await gateway.close()
      issuer.close()
    },
  }
}

export interface OperatorBrowser extends ConsoleBrowser {
  readonly operator: TestOperator
  /** Goes to a screen, such as `health`, and waits until it stands there. */
  readonly open: (path: string) => Promise<void>
}

/** A browser of the test's own whose operator has signed in by a link. */
export async function openOperatorPage(
  browser: Browser,
  gateway: OperatorGateway,
  operator = newOperator('admin'),
  options: BrowserContextOptions = {},
): Promise<OperatorBrowser> {
  const { origin } = new URL(gateway.operatorUrl)
  const settings = { colorScheme: 'light', viewport: { width: 1280, height: 900 } } as const
  const opened = await openBrowser(browser, [origin], { ...settings, ...options })
  const { page } = opened
  await page.goto(`${gateway.operatorUrl}#token=${await plantLink(gateway, operator)}`)
  await page.getByRole('button', { name: `Sign in as ${operator.name}` }).click()
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor()
  return {
    ...{ ...opened, operator },
    async open(path) {
      await page.goto(`${gateway.operatorUrl}/${path}`)
      await untilLoaded(page)
    },
  }
}

/** Chooses an act of the account that the page shows, and gives the reason in its dialog. */
export async function beginAct(page: Page, name: string, reason: string): Promise<void> {
  await page.getByRole('button', { name: 'Act', exact: true }).click()
  await page.getByRole('menuitem', { name }).click()
  await page.getByLabel('Reason').fill(reason)
}
