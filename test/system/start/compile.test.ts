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
import { join } from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { scratchFolder } from '../../support/database/scratch-folder.ts'

/** A tree with what `npm start` needs, and one source that tells how it was started. */
function treeOf({ onTestFinished }: TestContext) {
  const folder = mkdtempSync(join(scratchFolder(), 'gateway-compile-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['package.json', 'tsconfig.json', 'tsconfig.emit.json']) {
    cpSync(join(projectRoot, name), join(folder, name))
  }
  const commands = join(folder, 'rest-facade', 'commands')
  for (const path of [commands, join(folder, 'schema'), join(folder, 'subgraphs')]) {
    mkdirSync(path, { recursive: true })
  }
  for (const name of ['gateway.mjs', 'node-flags.json']) {
    cpSync(join(projectRoot, 'rest-facade', 'commands', name), join(commands, name))
  }
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
  const compiled = join(folder, 'dist', 'rest-facade', 'commands', 'main.js')
  return { folder, source, compiled, says, start }
}

describe('npm start', () => {
  test('compiles a changed source, and nothing when none has changed', (context) => {
    const { folder, compiled, says, start } = treeOf(context)
    expect(start()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^first /) })
    const first = statSync(compiled, { bigint: true }).mtimeNs

    expect(start()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^first /) })
    expect(statSync(compiled, { bigint: true }).mtimeNs).toBe(first)

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
