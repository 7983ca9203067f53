const firstBytes = 64 * 1024
/**
 * The size of a buffer that is kept. One that has grown beyond it is replaced after its message,
 * because large batches are rare.
 */
const maxKeptBytes = 4 * 1024 * 1024
/** The largest message with all its values; PostgreSQL itself would take 1 GiB. */
const maxMessageBytes = 64 * 1024 * 1024

/** Up to this length, a loop is faster than a call of `Buffer.write`. */
const shortText = 40

/** PostgreSQL cannot store the value as the parameter that it is given for. */
export class UnfitValue extends Error {
  override readonly name = 'UnfitValue'
  /** PostgreSQL’s code for a text that it cannot store. Undefined: the value is a mistake of ours. */
  readonly code: '22021' | undefined

  constructor(problem: string, { code, cause }: ErrorOptions & { readonly code?: '22021' } = {}) {
    super(problem, { cause })
    this.code = code
  }
}

/** Writes messages of PostgreSQL's protocol: numbers big-endian, texts in UTF-8. */
export class WireWriter {
  #bytes = Buffer.allocUnsafeSlow(firstBytes)
  #at = 0

  /** Forgets what was written. */
  restart(): void {
    this.#at = 0
    if (this.#bytes.length > maxKeptBytes) this.#bytes = Buffer.allocUnsafeSlow(firstBytes)
  }

  /** A copy of what was written since `restart`. */
  written(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#at))
  }

  /** Begins a message; `endSized` of the result ends it. */
  beginMessage(kind: string): number {
    this.#need(5)
    this.#bytes[this.#at] = kind.charCodeAt(0)
    this.#at += 1
    return this.beginSized()
  }

  /** Leaves room for the size of a message or value. That of a message includes its own four bytes. */
  beginSized(): number {
    this.#need(4)
    this.#at += 4
    return this.#at - 4
  }

  endMessage(start: number): void {
    this.#int32At(start, this.#at - start)
  }

  /** The size of a value does not count itself. */
  endValue(start: number): void {
    this.#int32At(start, this.#at - start - 4)
  }

  byte(value: number): void {
    this.#need(1)
    this.#bytes[this.#at] = value
    this.#at += 1
  }

  int16(value: number): void {
    this.#need(2)
    this.#bytes[this.#at] = value >>> 8
    this.#bytes[this.#at + 1] = value
    this.#at += 2
  }

  int32(value: number): void {
    this.#need(4)
    this.#int32At(this.#at, value)
    this.#at += 4
  }

  /** A safe integer. */
  int8bytes(value: number): void {
    this.int32(Math.floor(value / 2 ** 32))
    this.int32((value % 2 ** 32) | 0)
  }

  bigint(value: bigint): void {
    this.#need(8)
    this.#at = this.#bytes.writeBigInt64BE(value, this.#at)
  }

  raw(value: Uint8Array): void {
    this.#need(value.length)
    this.#bytes.set(value, this.#at)
    this.#at += value.length
  }

  /** Throws UnfitValue when the text has a NUL, which would end it. */
  text(value: string): void {
    const { length } = value
    this.#need(length > 4096 ? Buffer.byteLength(value) : length * 3)
    if (length <= shortText && this.#shortAscii(value)) return
    if (value.includes('\0')) throw new UnfitValue('a text with NUL', { code: '22021' })
    this.#at += this.#bytes.write(value, this.#at, 'utf8')
  }

  /** Writes a text with a NUL behind it. */
  name(value: string): void {
    this.text(value)
    this.byte(0)
  }

  /** Writes a text if all its characters are ASCII; otherwise what it has written does not count. */
  #shortAscii(value: string): boolean {
    const { length } = value
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index)
      if (code === 0 || code > 127) return false
      this.#bytes[this.#at + index] = code
    }
    this.#at += length
    return true
  }

  #int32At(place: number, value: number): void {
    this.#bytes[place] = value >>> 24
    this.#bytes[place + 1] = value >>> 16
    this.#bytes[place + 2] = value >>> 8
    this.#bytes[place + 3] = value
  }

  #need(count: number): void {
    const needed = this.#at + count
    if (needed <= this.#bytes.length) return
    if (needed > maxMessageBytes) throw new UnfitValue('more than a statement may carry')
    const length = Math.min(Math.max(this.#bytes.length * 2, needed), maxMessageBytes)
    const larger = Buffer.allocUnsafeSlow(length)
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}
