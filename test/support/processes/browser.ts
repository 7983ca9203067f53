import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/**
 * The path of Chromium; undefined if it is missing: browser tests are then skipped with the reason. The shell has
 * no user interface of its own: three files of browser tests took 124 instead of 195 s.
 */
export const browserPath = findProgram([
  'chromium-headless-shell',
  ...['chromium', 'chromium-browser', 'google-chrome'],
])
if (!browserPath) process.stdout.write('skipped: chromium is not on PATH\n')

export function launchBrowser(): Promise<Browser> {
  // Chromium's own sandbox does not work as root.
  return chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] })
}

/** Where the first of these programs is, as a shell would find it. */
function findProgram(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync)
}
