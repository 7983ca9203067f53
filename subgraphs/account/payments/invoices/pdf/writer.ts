import type { PrintFont } from './fonts/print-font.ts'
import { printableIn, type Run, runsOf, wrap } from './set-text.ts'

/** The sizes of the page, in points. */
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
  /** The kind of the text for a reader that speaks; by default it is a paragraph. */
  readonly tag?: 'H1' | 'H2'
}

export interface Column {
  /** The kind of the column for a reader that speaks; by default only its paragraphs have one. */
  readonly tag?: 'TH' | 'TD' | 'Sect'
  /** The cells that a header cell is about. */
  readonly scope?: 'Column' | 'Row'
  /** The place of the column, in points from the left margin. */
  readonly x: number
  readonly width: number
  readonly align?: 'left' | 'right'
  readonly paragraphs: readonly Paragraph[]
}

interface Line {
  readonly tagged: Tagged
  readonly runs: readonly (Run & { readonly width: number })[]
  readonly style: Style
  readonly height: number
}

/** An element of the structure that readers which speak follow (ISO 32000-1, 14.8). */
interface Tagged {
  readonly tag: string
  readonly element: PDFKit.PDFStructureElement
}

/** Writes a document from top to bottom. The PDF must be tagged and have no margins. */
export class Writer {
  readonly #pdf: PDFKit.PDFDocument
  readonly #fonts: readonly PrintFont[]
  readonly #document: PDFKit.PDFStructureElement
  /** The element to which the next written text belongs. */
  #parent: PDFKit.PDFStructureElement
  #y = margin

  constructor(pdf: PDFKit.PDFDocument, fonts: readonly PrintFont[]) {
    this.#pdf = pdf
    this.#document = pdf.struct('Document')
    this.#parent = this.#document
    pdf.addStructure(this.#document)
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

  line(text: string, style: Omit<Paragraph, 'text'> = {}): void {
    this.columns([{ x: 0, width: contentWidth, paragraphs: [{ text, ...style }] }])
  }

  /** Makes one table, or one row of it, of what `write` writes. */
  group(tag: 'Table' | 'TR', write: () => void): void {
    const outer = this.#parent
    this.#parent = this.#add(outer, tag)
    write()
    this.#parent = outer
  }

  /** Ends the document; nothing can be written afterwards. */
  end(): void {
    this.#document.end()
    this.#pdf.end()
  }

  space(points: number): void {
    this.#y += points
  }

  rule(): void {
    this.space(6)
    this.#makeRoom(1)
    this.#pdf.markContent('Artifact', { type: 'Layout' })
    this.#pdf.moveTo(margin, this.#y).lineTo(margin + contentWidth, this.#y)
    this.#pdf.lineWidth(0.5).strokeColor(grey).stroke().endMarkedContent()
    this.space(6)
  }

  #add(parent: PDFKit.PDFStructureElement, tag: string, options = {}) {
    const element = this.#pdf.struct(tag, options)
    parent.add(element)
    return element
  }

  #linesOf({ width, paragraphs, tag: columnTag, scope }: Column): Line[] {
    const column = columnTag ? this.#add(this.#parent, columnTag, { scope }) : this.#parent
    return paragraphs.flatMap(({ text, tag = 'P', ...style }) => {
      const tagged = { tag, element: this.#add(column, tag) }
      const widthOf = (part: string) => widthOfAll(this.#runsOf(part, style))
      const height = sizeOf(style) * leading
      return wrap(printableIn(this.#fonts, text), width, widthOf).map((line) => ({
        ...{ tagged, runs: this.#runsOf(line, style), style, height },
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
    const paragraphs = new Marked(this.#pdf)
    for (let line = lines[0]; line && (y === top || fits(y + line.height)); line = lines[0]) {
      lines.shift()
      const indent = align === 'right' ? width - widthOfAll(line.runs) : 0
      paragraphs.begin(line.tagged)
      this.#drawLine(line, margin + x + indent, y)
      y += line.height
    }
    paragraphs.end()
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

/** Marks what is drawn on a page as the content of paragraphs, one after the other. */
class Marked {
  readonly #pdf: PDFKit.PDFDocument
  #element: PDFKit.PDFStructureElement | null = null

  constructor(pdf: PDFKit.PDFDocument) {
    this.#pdf = pdf
  }

  /** Begins the content of a paragraph; does nothing while the same paragraph goes on. */
  begin({ tag, element }: Tagged): void {
    if (element === this.#element) return
    this.end()
    element.add(this.#pdf.markStructureContent(tag))
    this.#element = element
  }

  end(): void {
    if (this.#element) this.#pdf.endMarkedContent()
    this.#element = null
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
