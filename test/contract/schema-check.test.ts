import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../rest-facade/routes/index.ts'
import { projectRoot } from '../../schema/project-root.ts'
import { compileProgram } from '../support/program.ts'

const operation = 'schema/operations/account/GetCredits.graphql'

/** Runs in a copy of the compiled project with a git history of its own, so that files may be spoilt. */
describe('npm run schema:check', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-schema-'))
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']

  function run(command: string, args: readonly string[]) {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
    return { status, lines: stdout.trim().split('\n'), stderr }
  }

  const check = (...args: string[]) => run(process.execPath, ['dist/schema/check.js', ...args])
  const commit = () => {
    run('git', ['add', 'schema'])
    run('git', [...identity, 'commit', '-qm', 'test', '--allow-empty'])
  }
  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(join(folder, file), change(readFileSync(join(projectRoot, file), 'utf8')))
  const restore = (file: string) => edit(file, (text) => text)

  beforeAll(async () => {
    await compileProgram()
    for (const name of ['dist', 'schema', 'subgraphs', 'rest-facade', 'sdk', 'package.json']) {
      cpSync(join(projectRoot, name), join(folder, name), { recursive: true })
    }
    symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
    run('git', ['init', '-q'])
    commit()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('passes on what is committed', () => {
    const { status, lines } = check()

    expect([status, lines]).toEqual([0, [expect.stringMatching(/^schema: 11 files fresh/)]])
  })

  test.each(['keys.graphql', 'supergraph.graphql', 'api.graphql', 'operations.json'])(
    'names a stale %s',
    (name) => {
      edit(`schema/${name}`, (text) => `${text}\n`)

      const { status, lines } = check()

      restore(`schema/${name}`)
      expect(status).toBe(1)
      expect(lines).toEqual([`schema/${name}: is stale; run npm run schema and commit the result`])
    },
  )

  test.each(['schema/billing.graphql', 'schema/old/account.graphql'])(
    'names %s, which nothing generates',
    (file) => {
      mkdirSync(join(folder, 'schema/old'), { recursive: true })
      writeFileSync(join(folder, file), 'type Query { a: ID }\n')

      const { status, lines } = check()

      rmSync(join(folder, file))
      expect([status, lines]).toEqual([1, [`${file}: nothing generates it; delete it`]])
    },
  )

  test.each([
    ['asks for a field that is not there', (text: string) => text.replace('held', 'hold')],
    ['is no GraphQL', (text: string) => text.replace('{', '')],
    ['is not named like its file', (text: string) => text.replace('GetCredits', 'ReadCredits')],
    ['has no root field called result', (text: string) => text.replace('result:', 'credits:')],
    [
      'has members beside a result that has none',
      (text: string) => text.replace('result:', 'result: __typename credits:'),
    ],
  ])('names an operation that %s', (_, change) => {
    edit(operation, change)

    const { status, lines } = check()

    restore(operation)
    expect(status).toBe(1)
    expect(lines.some((line) => line.startsWith(`${operation}: `))).toBe(true)
  })

  test('names what would break a client, against HEAD or a given base, also as annotations', () => {
    edit('schema/api.graphql', (text) =>
      text.replace('type Account {', 'type Account {\n  extra: ID'),
    )
    commit()
    restore('schema/api.graphql')
    const message = "Field 'extra' was removed from object type 'Account'"

    expect(check()).toMatchObject({
      status: 1,
      lines: [`schema/api.graphql: breaking since HEAD: ${message}`],
    })
    expect(check('--format', 'github')).toMatchObject({
      status: 1,
      lines: [`::error file=schema/api.graphql::breaking since HEAD: ${message}`],
    })
    expect(check('--base', 'HEAD~1').status).toBe(0)
    expect(check('--base', 'nowhere')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('nowhere'),
    })
  })

  test('does not understand another format', () => {
    const { status, stderr } = check('--format', 'xml')

    expect([status, stderr]).toEqual([2, 'The format is text or github, not xml.\n'])
  })
})

describe('the route table', () => {
  test('runs only operations that there are', () => {
    const folder = join(projectRoot, 'schema/operations')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const names = files.map((file) => /([^/]+)\.graphql$/.exec(file)?.[1])

    for (const { operation: name } of routes) expect(names).toContain(name)
  })
})
