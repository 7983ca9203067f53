import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { buffer } from 'node:stream/consumers'
import PDFDocument from 'pdfkit'
import type { InvoiceDocument, InvoiceParty } from './invoice-document.ts'
import { printableIn } from './printable.ts'

const { resolve } = createRequire(import.meta.url)
const family = '@expo-google-fonts/noto-sans'
const regular = readFileSync(resolve(`${family}/400Regular/NotoSans_400Regular.ttf`))
const bold = readFileSync(resolve(`${family}/700Bold/NotoSans_700Bold.ttf`))
const printable = printableIn([regular, bold])

/** The margin of the page in points. */
const margin = 56
const gap = 24
const [pageWidth, pageHeight] = [595.28, 841.89]
const width = pageWidth - 2 * margin
const half = (width - gap) / 2
const amountWidth = 130
const labelWidth = 150
const [small, normal, large] = [8.5, 10, 20]
const grey = '#555555'

type Weight = 'regular' | 'bold'

/** Writes a document from top to bottom. */
class Writer {
  readonly #pdf: PDFKit.PDFDocument
  #y = margin

  constructor(pdf: PDFKit.PDFDocument) {
    this.#pdf = pdf
  }

  /** Columns that begin at the same height; the next text is below the longest. */
  columns(columns: readonly Column[]): void {
    const height = Math.max(...columns.map((column) => this.#heightOf(column)))
    this.#makeRoom(height)
    for (const column of columns) {
      const { x, width, align = 'left', color = 'black' } = column
      this.#use(column).fillColor(color)
      this.#pdf.text(column.text, margin + x, this.#y, { width, align })
    }
    this.#y += height
  }

  line(text: string, style: Partial<Column> = {}): void {
    this.columns([{ x: 0, width, ...style, text: printable(text) }])
  }

  space(points: number): void {
    this.#y += points
  }

  rule(): void {
    this.space(6)
    this.#makeRoom(1)
    this.#pdf.moveTo(margin, this.#y).lineTo(margin + width, this.#y)
    this.#pdf.lineWidth(0.5).strokeColor(grey).stroke()
    this.space(6)
  }

  #heightOf(column: Column): number {
    return this.#use(column).heightOfString(column.text, { width: column.width })
  }

  #use({ weight = 'regular', size = normal }: Column): PDFKit.PDFDocument {
    return this.#pdf.font(weight).fontSize(size)
  }

  #makeRoom(height: number): void {
    if (this.#y === margin || this.#y + height <= pageHeight - margin) return
    this.#pdf.addPage()
    this.#y = margin
  }
}

interface Column {
  /** The place of the column, from the left margin. */
  readonly x: number
  readonly width: number
  readonly text: string
  readonly align?: 'left' | 'right'
  readonly weight?: Weight
  readonly size?: number
  readonly color?: string
}

/** The PDF of an invoice or credit note. */
export async function renderInvoice(document: InvoiceDocument): Promise<Uint8Array> {
  const { seller, createdAt } = document
  const pdf = new PDFDocument({
    size: 'A4',
    margin: 0,
    pdfVersion: '1.7',
    lang: 'en',
    displayTitle: true,
    font: '',
    info: {
      Title: printable(titleOf(document)),
      Author: printable(seller?.name ?? 'Credit gateway'),
      Subject: printable(document.description),
      Creator: 'Credit gateway',
      CreationDate: createdAt,
      ModDate: createdAt,
    },
  })
  pdf.registerFont('regular', regular)
  pdf.registerFont('bold', bold)
  const bytes = buffer(pdf)
  const writer = new Writer(pdf)
  writeHead(writer, document)
  writeParties(writer, document)
  writeAmounts(writer, document)
  writeNotes(writer, document)
  pdf.end()
  return bytes
}

function titleOf({ type, number }: InvoiceDocument): string {
  return `${type === 'invoice' ? 'Invoice' : 'Credit note'} ${number}`
}

const statusTexts = { paid: 'Paid', open: 'Open', void: 'Void' } as const

function writeHead(writer: Writer, document: InvoiceDocument): void {
  const { type, number, status, createdAt, buyer, originalNumber, isTest } = document
  if (isTest) {
    const color = '#b00020'
    writer.line('TEST', { weight: 'bold', size: large, color })
    writer.line('Made in the sandbox: nothing was sold and nothing is to be paid.', { color })
    writer.space(8)
  }
  const title = type === 'invoice' ? 'Invoice' : 'Credit note'
  writer.line(title, { weight: 'bold', size: large })
  writer.space(8)
  const rows: readonly (readonly [label: string, value: string | null])[] = [
    ['Number', number],
    ['Corrects invoice', originalNumber],
    ['Date', createdAt.toISOString().slice(0, 10)],
    ['Status', type === 'credit_note' ? 'Paid back' : statusTexts[status]],
    ['Purchase order', buyer.purchaseOrder],
  ]
  for (const [label, value] of rows) {
    if (value === null) continue
    writer.columns([
      { x: 0, width: labelWidth, text: label, color: grey },
      { x: labelWidth, width: width - labelWidth, text: printable(value) },
    ])
  }
  writer.space(gap)
}

function writeParties(writer: Writer, { seller, buyer }: InvoiceDocument): void {
  const [left, right] = [
    { x: 0, width: half },
    { x: half + gap, width: half },
  ]
  writer.columns([
    { ...left, text: 'Seller', color: grey, size: small },
    { ...right, text: 'Buyer', color: grey, size: small },
  ])
  const [names, lines] = [[seller, buyer].map(nameOf), [seller, buyer].map(linesOf)]
  writer.columns([
    { ...left, text: names[0] ?? '', weight: 'bold' },
    { ...right, text: names[1] ?? '', weight: 'bold' },
  ])
  const rows = Math.max(...lines.map(({ length }) => length))
  for (let row = 0; row < rows; row += 1) {
    writer.columns([
      { ...left, text: lines[0]?.[row] ?? '' },
      { ...right, text: lines[1]?.[row] ?? '' },
    ])
  }
  writer.space(gap)
}

function nameOf(party: InvoiceParty | null): string {
  return party ? printable(party.name) : ''
}

function linesOf(party: InvoiceParty | null): string[] {
  if (!party) return []
  const { address, country, taxId, email } = party
  return [
    address?.line1,
    address?.line2,
    address && `${address.postalCode} ${address.city}`.trim(),
    address?.state,
    country && `${countryNames.of(country) ?? country} (${country})`,
    taxId && `Tax id: ${taxId}`,
    email,
  ]
    .filter((line) => typeof line === 'string')
    .map(printable)
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' })

function writeAmounts(writer: Writer, document: InvoiceDocument): void {
  const { type, status, tax, currency, description, credits } = document
  const { priceCents, taxCents, totalCents } = document
  const money = (cents: number) => amountOf(cents, currency)
  const row = (label: string, amount: string, weight: Weight = 'regular') =>
    writer.columns([
      { x: 0, width: width - amountWidth, text: printable(label), weight },
      { x: width - amountWidth, width: amountWidth, text: amount, align: 'right', weight },
    ])
  row('Description', 'Net amount', 'bold')
  writer.rule()
  row(description, money(priceCents))
  if (credits > 0) {
    writer.line(`${countOf(credits)} credits`, { color: grey, size: small })
  }
  writer.rule()
  row('Net amount', money(priceCents))
  if (tax) row(taxLabel(tax), money(taxCents))
  else row('Tax', money(taxCents))
  writer.rule()
  row('Total', money(totalCents), 'bold')
  if (type === 'credit_note') row('Paid back', money(totalCents))
  else if (status === 'paid') row('Paid', money(totalCents))
  else row('Amount due', money(status === 'open' ? totalCents : 0), 'bold')
}

function taxLabel({
  isReverseCharge,
  ratePercent,
  country,
}: Exclude<InvoiceDocument['tax'], null>) {
  return isReverseCharge ? 'Tax (reverse charge)' : `Tax ${ratePercent}% (${country})`
}

function writeNotes(writer: Writer, { tax, originalNumber }: InvoiceDocument): void {
  writer.space(gap)
  if (tax?.isReverseCharge) {
    writer.line(
      `Reverse charge: the recipient owes the VAT (Article 196 of Directive 2006/112/EC). VAT id of the recipient: ${tax.taxId}`,
      { size: small },
    )
  }
  if (originalNumber !== null) {
    writer.line(`This credit note corrects the invoice ${originalNumber}.`, { size: small })
  }
}

const countFormat = new Intl.NumberFormat('en')

function countOf(count: number): string {
  return countFormat.format(count)
}

/** Prints an amount, for example `1,234.50 EUR`. */
function amountOf(cents: number, currency: string): string {
  const whole = countFormat.format(Math.trunc(cents / 100))
  return `${whole}.${String(cents % 100).padStart(2, '0')} ${currency}`
}
