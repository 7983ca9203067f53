import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../../gateway/config/config.ts'
import {
  invoiceProblems,
  requirePrintableInvoices,
} from '../../../gateway/config/invoice-problems.ts'
import { priceList } from '../../../subgraphs/account/prices/price-list.ts'
import { makeFont } from '../../support/fonts/made-font.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function folderOf(files: Readonly<Record<string, Uint8Array | string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'invoice-fonts-'))
  folders.push(folder)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

const configOf = (INVOICE_FONTS: string) => readConfig({ INVOICE_FONTS }, [])

describe('INVOICE_FONTS', () => {
  test('takes a folder of fonts, and leaves other files alone', async () => {
    const folder = folderOf({
      'a.ttf': makeFont('東'),
      'LICENSE.txt': 'free',
      'b.OTF': makeFont('京'),
    })
    mkdirSync(join(folder, 'more'))

    expect(await invoiceProblems(configOf(folder))).toEqual([])
  })

  test('names each file that is no font for print', async () => {
    const folder = folderOf({
      ...{ 'a.ttf': makeFont('東'), 'b.ttf': 'no font', 'c.otf': makeFont('京').subarray(0, 400) },
      'd.ttf': makeFont('😀', { hasPictures: true }),
    })

    expect(await invoiceProblems(configOf(folder))).toEqual([
      'INVOICE_FONTS b.ttf: Unknown font format',
      'INVOICE_FONTS c.otf: is cut off',
      'INVOICE_FONTS d.ttf: has letters that are pictures, which cannot be printed',
    ])
  })

  test('refuses a folder that is missing, that is a file, and one without fonts or with too many', async () => {
    const empty = folderOf({ 'README.md': 'nothing here' })
    const font = makeFont('東')
    const names = Array.from({ length: 33 }, (_, index) => `${index}.ttf`)
    const many = folderOf(Object.fromEntries(names.map((name) => [name, font])))
    const problemsOf = (folder: string) => invoiceProblems(configOf(folder))

    expect(await problemsOf(join(empty, 'missing'))).toEqual([
      'INVOICE_FONTS cannot be read: ENOENT',
    ])
    expect(await problemsOf(join(empty, 'README.md'))).toEqual([
      'INVOICE_FONTS cannot be read: ENOTDIR',
    ])
    expect(await problemsOf(empty)).toEqual(['INVOICE_FONTS has no fonts (.ttf, .otf or .ttc)'])
    expect(await problemsOf(many)).toEqual(['INVOICE_FONTS has 33 fonts, and at most 32 are used'])
  })

  test('is needed where the seller or a package has letters that the built-in font lacks', async () => {
    const { seller, packages } = priceList
    const [first, second] = packages
    if (!seller || !first || !second) throw new Error('The price list has no seller or packages.')
    const before = { seller: seller.name, city: seller.address.city, name: second.name }
    Object.assign(seller, { name: '東京 GmbH' })
    Object.assign(seller.address, { city: 'תל אביב' })
    Object.assign(second, { name: 'Größer 京' })
    try {
      const problems = await invoiceProblems(readConfig({}, []))
      const folder = folderOf({ 'a.ttf': makeFont('東京') })

      expect(problems).toEqual([
        'price-list.yaml: seller.name has letters that cannot be printed: 東 (U+6771), 京 (U+4EAC)',
        expect.stringMatching(
          /^price-list\.yaml: seller\.address\.city has .* Text is printed from left to right only$/,
        ),
        'price-list.yaml: packages.1.name has letters that cannot be printed: 京 (U+4EAC)',
      ])
      await expect(requirePrintableInvoices(configOf(folder))).rejects.toMatchObject({
        name: 'ConfigError',
        message: expect.stringMatching(/^price-list\.yaml: seller\.address\.city has [^\n]*$/),
      })
    } finally {
      Object.assign(seller, { name: before.seller })
      Object.assign(seller.address, { city: before.city })
      Object.assign(second, { name: before.name })
    }
  })
})
