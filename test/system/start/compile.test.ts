import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { scratchFolder } from '../../support/database/scratch-folder.ts'

/** Stands in for the builder of the console, which takes seconds: it notes each build. */
const builder = `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { fingerprint, stampName } from './stale.mjs'
mkdirSync('console/dist', { recursive: true })
writeFileSync('console/dist/' + stampName, fingerprint())
appendFileSync('console/dist/builds', 'built ')
`
const sourcesOfConsole = [
  ...['console/src/shell/main.tsx', 'console/public/icon.svg', 'console/index.html'],
  ...['console/vite.config.ts', 'console/package.json', 'console/browsers.ts'],
  ...['console/graphiql/page.ts', 'console/operator/src/shell/main.tsx', 'sdk/src/index.ts'],
  ...['rest-facade/pages/html/palette.ts', 'schema/vocabulary/billing/countries.ts'],
  ...['schema/catalog/scenario.ts'],
]

/**
 * A tree with what `npm start` needs, one source that tells how it was started, and the sources of a
 * console.
 */
function treeOf({ onTestFinished }: TestContext) {
  const folder = mkdtempSync(join(scratchFolder(), 'gateway-compile-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['package.json', 'tsconfig.json', 'tsconfig.emit.json']) {
    cpSync(join(projectRoot, name), join(folder, name))
  }
  const commands = join(folder, 'gateway', 'commands')
  for (const name of ['gateway/commands', 'rest-facade', 'schema', 'site', 'subgraphs', 'tools']) {
    mkdirSync(join(folder, name), { recursive: true })
  }
  for (const name of ['gateway.mjs', 'node-flags.json']) {
    cpSync(join(projectRoot, 'gateway', 'commands', name), join(commands, name))
  }
  for (const name of sourcesOfConsole) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), 'export {}\n')
  }
  cpSync(join(projectRoot, 'console', 'stale.mjs'), join(folder, 'console', 'stale.mjs'))
  writeFileSync(join(folder, 'console', 'build.mjs'), builder)
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  const source = join(commands, 'main.ts')
  const says = (text: string) =>
    writeFileSync(source, `console.log('${text}', JSON.stringify(process.execArgv))\n`)
  says('first')

  function start() {
    const { PATH = '' } = process.env
    const env = { PATH, NODE_COMPILE_CACHE: join(folder, 'cache') }
    const args = ['run', '--silent', 'start']
    const { status, stdout, stderr } = spawnSync('npm', args, {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    return { status, stdout: stdout.trim(), stderr }
  }
  const compiled = join(folder, 'dist', 'gateway', 'commands', 'main.js')
  const builds = () => readFileSync(join(folder, 'console', 'dist', 'builds'), 'utf8')
  return { folder, source, compiled, builds, says, start }
}

describe('npm start', () => {
  test('compiles a changed source and builds a changed console, and nothing when none has changed', (context) => {
    const { folder, compiled, builds, says, start } = treeOf(context)
    expect(start()).toMatchObject({
      ...{ status: 0, stdout: expect.stringMatching(/^first /) },
      stderr: expect.stringMatching(/^The gateway is compiled\.\nThe console is built\. /),
    })
    const first = statSync(compiled, { bigint: true }).mtimeNs

    const second = start()
    expect(second).toMatchObject({ status: 0, stdout: expect.stringMatching(/^first /) })
    expect(second.stderr).not.toMatch(/compiled|built/)
    expect(statSync(compiled, { bigint: true }).mtimeNs).toBe(first)
    expect(builds()).toBe('built ')

    writeFileSync(join(folder, 'console', 'src', 'shell', 'main.tsx'), '// changed')
    expect(start()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^first /) })
    expect(statSync(compiled, { bigint: true }).mtimeNs).toBe(first)
    expect(builds()).toBe('built built ')

    says('changed')
    expect(start()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^changed /) })

    writeFileSync(join(folder, 'schema', 'more.ts'), 'export const more = 1\n')
    start()
    expect(readFileSync(join(folder, 'dist', 'schema', 'more.js'), 'utf8')).toContain('more = 1')
  })

  test('stops at a source that is no TypeScript, and compiles it again the next time', (context) => {
    const { source, compiled, says, start } = treeOf(context)
    writeFileSync(source, 'const const = 1\n')
    expect(start().status).toBe(1)
    expect(start().status).toBe(1)
    says('repaired')
    expect(start()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^repaired /) })
    expect(existsSync(compiled)).toBe(true)
  })
})
