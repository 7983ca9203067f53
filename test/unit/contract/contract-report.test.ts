import { expect, test } from 'vitest'
import { formats } from '../../../tools/check/report/formats.ts'
import { exitCodeOf, type Report } from '../../../tools/check/report/report.ts'

const base = { revision: 'origin/main', commit: '0123456789abcdef0123456789abcdef01234567' }
const acknowledgement = {
  finding: 'graphql/field-removed/Query.old',
  reason: 'Nobody has asked for it since May.',
  acknowledged_by: 'Ada',
  date: '2026-01-10',
}
const removed = {
  ...{ id: 'graphql/field-removed/Account.balance', severity: 'breaking' as const },
  ...{
    file: 'schema/generated/account.graphql',
    line: 185,
    message: "Field 'balance' was removed | 100%",
  },
  breaks: [
    { operation: 'GetAccount', routes: ['GET /v1/account'], gateway: ['rest-facade/a.ts'] },
    { operation: 'GetNothing', routes: [], gateway: [] },
  ],
  acknowledgement: null,
}
const dangerous = {
  ...{ id: 'openapi/price-raised/POST /v1/a -> flat 3', severity: 'dangerous' as const },
  ...{
    file: 'schema/generated/openapi.json',
    message: 'POST /v1/a costs more',
    acknowledgement: null,
  },
  breaks: [
    {
      ...{ operation: null, gateway: [] },
      routes: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `POST /v1/${name}`),
    },
  ],
}
const intended = {
  ...{ id: acknowledgement.finding, severity: 'breaking' as const, acknowledgement },
  ...{ file: 'schema/generated/api.graphql', line: 2, message: "Field 'old' was removed" },
}
const report: Report = {
  ...{
    base,
    fileCount: 8,
    notes: ['origin/main has no schema/generated/openapi.json: nothing to compare'],
  },
  failures: [],
  findings: [removed, dangerous, intended],
}
const clean: Report = { base, fileCount: 8, notes: [], failures: [], findings: [] }
const failures = [{ check: 'OpenAPI lint', message: 'Redocly reports nothing:\nout of memory' }]

test('text: lists each finding with its effects and acknowledgement, and the sum', () => {
  expect(
    formats.text(report),
  ).toBe(`schema/generated/account.graphql:185: breaking: Field 'balance' was removed | 100%
    breaks GetAccount: GET /v1/account, the gateway itself (rest-facade/a.ts)
    breaks GetNothing: nothing executes it
    intended? acknowledge graphql/field-removed/Account.balance
schema/generated/openapi.json: dangerous: POST /v1/a costs more
    breaks POST /v1/a, POST /v1/b, POST /v1/c, POST /v1/d, POST /v1/e, POST /v1/f and 2 more
schema/generated/api.graphql:2: breaking, acknowledged: Field 'old' was removed
    because Nobody has asked for it since May.
note: origin/main has no schema/generated/openapi.json: nothing to compare
schema: 0 errors, 1 breaking, 1 dangerous, 1 acknowledged since origin/main (01234567)
`)
  expect(formats.text(clean)).toBe(
    'schema: 8 files fresh, nothing breaks since origin/main (01234567)\n',
  )
})

test('json: has all findings in full', () => {
  const { notes } = report

  expect(JSON.parse(formats.json(report))).toEqual({
    ...{ base, notes, failures: [], file_count: 8 },
    counts: { errors: 0, breaking: 1, dangerous: 1, acknowledged: 1 },
    findings: [removed, { ...dangerous, line: null }, { ...intended, breaks: [] }],
  })
})

test('github: has an annotation for each finding, escaped, then the sum', () => {
  expect(
    formats.github(report),
  ).toBe(`::error file=schema/generated/account.graphql,line=185,title=breaking::Field 'balance' was removed | 100%25%0Abreaks GetAccount: GET /v1/account, the gateway itself (rest-facade/a.ts)%0Abreaks GetNothing: nothing executes it%0Aintended? acknowledge graphql/field-removed/Account.balance
::warning file=schema/generated/openapi.json,title=dangerous::POST /v1/a costs more%0Abreaks POST /v1/a, POST /v1/b, POST /v1/c, POST /v1/d, POST /v1/e, POST /v1/f and 2 more
::notice file=schema/generated/api.graphql,line=2,title=breaking%2C acknowledged::Field 'old' was removed%0Abecause Nobody has asked for it since May.
::notice::origin/main has no schema/generated/openapi.json: nothing to compare
schema: 0 errors, 1 breaking, 1 dangerous, 1 acknowledged since origin/main (01234567)
`)
})

test('markdown: has the table for the pull request', () => {
  expect(formats.markdown(report)).toBe(`### The contract since \`origin/main\` (01234567)

**0 errors, 1 breaking, 1 dangerous, 1 acknowledged**

| severity | finding | breaks |
| --- | --- | --- |
| breaking | Field 'balance' was removed \\| 100% (\`schema/generated/account.graphql:185\`) | GetAccount: GET /v1/account, the gateway itself (rest-facade/a.ts)<br>GetNothing: nothing executes it |
| dangerous | POST /v1/a costs more (\`schema/generated/openapi.json\`) | POST /v1/a, POST /v1/b, POST /v1/c, POST /v1/d, POST /v1/e, POST /v1/f and 2 more |
| breaking, acknowledged: Nobody has asked for it since May. | Field 'old' was removed (\`schema/generated/api.graphql:2\`) |  |

- origin/main has no schema/generated/openapi.json: nothing to compare
`)
  expect(formats.markdown(clean)).toBe(`### The contract since \`origin/main\` (01234567)

**Nothing breaks; 8 files fresh.**

`)
})

test('fails on errors and on unacknowledged breaks only', () => {
  const error = { ...removed, severity: 'error' as const }

  expect(exitCodeOf(report)).toBe(1)
  expect(exitCodeOf({ ...report, findings: [error] })).toBe(1)
  expect(exitCodeOf({ ...report, findings: [dangerous, intended] })).toBe(0)
  expect(exitCodeOf(clean)).toBe(0)
})

test('names a check that failed in every format, beside the findings of the others', () => {
  const broken = { ...report, failures }
  const line = 'not checked (OpenAPI lint): Redocly reports nothing:\nout of memory'
  const sum = '0 errors, 0 breaking, 0 dangerous, 0 acknowledged'

  expect([exitCodeOf(broken), exitCodeOf({ ...clean, failures })]).toEqual([2, 2])
  expect(formats.text({ ...clean, failures })).toBe(
    `${line}\nschema: ${sum}, 1 not checked since origin/main (01234567)\n`,
  )
  expect(formats.text(broken)).toContain('intended? acknowledge')
  expect(JSON.parse(formats.json(broken))).toMatchObject({ failures, counts: { breaking: 1 } })
  expect(formats.github(broken)).toContain(`::error::${line.replace('\n', '%0A')}\n`)
  expect(formats.markdown({ ...clean, failures })).toContain(`- **${line}**`)
  expect(formats.markdown({ ...clean, failures })).not.toContain('Nothing breaks')
})
