import type { PrintFont } from './fonts/print-font.ts'
import { printableIn, type Run, runsOf, wrap } from './set-text.ts'

/** Points. */
const margin = 56
const pageHeight = 841.89
const sizes = { small: 8.5, normal: 10, large: 20 }
/** The built-in font's own metrics, as parts of the size. Lines of other fonts have them too. */
const [ascent, leading] = [1.069, 1.362]

/** The width between the margins of a page, in points. */
export const contentWidth = 595.28 - 2 * margin
export const grey = '#555555'

interface Style {
  readonly isBold?: boolean
  readonly size?: keyof typeof sizes
  readonly color?: string
}

/** Text that begins on a line of its own. */
export interface Paragraph extends Style {
  readonly text: string
}

interface Column {
  /** The place of the column, in points from the left margin. */
  readonly x: number
  readonly width: number
  readonly align?: 'left' | 'right'
  readonly paragraphs: readonly Paragraph[]
}

interface Line {
  readonly runs: readonly (Run & { readonly width: number })[]
  readonly style: Style
  readonly height: number
}

/** Writes a document from top to bottom. The PDF must have no margins. */
export class Writer {
  readonly #pdf: PDFKit.PDFDocument
  readonly #fonts: readonly PrintFont[]
  #y = margin

  constructor(pdf: PDFKit.PDFDocument, fonts: readonly PrintFont[]) {
    this.#pdf = pdf
    this.#fonts = fonts
    for (const { file, nameInFile } of fonts) pdf.registerFont(file, file, nameInFile ?? undefined)
  }

  /** Columns that begin at the same height; what follows is below the longest. */
  columns(columns: readonly Column[]): void {
    const pending = columns.map((column) => ({ column, lines: this.#linesOf(column) }))
    const height = Math.max(...pending.map(({ lines }) => heightOf(lines)))
    this.#makeRoom(Math.min(height, pageHeight - 2 * margin))
    while (pending.some(({ lines }) => lines.length > 0)) {
      const drawn = pending.map(({ column, lines }) => this.#draw(column, lines))
      this.#y += Math.max(...drawn)
      if (pending.some(({ lines }) => lines.length > 0)) this.#beginPage()
    }
  }

  line(text: string, style: Style = {}): void {
    this.columns([{ x: 0, width: contentWidth, paragraphs: [{ text, ...style }] }])
  }

  space(points: number): void {
    this.#y += points
  }

  rule(): void {
    this.space(6)
    this.#makeRoom(1)
    this.#pdf.moveTo(margin, this.#y).lineTo(margin + contentWidth, this.#y)
    this.#pdf.lineWidth(0.5).strokeColor(grey).stroke()
    this.space(6)
  }

  #linesOf({ width, paragraphs }: Column): Line[] {
    return paragraphs.flatMap(({ text, ...style }) => {
      const widthOf = (part: string) => widthOfAll(this.#runsOf(part, style))
      const height = sizeOf(style) * leading
      return wrap(printableIn(this.#fonts, text), width, widthOf).map((line) => ({
        ...{ runs: this.#runsOf(line, style), style, height },
      }))
    })
  }

  #runsOf(text: string, style: Style) {
    return runsOf(text, this.#fonts, style.isBold === true).map((run) => {
      this.#pdf.font(run.font.file).fontSize(sizeOf(style))
      return { ...run, width: this.#pdf.widthOfString(run.text) }
    })
  }

  /** Takes the lines that fit on the page, and draws them; the height that they need. */
  #draw({ x, width, align }: Column, lines: Line[]): number {
    const top = this.#y
    let y = top
    for (let line = lines[0]; line && (y === top || fits(y + line.height)); line = lines[0]) {
      lines.shift()
      const indent = align === 'right' ? width - widthOfAll(line.runs) : 0
      this.#drawLine(line, margin + x + indent, y)
      y += line.height
    }
    return y - top
  }

  #drawLine({ runs, style }: Line, left: number, top: number): void {
    let x = left
    // The letters of all fonts stand on the same line.
    const baseline = top + sizeOf(style) * ascent
    for (const { font, text, width } of runs) {
      this.#pdf
        .font(font.file)
        .fontSize(sizeOf(style))
        .fillColor(style.color ?? 'black')
      this.#pdf.text(text, x, baseline, { lineBreak: false, baseline: 'alphabetic' })
      x += width
    }
  }

  #makeRoom(height: number): void {
    if (this.#y > margin && !fits(this.#y + height)) this.#beginPage()
  }

  #beginPage(): void {
    this.#pdf.addPage()
    this.#y = margin
  }
}

function sizeOf({ size = 'normal' }: Style): number {
  return sizes[size]
}

function widthOfAll(runs: Line['runs']): number {
  return runs.reduce((sum, { width }) => sum + width, 0)
}

function heightOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { height }) => sum + height, 0)
}

/** Whether a page goes on to this height. The sum of many lines is not exact. */
function fits(y: number): boolean {
  return y <= pageHeight - margin + 0.01
}
