import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { priceVersion } from '../../../schema/catalog/price-version.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'

/** The version of the bundled catalog after a change of its files. */
function versionAfter(change: (folder: string) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
  try {
    cpSync(join(projectRoot, 'schema/catalog'), folder, { recursive: true })
    change(folder)
    return priceVersion(loadCatalog(folder))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function replace(file: string, from: string, to: string): (folder: string) => void {
  return (folder) => {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    expect(text).toContain(from)
    writeFileSync(path, text.replace(from, to))
  }
}

const version = priceVersion(loadCatalog())

test('the price version is a hash, which stays while no price changes', () => {
  expect(version).toMatch(/^[0-9a-f]{64}$/)
  expect(versionAfter(() => {})).toBe(version)
  expect(versionAfter(replace('seo.yaml', 'name: SEO', 'name: Search'))).toBe(version)
  expect(versionAfter(replace('contacts.yaml', 'unit_name: result', 'unit_name: contact'))).toBe(
    version,
  )
  const rename = (folder: string) =>
    renameSync(join(folder, 'seo.yaml'), join(folder, 'a-seo.yaml'))
  expect(versionAfter(rename)).toBe(version)
})

test.each([
  ['a fixed price', 'campaigns.yaml', 'credits: { flat: 10 }', 'credits: { flat: 11 }'],
  ['the price of a unit', 'contacts.yaml', 'per_unit: 1', 'per_unit: 2'],
  ['the highest number of units', 'contacts.yaml', 'max_units: 25', 'max_units: 24'],
  ['what bounds the units', 'contacts.yaml', ', bounded_by: limit', ''],
  ['the path of an operation', 'campaigns.yaml', 'path: /drafts\n', 'path: /sketches\n'],
])('the price version changes with %s', (_, file, from, to) => {
  expect(versionAfter(replace(file, from, to))).not.toBe(version)
})
