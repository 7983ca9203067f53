import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { create, type Font } from 'fontkit'
import type { PrintFont } from './print-font.ts'
import type { OpenedFonts } from './print-fonts.ts'

const maxFonts = 32
/** The tables of letters that are pictures: a PDF cannot show them. */
const pictureTables = ['CBDT', 'COLR', 'SVG ', 'sbix']
/** The weight from which on a font counts as bold, as OpenType numbers weights. */
const boldFrom = 600

parentPort?.postMessage(openFonts(workerData))

function openFonts(folder: unknown): OpenedFonts {
  const { resolve } = createRequire(import.meta.url)
  const family = '@expo-google-fonts/noto-sans'
  const builtIn = [
    resolve(`${family}/400Regular/NotoSans_400Regular.ttf`),
    resolve(`${family}/700Bold/NotoSans_700Bold.ttf`),
  ].map((file) => openFont(file))
  if (typeof folder !== 'string') return { fonts: builtIn }
  const problems: string[] = []
  const further = filesIn(folder, problems).flatMap((name) => {
    try {
      return [openFont(join(folder, name))]
    } catch (error) {
      problems.push(`${name}: ${reasonOf(error)}`)
      return []
    }
  })
  return problems.length > 0 ? { problems } : { fonts: [...builtIn, ...further] }
}

/** The names of the fonts, in the order of their characters. */
function filesIn(folder: string, problems: string[]): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => /\.(ttf|otf|ttc)$/i.test(name))
    if (names.length > 0 && names.length <= maxFonts) return names.toSorted()
    problems.push(
      names.length === 0
        ? 'has no fonts (.ttf, .otf or .ttc)'
        : `has ${names.length} fonts, and at most ${maxFonts} are used`,
    )
  } catch (error) {
    problems.push(`cannot be read: ${reasonOf(error)}`)
  }
  return []
}

function openFont(file: string): PrintFont {
  const bytes = readFileSync(file)
  const opened = create(bytes)
  const [font] = 'fonts' in opened ? opened.fonts : [opened]
  if (!font) throw new Error('is a collection without fonts')
  const tables: object = Object(font).directory.tables
  const ends = Object.values(tables).map(({ offset, length }) => Number(offset) + Number(length))
  if (Math.max(...ends) > bytes.length) throw new Error('is cut off')
  if (pictureTables.some((table) => table in tables)) {
    throw new Error('has letters that are pictures, which cannot be printed')
  }
  if (!('glyf' in tables || 'CFF ' in tables)) throw new Error('has no outlines')
  return {
    file,
    nameInFile: opened === font ? null : font.postscriptName,
    isBold: Number(Object(font['OS/2']).usWeightClass) >= boldFrom,
    letters: bitsOf(font),
  }
}

function bitsOf(font: Font): Uint8Array {
  const bits = new Uint8Array(0x11_0000 >> 3)
  for (const point of font.characterSet) {
    const byte = point >> 3
    if (font.hasGlyphForCodePoint(point)) bits[byte] = (bits[byte] ?? 0) | (1 << (point & 7))
  }
  return bits
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? String(error.code) : error.message
}
