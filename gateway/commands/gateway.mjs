#!/usr/bin/env node
// Runs the compiled command line, with the Node of this project and with its flags. In a tree of sources it
// compiles first, if a source has changed since.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bin = join(root, 'node_modules', '.bin')
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const settings = join(root, 'tsconfig.emit.json')
const main = join(root, 'dist', 'gateway', 'commands', 'main.js')
/** Holds the fingerprint of the sources that were compiled last. */
const stamp = join(root, 'dist', '.compiled')

const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
// V8's compiled code is kept for the next start, unless the folder cannot be written.
env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'gateway')
// glibc keeps what was freed in an arena for each thread; two arenas keep less.
env.MALLOC_ARENA_MAX ??= '2'
// Larger pieces of memory, such as large bodies, go back to the system as soon as they are freed.
env.MALLOC_MMAP_THRESHOLD_ ??= '131072'
// This file runs with any Node since 20, the command line only with that of the project.
const ownNode = join(bin, process.platform === 'win32' ? 'node.cmd' : 'node')
const node = existsSync(ownNode) ? ownNode : process.execPath

if (existsSync(settings)) compileIfChanged()
if (['start', 'distributed'].includes(process.argv[2] ?? '')) await buildConsoleIfChanged()
run(node, [...flags(), main, ...process.argv.slice(2)])

function compileIfChanged() {
  const now = fingerprint()
  const isCompiled = existsSync(main)
  if (isCompiled && existsSync(stamp) && readFileSync(stamp, 'utf8') === now) return
  if (isCompiled && !(existsSync(tsc) && mayWrite())) {
    process.stderr.write(
      'The sources cannot be compiled here: the program runs as it was compiled.\n',
    )
    return
  }
  process.stderr.write('The gateway is compiled.\n')
  // If this file stayed, the compiler of the tests would take the compiled files for its own.
  rmSync(join(root, 'dist', '.tsbuildinfo'), { force: true })
  const { status, error } = spawnSync(node, [tsc, '-p', settings], { stdio: 'inherit', env })
  if (error) process.stderr.write(`${error.message}\n`)
  if (status !== 0) process.exit(1)
  writeFileSync(stamp, now)
}

/** The gateway starts without its console where that cannot be built. */
async function buildConsoleIfChanged() {
  if (process.env.CONSOLE === 'off' || !(await isConsoleStale())) return
  process.stderr.write('The console is built. This takes longer than all else.\n')
  const build = join(root, 'console', 'build.mjs')
  spawnSync(node, [build, '--leniently'], { stdio: 'inherit', env })
}

/**
 * Whether the console must be built. This is asked here, because the builder needs a process with the Node of
 * this project, and most starts need no builder.
 */
async function isConsoleStale() {
  const check = join(root, 'console', 'stale.mjs')
  if (!existsSync(check)) return false
  try {
    return (await import(pathToFileURL(check).href)).isConsoleStale()
  } catch {
    // The builder says what is wrong with the sources.
    return true
  }
}

function mayWrite() {
  try {
    for (const path of [join(root, 'dist'), main]) accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Path, size and time of change of everything that the compiled program depends on. */
function fingerprint() {
  const hash = createHash('sha256')
  const sources = ['gateway', 'rest-facade', 'schema', 'site', 'subgraphs', 'tools'].flatMap(
    (folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(folder, name)),
  )
  sources.sort((a, b) => (a < b ? -1 : 1))
  for (const name of ['tsconfig.json', 'tsconfig.emit.json', 'package.json', ...sources]) {
    const { size, mtimeMs } = statSync(join(root, name))
    hash.update(`${name} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

function flags() {
  return JSON.parse(readFileSync(new URL('node-flags.json', import.meta.url), 'utf8'))
}

/**
 * Replaces this process by the program where the system can do that, so that signals reach the program
 * itself.
 */
function run(program, args) {
  if (process.platform !== 'win32') process.execve?.(program, [program, ...args], env)
  const { status, signal } = spawnSync(program, args, { stdio: 'inherit', env })
  process.exit(signal ? 1 : status)
}
