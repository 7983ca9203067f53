import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core'
import { expect } from 'vitest'
import { patience } from '../time/patience.ts'

/** A browser of a test's own, with everything that it asked for and complained about. */
export interface ConsoleBrowser {
  readonly context: BrowserContext
  readonly page: Page
  /** Requests to `/v1`, with the time at which they began and ended, in milliseconds. */
  readonly calls: readonly ConsoleCall[]
  /** Errors, violations of the policy, and requests to other hosts. */
  readonly complaints: string[]
}

export interface ConsoleCall {
  readonly method: string
  /** With its query. */
  readonly path: string
  /** By the clock of the browser, once it has ended. */
  beganMs: number
  endedMs: number | null
  status: number | null
}

/** `origins`: where the browser may send requests. */
export async function openBrowser(
  browser: Browser,
  origins: readonly string[],
  options: BrowserContextOptions = {},
): Promise<ConsoleBrowser> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(patience.timeout)
  const calls: ConsoleCall[] = []
  const known = new Map<Request, ConsoleCall>()
  const complaints: string[] = []
  context.on('request', (request) => {
    const { origin, pathname, search, protocol } = new URL(request.url())
    if (!origins.includes(origin) && !/^(data|blob):$/.test(protocol)) {
      complaints.push(`asked ${request.url()}`)
    }
    if (!pathname.startsWith('/v1/')) return
    const call: ConsoleCall = {
      ...{ method: request.method(), path: pathname + search, beganMs: Date.now() },
      ...{ endedMs: null, status: null },
    }
    calls.push(call)
    known.set(request, call)
  })
  context.on('requestfinished', (request) => {
    const call = known.get(request)
    const { startTime, responseEnd } = request.timing()
    if (call) Object.assign(call, { beganMs: startTime, endedMs: startTime + responseEnd })
  })
  context.on('requestfailed', (request) => {
    const call = known.get(request)
    if (call) call.endedMs = Date.now()
  })
  context.on('response', (response) => {
    const call = known.get(response.request())
    if (call) call.status = response.status()
  })
  context.on('weberror', (error) => complaints.push(error.error().message))
  context.on('console', (message) => {
    // A refusal of the API is told by the page itself.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text())
  })
  return { context, page: await context.newPage(), calls, complaints }
}

/** Signs in on the page that is open, by its form. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor({ state: 'detached' })
}

/** How many calls were under way at once, at most. */
export function mostAtOnce(calls: readonly ConsoleCall[]): number {
  return Math.max(
    0,
    ...calls.map(
      ({ beganMs }) =>
        calls.filter((one) => one.beganMs <= beganMs && (one.endedMs ?? Infinity) > beganMs).length,
    ),
  )
}

/** Everything that the browser keeps of the origin, as text. */
export async function keptBy({ page, context }: ConsoleBrowser): Promise<string> {
  const stored = await page.evaluate(`(async () => {
    const names = 'caches' in self ? await caches.keys() : []
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, names, history.state, location.href,
      (await indexedDB.databases()).map(({ name }) => name)])
  })()`)
  expect(await context.storageState({ indexedDB: true })).toBeDefined()
  return String(stored)
}
