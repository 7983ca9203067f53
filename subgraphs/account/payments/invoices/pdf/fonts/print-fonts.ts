import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { fontFor, isRightToLeft, lettersOf, type PrintFont } from './print-font.ts'

/** The answer of the thread that opens fonts: problems, each with the name of the file. */
export type OpenedFonts =
  | { readonly fonts: readonly PrintFont[] }
  | { readonly problems: readonly string[] }

/** A folder of fonts that cannot be used. */
export class FontsError extends Error {
  override readonly name = 'FontsError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** The file of compiled code has another ending than the source. */
const workerFile = new URL(`./open-fonts.worker${extname(import.meta.filename)}`, import.meta.url)

// The opened fonts by their folder. A process has one setting, so there is one entry.
const opened = new Map<string | undefined, Promise<readonly PrintFont[]>>()

/**
 * The fonts of invoices: the built-in one, regular and bold, then those of the folder by their names. They
 * are opened once in a process. Throws a FontsError that names each file that cannot be used.
 */
export function printFonts(folder: string | undefined): Promise<readonly PrintFont[]> {
  const known = opened.get(folder)
  if (known) return known
  const fonts = openFonts(folder)
  opened.set(folder, fonts)
  fonts.catch(() => opened.delete(folder))
  return fonts
}

const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

/** Opens the fonts in a thread, because loading the library alone would hold up every request. */
function openFonts(folder: string | undefined): Promise<readonly PrintFont[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile, { workerData: folder, env: {}, resourceLimits })
    worker.on('message', (answer: OpenedFonts) => {
      if ('fonts' in answer) resolve(answer.fonts)
      else reject(new FontsError(answer.problems))
    })
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('The fonts of invoices could not be opened.')))
  })
}

/** The most letters that a message names. */
const maxNamed = 10
/** The letters that every font has. */
const ascii = /^[ -~]*$/

/**
 * The texts that cannot be printed, by their names: a message for each text with letters that no font has.
 * Throws as `printFonts` does.
 */
export async function unprintable(
  texts: Readonly<Record<string, string | null | undefined>>,
  folder: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const others = Object.entries(texts).filter(([, text]) => !ascii.test(text ?? ''))
  if (others.length === 0) return new Map()
  const fonts = await printFonts(folder)
  return new Map(
    others.flatMap(([name, text]) => {
      const missing = new Set(lettersOf(text ?? '').filter((letter) => !fontFor(letter, fonts)))
      return missing.size === 0 ? [] : [[name, problemOf([...missing])]]
    }),
  )
}

function problemOf(letters: readonly string[]): string {
  const named = letters.slice(0, maxNamed).map((letter) => `${letter} (${pointsOf(letter)})`)
  const rest = letters.length - named.length
  const list = `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  const reason = letters.some(isRightToLeft) ? '. Text is printed from left to right only' : ''
  return `has letters that cannot be printed: ${list}${reason}`
}

function pointsOf(letter: string): string {
  return Array.from(letter, (character) => {
    const point = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
    return `U+${point.padStart(4, '0')}`
  }).join(' ')
}
