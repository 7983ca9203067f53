/**
 * RFC 4180, to the letter: every line ends with CRLF, every line has as many cells as the first, a
 * quote stands only where it opens, closes or is doubled. Throws for anything else.
 */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (let at = 0; at < text.length; ) {
    const isQuoted = text[at] === '"'
    const cell = isQuoted ? quotedCell(text, at) : bareCell(text, at)
    row.push(cell.value)
    at = cell.end
    if (text[at] === ',') {
      at += 1
      continue
    }
    if (text.slice(at, at + 2) !== '\r\n') throw new Error(`No end of cell or line at ${at}.`)
    if (rows[0] && rows[0].length !== row.length) throw new Error(`Line ${rows.length} is uneven.`)
    rows.push(row)
    row = []
    at += 2
  }
  if (row.length > 0) throw new Error('The last line has no end.')
  return rows
}

interface Cell {
  readonly value: string
  readonly end: number
}

function bareCell(text: string, start: number): Cell {
  const ending = /[",\r\n]/g
  ending.lastIndex = start
  const end = ending.exec(text)?.index
  if (end === undefined) throw new Error('The last line has no end.')
  if (text[end] === '"') throw new Error(`A quote in a bare cell at ${end}.`)
  return { value: text.slice(start, end), end }
}

function quotedCell(text: string, start: number): Cell {
  let value = ''
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) throw new Error(`A cell is not closed from ${start}.`)
    value += text.slice(at, quote)
    if (text[quote + 1] !== '"') return { value, end: quote + 1 }
    value += '"'
    at = quote + 2
  }
}

/** Rows by the names of the header. */
export function csvRecords(text: string): Record<string, string>[] {
  const [header = [], ...rows] = parseCsv(text)
  return rows.map((row) =>
    Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])),
  )
}
