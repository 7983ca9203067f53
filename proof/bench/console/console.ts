import type { Browser, Page } from 'playwright-core'
import { buildConsole, compileProgram } from '../../../test/support/processes/program.ts'
import { openWorkplace, type StartedGateway } from '../../../test/support/processes/workplace.ts'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'

export const consoleBench: Bench = {
  name: 'console',
  title: 'The console in Chromium, from the address to a screen that can be used',
  run,
}

const maxMs = 1000
const patienceMs = 30_000

/** Measures the console of the demo account, in the gateway that `npm start` starts. */
async function run({ slices }: BenchContext): Promise<readonly Row[]> {
  // Only here: the processes of other benches must not hold what a browser needs.
  const { browserPath, launchBrowser } = await import('../../../test/support/processes/browser.ts')
  if (!browserPath) return [row('console: skipped, chromium is not on PATH', [])]
  await compileProgram()
  await buildConsole()
  const place = openWorkplace()
  const browser = await launchBrowser()
  try {
    const gateway = await place.start()
    const first: number[] = []
    const again: number[] = []
    for (let slice = 0; slice < slices * 3; slice += 1) {
      const page = await signedIn(browser, gateway, place.demo().live_key)
      first.push(await open(page, gateway))
      again.push(await open(page, gateway))
      await page.context().close()
    }
    return [
      row('console: Overview, nothing kept by the browser', first),
      row('console: Overview, with its scripts kept', again),
    ]
  } finally {
    await browser.close()
    await place.close()
  }
}

function row(bench: string, times: readonly number[]): Row {
  const ms = median(times)
  return {
    ...{ bench, goal: `≤ ${maxMs} ms`, ours: times.length === 0 ? '–' : `${ms.toFixed(0)} ms` },
    ...{ floor: '', value: '' },
    ...{ isMet: times.length === 0 ? null : ms <= maxMs, problems: [], measured: times },
  }
}

/** A page that has signed in, in a browser of its own that has kept nothing of the console. */
async function signedIn(browser: Browser, { baseUrl }: StartedGateway, key: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  page.setDefaultTimeout(patienceMs)
  await page.goto(`${baseUrl}/console`)
  await page.getByLabel('API key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.clearBrowserCache')
  return page
}

/** Milliseconds until the available balance stands there and the navigation has reacted to a click. */
async function open(page: Page, { baseUrl }: StartedGateway): Promise<number> {
  const startedAtMs = performance.now()
  await page.goto(`${baseUrl}/console`, { waitUntil: 'commit' })
  await page.waitForFunction(() =>
    /Available credits\s*[\d,]+/.test(document.body?.innerText ?? ''),
  )
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.waitForURL(`${baseUrl}/console/keys`)
  return performance.now() - startedAtMs
}
