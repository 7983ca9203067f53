interface FontOptions {
  /** The PostScript name. */
  readonly name?: string
  readonly isBold?: boolean
  /** Whether it says that its letters are pictures. */
  readonly hasPictures?: boolean
}

/** A TrueType font in which each of these letters is a box. */
export function makeFont(
  letters: string,
  { name = 'Made', isBold = false, hasPictures = false }: FontOptions = {},
): Buffer {
  const points = Array.from(new Set(letters), (letter) => letter.codePointAt(0) ?? 0)
  points.sort((a, b) => a - b)
  const count = points.length + 1
  return fileOf([
    [
      'OS/2',
      zeros(96, [
        [0, 4],
        [4, isBold ? 700 : 400],
        [6, 5],
        [68, 800],
        [70, -200],
        [88, 700],
      ]),
    ],
    ...(hasPictures ? [['COLR', zeros(14)] as const] : []),
    ['cmap', cmapOf(points)],
    ['glyf', Buffer.concat(Array.from({ length: count }, () => box))],
    ['head', headTable()],
    [
      'hhea',
      zeros(36, [
        [0, 1],
        [4, 800],
        [6, -200],
        [10, 1000],
        [34, count],
      ]),
    ],
    ['hmtx', Buffer.concat(Array.from({ length: count }, () => int16(1000, 100)))],
    ['loca', uint32(...Array.from({ length: count + 1 }, (_, index) => index * box.length))],
    [
      'maxp',
      zeros(32, [
        [0, 1],
        [4, count],
        [6, 4],
        [8, 1],
      ]),
    ],
    ['name', nameOf(name)],
    ['post', zeros(32, [[0, 3]])],
  ])
}

type Table = readonly [tag: string, bytes: Buffer]

function fileOf(tables: readonly Table[]): Buffer {
  const heads: Buffer[] = []
  const bodies: Buffer[] = []
  let offset = 12 + 16 * tables.length
  for (const [tag, bytes] of tables) {
    heads.push(Buffer.from(tag, 'latin1'), uint32(0, offset, bytes.length))
    const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)])
    bodies.push(padded)
    offset += padded.length
  }
  return Buffer.concat([uint32(0x1_0000), int16(tables.length, 0, 0, 0), ...heads, ...bodies])
}

/** A square outline: one contour of four points. */
const box = Buffer.concat([
  int16(1, 100, 0, 900, 700, 3, 0),
  Buffer.from([1, 1, 1, 1]),
  int16(100, 800, 0, -800, 0, 0, 700, 0),
])

function cmapOf(points: readonly number[]): Buffer {
  const groups = points.flatMap((point, index) => [point, point, index + 1])
  const table = [uint32(16 + 4 * groups.length, 0, points.length, ...groups)]
  return Buffer.concat([int16(0, 1, 3, 10), uint32(12), int16(12, 0), ...table])
}

function headTable(): Buffer {
  const head = zeros(54, [
    [0, 1],
    [18, 1000],
    [36, 100],
    [40, 900],
    [42, 700],
    [50, 1],
  ])
  head.writeUInt32BE(0x5f_0f_3c_f5, 12)
  return head
}

function nameOf(name: string): Buffer {
  const text = Buffer.from(name, 'utf16le').swap16()
  const records = [1, 6].flatMap((id) => [3, 1, 0x409, id, text.length, 0])
  return Buffer.concat([int16(0, 2, 6 + 24, ...records), text])
}

/** Zeros, but for these integers of 16 bits. */
function zeros(length: number, values: readonly (readonly [at: number, value: number])[] = []) {
  const bytes = Buffer.alloc(length)
  for (const [at, value] of values) bytes.writeInt16BE(value, at)
  return bytes
}

function int16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [index, value] of values.entries()) bytes.writeInt16BE(value, 2 * index)
  return bytes
}

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}
