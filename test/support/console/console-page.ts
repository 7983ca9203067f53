import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'

/** Where screenshots of the console are kept. */
const artifacts = join(projectRoot, '.artifacts/console')

export interface ConsolePage {
  readonly context: BrowserContext
  readonly page: Page
  /** What the browser has complained about, policies included. */
  readonly complaints: readonly string[]
  /** Goes to a screen, such as `billing`, and waits until it stands there. */
  open(path: string): Promise<void>
  close(): Promise<void>
}

interface ConsoleOptions {
  /** The key that signs in. */
  readonly key: string
  readonly baseUrl: string
  readonly colorScheme?: 'light' | 'dark'
}

/** A browser of the test's own that has signed in to the console with a key. */
export async function openConsole(browser: Browser, options: ConsoleOptions): Promise<ConsolePage> {
  const { key, baseUrl, colorScheme = 'light' } = options
  const context = await browser.newContext({ colorScheme, viewport: wide })
  const complaints: string[] = []
  context.on('console', (message) => {
    // A refusal of the API is an answer like any other.
    const isRefusal = message.text().startsWith('Failed to load resource: the server responded')
    if (message.type() === 'error' && !isRefusal) complaints.push(message.text())
  })
  context.on('weberror', (error) => complaints.push(String(error.error())))
  context.on('request', (request) => {
    if (!request.url().startsWith(baseUrl)) complaints.push(`elsewhere: ${request.url()}`)
  })
  const page = await context.newPage()
  await page.goto(`${baseUrl}/console`)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  return {
    ...{ context, page, complaints },
    async open(path) {
      await page.goto(`${baseUrl}/console/${path}`)
      await untilLoaded(page)
    },
    close: () => context.close(),
  }
}

/** Once nothing loads any more. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
}

const wide = { width: 1280, height: 900 }
const phone = { width: 390, height: 844 }

/**
 * Looks at what the page shows in both themes and at both widths: axe finds nothing, nothing is wider than
 * the page, and screenshots of it are kept. Briefly: light and wide, dark and on a phone.
 */
export async function inspect(
  page: Page,
  name: string,
  { isBrief = false }: { readonly isBrief?: boolean } = {},
): Promise<void> {
  mkdirSync(artifacts, { recursive: true })
  for (const [width, viewport] of Object.entries({ wide, phone })) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      if (isBrief && (width === 'wide') !== (colorScheme === 'light')) continue
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await untilLoaded(page)
      // The colours of a theme are the same at each width.
      const violations = width === 'phone' && colorScheme === 'dark' ? [] : await violationsOn(page)
      expect([name, width, colorScheme, violations]).toEqual([name, width, colorScheme, []])
      const wideness = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect([name, width, wideness]).toEqual([name, width, 0])
      const path = join(artifacts, `${name}-${width}-${colorScheme}.png`)
      await page.evaluate(() => scrollTo(0, 0))
      await page.screenshot({ path, fullPage: true })
    }
  }
  await page.setViewportSize(wide)
  await page.emulateMedia({ colorScheme: 'light' })
}

/** What axe finds wrong, however slight. */
async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations } = Object(await page.evaluate('axe.run()'))
  return violations.map(
    ({ id, help, nodes }: { id: string; help: string; nodes: { html: string }[] }) =>
      `${id}: ${help} ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`,
  )
}
