import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../../../rest-facade/routes/index.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { leftoverFiles, staleFiles } from '../../../tools/check/freshness.ts'
import { openBase } from '../../../tools/check/trees/base.ts'
import { treeOf } from '../../../tools/check/trees/tree.ts'
import { atNight } from '../../support/extent/extent.ts'
import { compileProgram } from '../../support/processes/program.ts'

/** The part of the report that these tests read. */
const jsonReport = z.object({
  counts: z.object({
    errors: z.int(),
    breaking: z.int(),
    dangerous: z.int(),
    acknowledged: z.int(),
  }),
  findings: z.array(
    z.object({
      ...{ id: z.string(), severity: z.string(), message: z.string() },
      acknowledgement: z.object({ finding: z.string() }).nullable(),
      breaks: z.array(z.object({ operation: z.string().nullable(), routes: z.array(z.string()) })),
    }),
  ),
})

/** Runs in a copy of the compiled project with a git history of its own, so that files may be spoilt. */
describe('npm run schema:check', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-schema-'))
  const accountType = 'dist/subgraphs/account/accounts/account.type.js'
  const acknowledgements = join(folder, 'schema/acknowledged-breaks.yaml')

  const encoding = 'utf8'
  const cache = join(projectRoot, 'node_modules/.cache/node-compile-cache')
  const env = { ...process.env, NODE_COMPILE_CACHE: cache }

  function run(command: string, args: readonly string[]) {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding, env })
    return { status, stdout, lines: stdout.trimEnd().split('\n'), stderr }
  }

  const check = (...args: string[]) => run(process.execPath, ['dist/tools/check.js', ...args])
  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(join(folder, file), change(readFileSync(join(projectRoot, file), 'utf8')))
  const operation = (name: string) => `schema/operations/${name}.graphql`
  const commit = () => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
    run('git', ['add', 'schema'])
    run('git', [...identity, 'commit', '-qm', 'test'])
  }

  function restore(): void {
    for (const name of ['schema', accountType]) {
      rmSync(join(folder, name), { recursive: true })
      cpSync(join(projectRoot, name), join(folder, name), { recursive: true })
    }
    acknowledgeNothing()
  }

  /** The acknowledgements of the project are about another base than the one here. */
  function acknowledgeNothing(): void {
    edit('schema/acknowledged-breaks.yaml', (text) => text.replaceAll(/^[^#\n].*\n/gm, ''))
  }

  /** Removes a field, as if `subgraphs/account/accounts/account.type.ts` had never had it. */
  function removeField(name: string): void {
    const decorated = new RegExp(
      `__decorate\\(\\[\\s*Field\\((?:(?!__decorate).)*?Account\\.prototype, "${name}"[^;]*;`,
      's',
    )
    edit(accountType, (text) => text.replace(decorated, ''))
  }

  beforeAll(async () => {
    await compileProgram()
    const names = [
      'dist',
      'schema',
      'subgraphs',
      'rest-facade',
      'site',
      'docs',
      'gateway',
      'sdk',
      'package.json',
      'CHANGELOG.md',
      'redocly.yaml',
    ]
    for (const name of names) {
      cpSync(join(projectRoot, name), join(folder, name), { recursive: true })
    }
    acknowledgeNothing()
    symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
    run('git', ['init', '-q'])
    commit()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('passes on the committed files', () => {
    const { status, lines } = check()

    expect([status, lines]).toEqual([
      0,
      [
        expect.stringMatching(
          /^schema: \d+ files fresh, nothing breaks since HEAD \([0-9a-f]{8}\)$/,
        ),
      ],
    ])
  })

  test('names all stale, leftover and invalid files, and the routes of invalid operations', () => {
    edit('schema/generated/keys.graphql', (text) => `${text}\n`)
    writeFileSync(join(folder, 'schema/generated/billing.graphql'), 'type Query { a: ID }\n')
    edit(operation('account/GetCredits'), (text) => text.replace('held', 'hold'))
    edit(operation('account/GetAccount'), (text) => text.replace('{', ''))
    edit(operation('keys/GetApiKey'), (text) => text.replace('GetApiKey', 'ReadApiKey'))
    edit(operation('keys/GetSandbox'), (text) => text.replace('result:', 'sandbox:'))
    edit('schema/fragments/Invoice.graphql', (text) => text.replace('number', 'numeral'))
    edit('schema/fragments/ApiKey.graphql', (text) => text.replace('ApiKey on', 'Key on'))
    writeFileSync(
      join(folder, 'schema/fragments/Spare.graphql'),
      'fragment Spare on ApiKey { id }\n',
    )
    edit(operation('account/GetAddons'), (text) =>
      text.replace('result:', 'result: __typename addons:'),
    )

    const { status, lines } = check()

    restore()
    expect(status).toBe(1)
    expect(lines).toEqual(
      expect.arrayContaining([
        'schema/generated/keys.graphql: error: is stale; run npm run schema and commit the result',
        'schema/generated/billing.graphql: error: nothing generates it; delete it',
        expect.stringMatching(
          /^schema\/operations\/account\/GetCredits.graphql:\d+: error: .*"hold"/,
        ),
        '    breaks GetCredits: GET /v1/account/credits',
        expect.stringMatching(/^schema\/operations\/account\/GetAccount.graphql: error: Syntax/),
        '    breaks GetAccount: GET /v1/account',
        'schema/operations/keys/GetApiKey.graphql: error: must name its operation GetApiKey',
        'schema/operations/keys/GetSandbox.graphql: error: must alias its root field result',
        'schema/operations/account/GetAddons.graphql: error: must select members of its result',
        expect.stringMatching(/^schema\/fragments\/Invoice.graphql:3: error: .*"numeral"/),
        'schema/fragments/ApiKey.graphql: error: must name its fragment ApiKey',
        'schema/operations/keys/ListApiKeys.graphql:17: error: Unknown fragment "ApiKey".',
        'schema/fragments/Spare.graphql: error: no operation uses this fragment; delete it',
        expect.stringMatching(/^schema: \d+ errors, 0 breaking/),
      ]),
    )
    expect(lines.filter((line) => line.startsWith('site/'))).toEqual([])
  })

  test('fails on a removed field, with the field, the operation and the route', () => {
    removeField('rateLimitRps')

    const { status, lines } = check()

    restore()
    expect(status).toBe(1)
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^schema\/fragments\/Account.graphql:\d+: error: .*"rateLimitRps" on type "Account"/,
        ),
        expect.stringMatching(
          /^schema\/generated\/account.graphql:\d+: breaking: Field 'rateLimitRps' was removed from object type 'Account'/,
        ),
        '    breaks GetAccount: GET /v1/account',
        '    intended? acknowledge graphql/field-removed/Account.rateLimitRps',
      ]),
    )
  })

  test.runIf(atNight)(
    'fails on a removed field that no operation asks for, for REST too, unless the break is acknowledged',
    () => {
      const inGraph = 'graphql/field-removed/Account.createdAt'
      const inRest = 'openapi/property-removed/#/components/schemas/Account/properties/created_at'
      removeField('createdAt')
      const shown = ['ShowAccount', 'ListAccounts'].map((name) => operation(`account/${name}`))
      for (const file of ['schema/fragments/Account.graphql', ...shown]) {
        edit(file, (text) => text.replace(/\n +(created_at: )?createdAt\n/, '\n'))
      }
      const entry = `- finding: '${inGraph}'
  reason: The date of opening is nobody's business any more.
  acknowledged_by: Ada
  date: 2026-01-10\n`
      writeFileSync(acknowledgements, entry)

      const { status, stdout } = check('--format', 'json')

      restore()
      const { counts, findings } = jsonReport.parse(JSON.parse(stdout))
      expect([status, counts.acknowledged, counts.dangerous]).toEqual([1, 1, 0])
      expect(findings).toContainEqual({
        ...{ id: inGraph, severity: 'breaking', acknowledgement: { finding: inGraph } },
        message: "Field 'createdAt' was removed from object type 'Account'",
        breaks: expect.arrayContaining([{ operation: 'GetAccount', routes: ['GET /v1/account'] }]),
      })
      expect(findings).toContainEqual({
        ...{ id: inRest, severity: 'breaking', acknowledgement: null },
        message: expect.stringContaining('`created_at` of `Account` was removed'),
        breaks: [
          { operation: 'GetAccount', routes: ['GET /v1/account'] },
          { operation: 'GetOverview', routes: ['GET /v1/account/overview'] },
        ],
      })
    },
  )

  test('refuses to start with an unknown format or option, or a missing base', () => {
    const missing = check('--base', 'nowhere')
    const format = check('--format', 'xml')
    const option = check('--skip')
    renameSync(join(folder, '.git'), join(folder, 'hidden'))
    const untracked = check()
    renameSync(join(folder, 'hidden'), join(folder, '.git'))

    const stderr = 'There is no git revision nowhere to compare with.\n'
    expect(missing).toMatchObject({ status: 2, stdout: '', stderr })
    expect(format).toMatchObject({
      status: 2,
      stderr: 'The format is text, json, github, markdown, not xml.\n',
    })
    expect(option).toMatchObject({ status: 2, stderr: expect.stringContaining("'--skip'") })
    expect(untracked).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('not a git repository'),
    })
  })
})

describe('the base revision', () => {
  test('tells a shallow clone from an unknown revision', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-base-'))
    const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
    mkdirSync(join(folder, 'whole/schema/generated'), { recursive: true })
    writeFileSync(join(folder, 'whole/schema/generated/a.graphql'), 'type A { a: ID }\n')
    git('-C', 'whole', 'init', '-q')
    git('-C', 'whole', 'add', '.')
    for (const message of ['one', 'two']) {
      git('-C', 'whole', ...identity, 'commit', '-qm', message, '--allow-empty')
    }
    git('clone', '-q', '--depth', '1', `file://${folder}/whole`, 'shallow')

    const base = openBase(join(folder, 'whole'), 'HEAD~1')
    const read = ['schema/generated/a.graphql', 'schema/generated/b.graphql'].map((file) =>
      base.read(file),
    )
    const listed = base.list('schema')
    const shallow = () => openBase(join(folder, 'shallow'), 'HEAD~1')

    expect([read, listed]).toEqual([['type A { a: ID }\n', null], ['schema/generated/a.graphql']])
    expect(shallow).toThrow('this clone is shallow')
    rmSync(folder, { recursive: true })
  })
})

describe('the check for stale files', () => {
  const generated = new Map([
    ['schema/generated/api.graphql', 'type A { a: ID }'],
    ['sdk/client.ts', 'export {}'],
  ])

  test('compares every generated file with a new one, wherever it is', () => {
    const tree = treeOf(new Map([['schema/generated/api.graphql', 'type A { b: ID }']]))

    expect(staleFiles(tree, generated).map(({ file }) => file)).toEqual([
      'schema/generated/api.graphql',
      'sdk/client.ts',
    ])
    expect(staleFiles(treeOf(generated), generated)).toEqual([])
  })

  test('names a schema and a page that nothing generates as leftover, but no operation', () => {
    const schemas = ['old/a.graphql', 'b.graphql', 'operations/a/GetA.graphql', 'README.md']
    const files = [...schemas.map((name) => `schema/${name}`), 'site/generated/old-guide.html']
    const tree = treeOf(new Map([...generated, ...files.map((file) => [file, ''] as const)]))

    expect(leftoverFiles(tree, generated).map(({ file }) => file)).toEqual([
      'schema/old/a.graphql',
      'schema/b.graphql',
      'site/generated/old-guide.html',
    ])
  })
})

describe('the route table', () => {
  test('runs existing operations only', () => {
    const folder = join(projectRoot, 'schema/operations')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const names = files.map((file) => /([^/]+)\.graphql$/.exec(file)?.[1])

    for (const { operation: name } of routes) expect(names).toContain(name)
  })
})
