import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../schema/process/project-root.ts'
import type { Sample } from './samples.ts'

const width = 900
const panelHeight = 160
const margin = { left: 70, top: 40, between: 40 } as const

const panels: readonly { readonly figure: keyof Sample; readonly label: string }[] = [
  { figure: 'rssMb', label: 'resident memory, MB' },
  { figure: 'descriptors', label: 'open files' },
  { figure: 'lagMs', label: 'delay of the event loop, p99, ms' },
  { figure: 'waiting', label: 'waiting items, jobs and webhooks' },
]

const folder = '.artifacts/soak'

/** Writes the curves as SVG, and as PNG where there is a browser; returns the files. */
export async function drawCurves(
  samples: readonly Sample[],
  { title }: { readonly title: string },
): Promise<readonly string[]> {
  const svg = curvesOf(samples, title)
  mkdirSync(join(projectRoot, folder), { recursive: true })
  const files = [join(folder, 'curves.svg'), join(folder, 'curves.png')] as const
  writeFileSync(join(projectRoot, files[0]), svg)
  const { browserPath, launchBrowser } = await import('../../../test/support/processes/browser.ts')
  if (!browserPath) return [files[0]]
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    await page.setContent(svg)
    await page.locator('svg').screenshot({ path: join(projectRoot, files[1]) })
  } finally {
    await browser.close()
  }
  return files
}

/** One panel below the other, each from 0 to its greatest value. */
export function curvesOf(samples: readonly Sample[], title: string): string {
  const height = margin.top + panels.length * (panelHeight + margin.between)
  const start = samples[0]?.atSeconds ?? 0
  const seconds = (samples.at(-1)?.atSeconds ?? start) - start || 1
  const drawn = panels.map(({ figure, label }, index) => {
    const top = margin.top + index * (panelHeight + margin.between)
    const most = Math.max(1, ...samples.map((sample) => sample[figure]))
    const points = samples.map((sample) => {
      const x = margin.left + ((sample.atSeconds - start) / seconds) * (width - margin.left - 20)
      const y = top + panelHeight * (1 - sample[figure] / most)
      return `${x.toFixed(1)},${y.toFixed(1)}`
    })
    return `<text x="${margin.left}" y="${top - 8}">${label}</text>
<text x="${margin.left - 6}" y="${top + 10}" text-anchor="end">${most.toFixed(0)}</text>
<text x="${margin.left - 6}" y="${top + panelHeight}" text-anchor="end">0</text>
<path d="M${margin.left} ${top}V${top + panelHeight}H${width - 20}" stroke="#999" fill="none"/>
<polyline points="${points.join(' ')}" stroke="#0a58ca" stroke-width="1.5" fill="none"/>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="white"/>
<text x="${margin.left}" y="16" font-size="14">${title}</text>
${drawn.join('\n')}
</svg>
`
}
