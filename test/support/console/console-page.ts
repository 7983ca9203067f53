import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { atNight } from '../extent/extent.ts'
import { type ConsoleBrowser, openBrowser, signIn } from './console-browser.ts'

/** Where screenshots of the console are kept. */
const artifacts = join(projectRoot, '.artifacts/console')

export interface ConsolePage extends ConsoleBrowser {
  /** Goes to a screen, such as `billing`, and waits until it stands there. */
  readonly open: (path: string) => Promise<void>
}

const wide = { width: 1280, height: 900 }
const phone = { width: 390, height: 844 }

/** A browser of the test's own that has signed in to the console with a key. */
export async function openConsole(
  browser: Browser,
  baseUrl: string,
  key: string,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const settings = { colorScheme: 'light', viewport: wide, ...options } as const
  const opened = await openBrowser(browser, [baseUrl], settings)
  const { page } = opened
  await page.goto(`${baseUrl}/console`)
  await signIn(page, key)
  return {
    ...opened,
    async open(path) {
      await page.goto(`${baseUrl}/console/${path}`)
      await untilLoaded(page)
    },
  }
}

/** Once nothing loads any more. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
}

/**
 * Looks at what the page shows: axe finds nothing, nothing is wider than its place, and screenshots of it are kept.
 * Colours do not depend on the width, nor does what fits on the colours: light and wide, dark and on a phone show
 * all. At night the page is seen in both themes at both widths, unless briefly.
 */
export async function inspect(
  page: Page,
  name: string,
  { isBrief = false }: { readonly isBrief?: boolean } = {},
): Promise<void> {
  mkdirSync(artifacts, { recursive: true })
  const isWhole = atNight && !isBrief
  for (const [width, viewport] of Object.entries({ wide, phone })) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      if (!isWhole && (width === 'wide') !== (colorScheme === 'light')) continue
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await untilLoaded(page)
      await untilPainted(page, colorScheme)
      // The colours of a theme are the same at each width.
      const isSeen = isWhole && width === 'phone' && colorScheme === 'dark'
      const violations = isSeen ? [] : await violationsOn(page)
      expect([name, width, colorScheme, violations]).toEqual([name, width, colorScheme, []])
      expect([name, width, await cutTexts(page)]).toEqual([name, width, []])
      const path = join(artifacts, `${name}-${width}-${colorScheme}.png`)
      await page.evaluate(() => scrollTo(0, 0))
      await page.screenshot({ path, fullPage: true })
    }
  }
  await page.setViewportSize(wide)
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Once the page has this theme everywhere: its colours change one after the other. */
async function untilPainted(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.waitForFunction(
    (scheme) =>
      document.documentElement.dataset.mantineColorScheme === scheme &&
      !document.getAnimations().some((animation) => animation instanceof CSSTransition),
    colorScheme,
  )
}

/** The texts that reach beyond the page, and the amounts that reach beyond their box. */
async function cutTexts(page: Page): Promise<readonly (string | null)[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const cut = [...document.querySelectorAll('.amount')].filter((amount) => {
      const place = amount.closest('.card li, .card td, .card .stat, .card')
      return place && amount.getBoundingClientRect().right > place.getBoundingClientRect().right + 1
    })
    const texts = cut.map((amount) => amount.textContent)
    if (scrollWidth <= clientWidth) return texts
    const beyond = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth,
    )
    return [`the page, by ${beyond.at(-1)?.outerHTML.slice(0, 300)}`, ...texts]
  })
}

/** Every problem that axe finds, however slight. */
async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations } = Object(await page.evaluate('axe.run()'))
  return violations.map(
    ({ id, help, nodes }: { id: string; help: string; nodes: { html: string }[] }) =>
      `${id}: ${help} ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`,
  )
}
