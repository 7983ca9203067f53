import { UnfitValue, type WireWriter } from './wire-writer.ts'

/** The numbers by which PostgreSQL knows these types; they are part of its protocol. */
export const oids = {
  bool: 16,
  bytea: 17,
  int2: 21,
  int4: 23,
  int8: 20,
  jsonb: 3802,
  text: 25,
  timestamptz: 1184,
  'bool[]': 1000,
  'bytea[]': 1001,
  'int2[]': 1005,
  'int4[]': 1007,
  'int8[]': 1016,
  'jsonb[]': 3807,
  'text[]': 1009,
  'timestamptz[]': 1185,
} as const

export type ParameterType = keyof typeof oids

type ScalarType = Exclude<ParameterType, `${string}[]`>
type Write = (writer: WireWriter, value: unknown) => void

/**
 * Writes a parameter with its size, as PostgreSQL keeps it. Throws UnfitValue for a value that the type
 * cannot have: it must not reach the database as another one.
 */
export function writeParameter(writer: WireWriter, type: ParameterType, value: unknown): void {
  if (value === null || value === undefined) writer.int32(-1)
  else if (isScalar(type)) scalars[type](writer, value)
  else writeList(writer, elementOf[type], value)
}

function isScalar(type: ParameterType): type is ScalarType {
  return type in scalars
}

const elementOf = {
  'bool[]': 'bool',
  'bytea[]': 'bytea',
  'int2[]': 'int2',
  'int4[]': 'int4',
  'int8[]': 'int8',
  'jsonb[]': 'jsonb',
  'text[]': 'text',
  'timestamptz[]': 'timestamptz',
} as const satisfies Record<Exclude<ParameterType, ScalarType>, ScalarType>

/** Writes an array of one dimension, counted from 1. */
function writeList(writer: WireWriter, element: ScalarType, list: unknown): void {
  if (!Array.isArray(list)) throw new UnfitValue('not a list')
  const items: readonly unknown[] = list
  const start = writer.beginSized()
  writer.int32(items.length > 0 ? 1 : 0)
  // The flag says that nulls may be among the items.
  writer.int32(1)
  writer.int32(oids[element])
  if (items.length > 0) {
    writer.int32(items.length)
    writer.int32(1)
  }
  const write = scalars[element]
  // A loop with an iterator makes an object for each item here, because lists of all kinds come by.
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index]
    if (item === null || item === undefined) writer.int32(-1)
    else write(writer, item)
  }
  writer.endValue(start)
}

const scalars: Readonly<Record<ScalarType, Write>> = {
  bool(writer, value) {
    if (typeof value !== 'boolean') throw new UnfitValue('not a bool')
    writer.int32(1)
    writer.byte(value ? 1 : 0)
  },
  bytea(writer, value) {
    if (!(value instanceof Uint8Array)) throw new UnfitValue('not a Uint8Array')
    writer.int32(value.length)
    writer.raw(value)
  },
  int2(writer, value) {
    if (typeof value !== 'number' || (value << 16) >> 16 !== value)
      throw new UnfitValue('not an int2')
    writer.int32(2)
    writer.int16(value)
  },
  int4(writer, value) {
    if (typeof value !== 'number' || (value | 0) !== value) throw new UnfitValue('not an int4')
    writer.int32(4)
    writer.int32(value)
  },
  int8(writer, value) {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      throw new UnfitValue('not an integer below 2^53')
    }
    writer.int32(8)
    writer.int8bytes(value)
  },
  jsonb(writer, value) {
    if (typeof value !== 'string') throw new UnfitValue('not a text with JSON')
    const start = writer.beginSized()
    writer.byte(jsonbVersion)
    writer.text(value)
    writer.endValue(start)
  },
  text(writer, value) {
    if (typeof value !== 'string') throw new UnfitValue('not a text')
    const start = writer.beginSized()
    writer.text(value)
    writer.endValue(start)
  },
  timestamptz(writer, value) {
    if (!(value instanceof Date) || Number.isNaN(value.getTime())) {
      throw new UnfitValue('not a Date')
    }
    writer.int32(8)
    const milliseconds = value.getTime() - y2kMs
    const microseconds = milliseconds * 1000
    if (Number.isSafeInteger(microseconds)) writer.int8bytes(microseconds)
    else writer.bigint(BigInt(milliseconds) * 1000n)
  },
}

const jsonbVersion = 1
/** 2000-01-01, from which PostgreSQL counts microseconds. */
const y2kMs = 946_684_800_000
