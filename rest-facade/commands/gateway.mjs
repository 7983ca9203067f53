#!/usr/bin/env node
// `npx gateway …`: runs the compiled command line with the Node of this project, compiling first when needed.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bin = join(root, 'node_modules', '.bin')
const main = join(root, 'dist', 'rest-facade', 'commands', 'main.js')
const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }

if (!existsSync(main)) {
  const { status } = spawnSync(join(bin, 'tsc'), ['-p', root], { stdio: 'inherit', env })
  if (status !== 0) process.exit(1)
}
const args = ['--enable-source-maps', '--max-semi-space-size=16', main, ...process.argv.slice(2)]
const { status, signal } = spawnSync('node', args, { stdio: 'inherit', env })
process.exit(signal ? 1 : status)
