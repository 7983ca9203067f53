import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  type OpenDatabase,
  openDatabase,
  type ServiceStatement,
  type Statement,
} from '../../../subgraphs/shared/database/database.ts'
import { allTenants } from '../../../subgraphs/shared/database/tenant.ts'
import type { ParameterType } from '../../../subgraphs/shared/database/wire/parameters.ts'
import { type DebianPostgres, startDebianPostgres } from '../../support/database/debian-postgres.ts'
import { hasDebianPostgres } from '../../support/database/postgres-binaries.ts'
import { atNight } from '../../support/extent/extent.ts'

const largest = Number.MAX_SAFE_INTEGER
const unicode = `grüße, „你好“ 🦑\u{1F9D1}\u200D\u{1F680} '"\\ {NULL,"a"} \n\t\u0001`
const megabyte = `${'x'.repeat(1024 * 1024 - 4)}🦑`
const far = new Date('9999-12-31T23:59:59.999Z')
const early = new Date('0001-01-01T00:00:00.001Z')
const now = new Date('2026-02-03T04:05:06.789Z')
const document = { a: [1, null, { b: unicode }], 'c"': 1.5 }
const bytes = Buffer.from([0, 1, 127, 128, 255])

interface Case {
  readonly type: ParameterType
  readonly value: unknown
  /** The value in the row, if it differs. */
  readonly found?: unknown
}

/** Each value alone, then all values of a type as a list, with nulls; and the empty list. */
function casesOf(
  type: ParameterType,
  list: ParameterType,
  all: readonly Omit<Case, 'type'>[],
): readonly Case[] {
  const found = all.map((one) => ('found' in one ? one.found : one.value))
  return [
    ...all.map((one) => ({ type, ...one })),
    { type, value: null },
    {
      type: list,
      value: [null, ...all.map(({ value }) => value), null],
      found: [null, ...found, null],
    },
    { type: list, value: [], found: [] },
    { type: list, value: [null] },
    { type: list, value: null },
  ]
}

const plain = (values: readonly unknown[]) => values.map((value) => ({ value }))
const powers = [2 ** 31, -(2 ** 31), 2 ** 32, -(2 ** 32), -(2 ** 32) - 5]
const texts = ['', 'a', unicode, 'NULL', '{}', 'x'.repeat(41), 'ü'.repeat(5000), megabyte]
const documents = [document, [], [1], 'text', 1, true, null]

const cases: readonly Case[] = [
  ...casesOf('text', 'text[]', plain(texts)),
  ...casesOf('int2', 'int2[]', plain([0, -1, 32_767, -32_768])),
  ...casesOf('int4', 'int4[]', plain([0, -1, 2 ** 31 - 1, -(2 ** 31)])),
  ...casesOf('int8', 'int8[]', plain([0, -1, ...powers, largest, -largest])),
  ...casesOf('bool', 'bool[]', plain([true, false])),
  ...casesOf('timestamptz', 'timestamptz[]', plain([now, far, early, new Date(0)])),
  ...casesOf(
    'jsonb',
    'jsonb[]',
    documents.map((found) => ({ value: JSON.stringify(found), found })),
  ),
  ...casesOf('bytea', 'bytea[]', plain([bytes, Buffer.alloc(0), Buffer.alloc(70_000, 7)])),
]

const refused: readonly Case[] = [
  { type: 'text', value: 1 },
  { type: 'text', value: {} },
  { type: 'int2', value: 32_768 },
  { type: 'int2', value: 1.5 },
  { type: 'int4', value: 2 ** 31 },
  { type: 'int4', value: Number.NaN },
  { type: 'int4', value: '1' },
  { type: 'int8', value: 2 ** 53 },
  { type: 'int8', value: Number.NaN },
  { type: 'int8', value: Number.POSITIVE_INFINITY },
  { type: 'int8', value: 0.5 },
  { type: 'int8', value: 1n },
  { type: 'bool', value: 1 },
  { type: 'bool', value: 'true' },
  { type: 'timestamptz', value: new Date(Number.NaN) },
  { type: 'timestamptz', value: '2026-02-03T04:05:06Z' },
  { type: 'timestamptz', value: 0 },
  { type: 'jsonb', value: { a: 1 } },
  { type: 'bytea', value: 'abc' },
  { type: 'text[]', value: 'abc' },
  { type: 'text[]', value: ['a', 1] },
  { type: 'int8[]', value: [1, [2]] },
  { type: 'int8[]', value: [1, 2 ** 53] },
]

/** The row has the value, and what PostgreSQL itself makes of it. */
function echoOf(type: ParameterType): Statement & { readonly wire: 'tenant' } {
  const name = `echo-${type}`
  const text = 'SELECT $1 AS value, pg_typeof($1)::regtype::oid AS type, $1::text AS "asText"'
  return { name, text, parameters: [type], wire: 'tenant' }
}

function asPooled({ name, text, parameters }: ReturnType<typeof echoOf>): Statement {
  return { name: `${name}-pooled`, text, parameters }
}

function title({ type, value }: Case): string {
  const text =
    value instanceof Uint8Array
      ? `${value.length} bytes`
      : String(JSON.stringify(value, replaceBigint))
  return `${type} ${text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text}`
}

function replaceBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}

const nothing = { name: 'echo', entities: [], migrations: [] }
const has15 = hasDebianPostgres()

describe.each(atNight ? ['18', '15'] : ['18'])('a wire statement on PostgreSQL %s', (version) => {
  const it = version === '15' ? test.skipIf(!has15) : test
  let debian: DebianPostgres | undefined
  let database: OpenDatabase
  beforeAll(async () => {
    if (version === '15' && has15) debian = await startDebianPostgres()
    const url = debian?.url ?? inject('serviceUrl')
    // Beside other load, a connection may take longer to open than in production.
    const patient = `${url}?connect_timeout=15`
    const options = { url: patient, poolSize: 1, timeoutMs: 30_000, warn: () => {} }
    database = await openDatabase(nothing, options)
  })
  afterAll(async () => {
    await database.close()
    await debian?.stop()
  })

  it('runs on this version', async () => {
    const asked: Statement = {
      name: 'version',
      text: 'SHOW server_version_num',
      parameters: [],
      wire: 'tenant',
    }
    const [row] = await database.query<{ server_version_num: string }>(asked, [])

    expect(row?.server_version_num.slice(0, 2)).toBe(version)
  })

  it.each(cases.map((one) => [title(one), one] as const))(
    'brings back %s, as the pool does',
    async (_, one) => {
      const { type, value } = one
      const found = 'found' in one ? one.found : value
      const echo = echoOf(type)

      const rows = await database.query<{ value: unknown }>(echo, [value])

      expect(rows).toEqual([
        { value: found, type: expect.any(Number), asText: rows[0] && Object(rows[0]).asText },
      ])
      expect(rows).toEqual(await database.query(asPooled(echo), [value]))
    },
  )

  it('sends many values of many types at once, and returns many rows', async () => {
    const rows: Statement = {
      name: 'many-rows',
      text: `
        SELECT * FROM unnest($1, $2, $3, $4) AS t (id, credits, "at", details)
        WHERE $5 OR id = $6 ORDER BY credits`,
      parameters: ['text[]', 'int8[]', 'timestamptz[]', 'jsonb[]', 'bool', 'text'],
      wire: 'tenant',
    }
    const ids = Array.from({ length: 500 }, (_, index) => `id_${index}`)
    const expected = ids.map((id, credits) => ({
      id,
      credits,
      at: new Date(credits),
      details: { id },
    }))

    const found = await database.query(rows, [
      ids,
      ids.map((_, index) => index),
      ids.map((_, index) => new Date(index)),
      ids.map((id) => JSON.stringify({ id })),
      true,
      null,
    ])

    expect(found).toEqual(expected)
    expect(await database.query(rows, [[], [], [], [], true, null])).toEqual([])
  })

  it('sends all values where there are as many as a buffer has to grow for', async () => {
    const lengths: Statement = {
      name: 'lengths',
      text: 'SELECT length(value) AS length FROM unnest($1) AS t (value)',
      parameters: ['text[]'],
      wire: 'tenant',
    }
    const texts = Array.from({ length: 12 }, (_, index) => 'ü'.repeat(index * 100_000))

    expect(await database.query(lengths, [texts])).toEqual(texts.map(({ length }) => ({ length })))
    expect(await database.query(lengths, [['abc']])).toEqual([{ length: 3 }])
  })

  it.each(refused.map((one) => [title(one), one] as const))(
    'refuses %s before anything is sent',
    async (_, { type, value }) => {
      await expect(database.query(echoOf(type), [value])).rejects.toMatchObject({
        name: 'UnfitValue',
        message: expect.stringContaining(`The value of $1 of "echo-${type}" is`),
      })

      expect(await database.query(echoOf('int4'), [1])).toMatchObject([{ value: 1 }])
    },
  )

  it.each([
    ['text', 'a\0b'],
    ['text', `${'x'.repeat(100)}\0`],
    ['jsonb', '"a\0"'],
    ['text[]', ['a', '\0']],
  ] as const)('refuses NUL in %s with the code of PostgreSQL', async (type, value) => {
    await expect(database.query(echoOf(type), [value])).rejects.toMatchObject({
      name: 'UnfitValue',
      code: '22021',
    })
  })

  it('refuses more than a message may carry', async () => {
    const long = 'x'.repeat(40 * 1024 * 1024)

    const refusal = await database.query(echoOf('text[]'), [[long, long]]).then(
      () => 'sent',
      (error: unknown) => String(error),
    )

    expect(refusal).toContain('more than a statement may carry')
    expect(await database.query(echoOf('int4'), [1])).toMatchObject([{ value: 1 }])
  })

  it('reports what PostgreSQL refuses', async () => {
    await expect(database.query(echoOf('jsonb'), ['{'])).rejects.toMatchObject({ code: '22P02' })

    expect(await database.query(echoOf('jsonb'), ['{}'])).toMatchObject([{ value: {} }])
  })

  it('needs a value for each parameter, and a type for each placeholder', async () => {
    const two = { name: 'two', text: 'SELECT $1 AS a, $2 AS b', wire: 'tenant' } as const
    const stated: Statement = { ...two, parameters: ['int4', 'text'] }
    const short: Statement = { ...two, name: 'short', parameters: ['int4'] }
    const long: Statement = { ...two, name: 'long', parameters: ['int4', 'text', 'text'] }

    await expect(database.query(stated, [1])).rejects.toThrow('"two" has 2 parameters, not 1.')
    await expect(database.query(short, [1])).rejects.toThrow('"short" states 1 types for $1 to $2.')
    await expect(database.query(long, [1])).rejects.toThrow('"long" states 3 types for $1 to $2.')
    expect(await database.query(stated, [1, 'x'])).toEqual([{ a: 1, b: 'x' }])
  })

  it('is refused when its name has another text', async () => {
    const other = { ...echoOf('int4'), text: 'SELECT $1 + 1 AS value' }

    await database.query(echoOf('int4'), [1])

    await expect(database.query(other, [1])).rejects.toThrow(
      'Two statements have the name "echo-int4".',
    )
  })

  it('runs with the same values on the connections of the service', async () => {
    const echo: ServiceStatement = { ...echoOf('text[]'), name: 'echo-service', wire: 'service' }

    const rows = await database.as(allTenants).query(echo, [[unicode, null]])

    expect(rows).toMatchObject([{ value: [unicode, null] }])
  })
})
