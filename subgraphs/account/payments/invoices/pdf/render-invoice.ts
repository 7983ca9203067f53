import { buffer } from 'node:stream/consumers'
import PDFDocument from 'pdfkit'
import { euCountries } from '../../../../../schema/vocabulary/billing/vat-ids.ts'
import { countedCredits } from '../../../../../schema/vocabulary/counted-credits.ts'
import { addressLines } from './address-lines.ts'
import type { PrintFont } from './fonts/print-font.ts'
import type { InvoiceDocument, InvoiceParty } from './invoice-document.ts'
import { type Column, grey, type Paragraph, Writer, contentWidth as width } from './writer.ts'

const gap = 24
const half = (width - gap) / 2
const amountWidth = 130
const labelWidth = 150

/** The PDF of an invoice or credit note. */
export async function renderInvoice(
  document: InvoiceDocument,
  fonts: readonly PrintFont[],
): Promise<Uint8Array> {
  const { seller, createdAt } = document
  const pdf = new PDFDocument({
    size: 'A4',
    margin: 0,
    pdfVersion: '1.7',
    lang: 'en',
    tagged: true,
    displayTitle: true,
    font: '',
    info: {
      Title: titleOf(document),
      Author: seller?.name ?? 'Credit gateway',
      Subject: document.description,
      Creator: 'Credit gateway',
      CreationDate: createdAt,
      ModDate: createdAt,
    },
  })
  const bytes = buffer(pdf)
  const writer = new Writer(pdf, fonts)
  writeHead(writer, document)
  writeParties(writer, document)
  writeAmounts(writer, document)
  writeNotes(writer, document)
  writer.end()
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
    writer.line('TEST', { isBold: true, size: 'large', color })
    writer.line('Made in the sandbox: nothing was sold and nothing is to be paid.', { color })
    writer.space(8)
  }
  const title = type === 'invoice' ? 'Invoice' : 'Credit note'
  writer.line(title, { isBold: true, size: 'large', tag: 'H1' })
  writer.space(8)
  const rows: readonly (readonly [label: string, value: string | null])[] = [
    ['Number', number],
    ['Corrects invoice', originalNumber],
    ['Date', dayOf(createdAt)],
    supplyOf(document),
    ['Status', type === 'credit_note' ? 'Paid back' : statusTexts[status]],
    ['Payment method', type === 'invoice' && status === 'paid' ? methodOf(document) : null],
    ['Purchase order', buyer.purchaseOrder],
  ]
  const [left, right] = [
    { x: 0, width: labelWidth, tag: 'TH', scope: 'Row' },
    { x: labelWidth, width: width - labelWidth, tag: 'TD' },
  ] as const
  writer.group('Table', () => {
    for (const [label, value] of rows) {
      if (value === null) continue
      writer.group('TR', () => {
        writer.columns([
          { ...left, paragraphs: [{ text: label, color: grey }] },
          { ...right, paragraphs: [{ text: value }] },
        ])
      })
    }
  })
  writer.space(gap)
}

/** The day of an instant, in UTC. */
function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}

/** The line that says when the buyer got what was sold. */
function supplyOf({ paidAt, periodStart, periodEnd }: InvoiceDocument) {
  if (periodStart && periodEnd) {
    return ['Period of supply', `${dayOf(periodStart)} to ${dayOf(periodEnd)}`] as const
  }
  return ['Date of supply', paidAt && dayOf(paidAt)] as const
}

function methodOf({ provider, card }: InvoiceDocument): string {
  if (card) {
    const { brand, last4 } = card
    return `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ending in ${last4}`
  }
  return provider === 'simulated' ? 'Simulated' : 'Card'
}

function writeParties(writer: Writer, { seller, buyer }: InvoiceDocument): void {
  const [left, right] = [
    { x: 0, width: half, tag: 'Sect' },
    { x: half + gap, width: half, tag: 'Sect' },
  ] as const
  writer.columns([
    { ...left, paragraphs: partyLines('Seller', seller) },
    { ...right, paragraphs: partyLines('Buyer', buyer) },
  ])
  writer.space(gap)
}

function partyLines(label: string, party: InvoiceParty | null): Paragraph[] {
  return [
    { text: label, color: grey, size: 'small', tag: 'H2' },
    ...(party ? [{ text: party.name, isBold: true }] : []),
    ...linesOf(party).map((text) => ({ text })),
  ]
}

function linesOf(party: InvoiceParty | null): string[] {
  if (!party) return []
  const { address, country, taxId, email } = party
  const label = isInEu(party) ? 'VAT id' : 'Tax id'
  return [
    ...addressLines(address, country),
    taxId === null ? null : `${label}: ${taxId}`,
    email,
  ].filter((line) => line !== null)
}

function isInEu({ country }: InvoiceParty): boolean {
  return country !== null && euCountries.includes(country)
}

/** Only a seller who is registered for VAT may leave the VAT to the buyer. */
function isReverseCharge({ seller, tax }: InvoiceDocument): boolean {
  const hasVatId = seller !== null && seller.taxId !== null && isInEu(seller)
  return hasVatId && tax?.isReverseCharge === true
}

type Cell = Pick<Column, 'tag' | 'scope' | 'paragraphs'>

/** A row whose second cell is an amount. */
function writeRow(writer: Writer, name: Cell, amount: Cell): void {
  const left = { x: 0, width: width - amountWidth }
  const right = { x: left.width, width: amountWidth, align: 'right' } as const
  writer.group('TR', () => {
    writer.columns([
      { ...left, ...name },
      { ...right, ...amount },
    ])
  })
}

function writeAmounts(writer: Writer, document: InvoiceDocument): void {
  const { type, status, currency, description, credits } = document
  const { priceCents, taxCents, totalCents } = document
  const heading = (text: string): Cell => ({
    ...{ tag: 'TH', scope: 'Column', paragraphs: [{ text, isBold: true }] },
  })
  const amount = (cents: number, isBold = false): Cell => ({
    ...{ tag: 'TD', paragraphs: [{ text: amountOf(cents, currency), isBold }] },
  })
  const sum = (text: string, cents: number, isBold = false) => {
    const name: Cell = { tag: 'TH', scope: 'Row', paragraphs: [{ text, isBold }] }
    writeRow(writer, name, amount(cents, isBold))
  }
  const sold: Paragraph[] = [{ text: description }]
  if (credits > 0)
    sold.push({ text: countedCredits(credits, countOf(credits)), color: grey, size: 'small' })
  writer.group('Table', () => {
    writeRow(writer, heading('Description'), heading('Net amount'))
    writer.rule()
    writeRow(writer, { tag: 'TD', paragraphs: sold }, amount(priceCents))
    writer.rule()
    sum('Net amount', priceCents)
    sum(taxLabel(document), taxCents)
    writer.rule()
    sum('Total', totalCents, true)
    if (type === 'credit_note') sum('Paid back', totalCents)
    else if (status === 'paid') sum('Paid', totalCents)
    else sum('Amount due', status === 'open' ? totalCents : 0, true)
  })
}

function taxLabel(document: InvoiceDocument): string {
  const { tax } = document
  if (isReverseCharge(document)) return 'Tax (reverse charge)'
  return !tax || tax.isReverseCharge ? 'Tax' : `Tax ${tax.ratePercent}% (${tax.country})`
}

function writeNotes(writer: Writer, document: InvoiceDocument): void {
  const { tax, originalNumber } = document
  writer.space(gap)
  if (isReverseCharge(document)) {
    writer.line(
      `Reverse charge: the recipient owes the VAT (Article 196 of Directive 2006/112/EC). VAT id of the recipient: ${tax?.taxId ?? ''}`,
      { size: 'small' },
    )
  }
  if (originalNumber !== null) {
    writer.line(`This credit note corrects the invoice ${originalNumber}.`, { size: 'small' })
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
