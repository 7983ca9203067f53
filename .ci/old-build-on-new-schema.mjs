// Checks that the previous build works on the schema of this one (subgraphs/README.md, "Schema
// changes"):
//   node .ci/old-build-on-new-schema.mjs [commit]
// It starts the older build and migrates the database with this build while the older one serves
// charged calls. Then it starts the older build again on the new schema and lets it check its books,
// and does the same with this build. The older build is by default the last release, else the start
// of this branch, else the previous commit.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const startPatienceMs = 120_000
/** A part of the demo account's limit of 25 calls a second. */
const pauseMs = 100
const price = '5'

const folder = mkdtempSync(join(tmpdir(), 'gateway-old-build-'))
const running = new Set()
try {
  await main()
} catch (error) {
  console.error(`failed: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  await Promise.all([...running].map(end))
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function main() {
  const commit = olderCommit(process.argv[2])
  if (!commit) {
    console.log('Nothing to compare with: this clone has no older commit (a shallow one has none).')
    return
  }
  console.log(`The older build is ${git('log', '-1', '--format=%h %s', commit)}`)
  const oldRoot = checkOut(commit)
  build(oldRoot)
  build(root)
  const variables = await environment()

  const old = await start(oldRoot, variables)
  await call(variables)
  const { applied } = await migrateBeneath(variables)
  console.log(`It served while this build applied: ${applied.join(', ') || 'nothing'}`)
  await stop(old)

  await checkOn(oldRoot, variables)
  console.log('It starts, charges and has exact books on the schema of this build.')
  await checkOn(root, variables)
  console.log('So has this build after it.')
}

/** The last release, else the start of this branch, else the previous commit. */
function olderCommit(wanted) {
  if (wanted) return git('rev-parse', '--verify', `${wanted}^{commit}`)
  const head = git('rev-parse', 'HEAD')
  const candidates = [
    ['describe', '--tags', '--abbrev=0', 'HEAD^'],
    ['merge-base', 'HEAD', 'origin/main'],
    ['rev-parse', '--verify', 'HEAD^'],
  ].map(gitIfPossible)
  return candidates.find((commit) => commit && commit !== head)
}

function git(...args) {
  return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim()
}

function gitIfPossible(args) {
  try {
    return execFileSync('git', ['-C', root, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

/** Builds the commit with the packages of its own lockfile. */
function checkOut(commit) {
  const oldRoot = join(folder, 'old')
  const archive = join(folder, 'old.tar')
  git('archive', '--format=tar', '--prefix=old/', `--output=${archive}`, commit)
  execFileSync('tar', ['-xf', archive, '-C', folder])
  const lockfileOf = (home) => readFileSync(join(home, 'package-lock.json'), 'utf8')
  if (lockfileOf(oldRoot) === lockfileOf(root)) {
    symlinkSync(join(root, 'node_modules'), join(oldRoot, 'node_modules'))
  } else {
    const args = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    execFileSync('npm', args, { cwd: oldRoot, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  return oldRoot
}

function build(home) {
  const tsc = join(home, 'node_modules', '.bin', 'tsc')
  execFileSync(process.execPath, [tsc, '-p', home], { stdio: ['ignore', 'inherit', 'inherit'] })
}

/** The embedded database, which both builds use one after the other. */
async function environment() {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    DATA_DIR: join(folder, 'data'),
    PORT: String(await freePort()),
    SANDBOX_PORT: '0',
    INTERNAL_PORT: '0',
    LOG_FORMAT: 'json',
    LOG_LEVEL: 'warn',
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

function gateway(home, args, env) {
  // Older builds have their command line in bin/.
  const builds = ['commands', 'bin'].map((name) =>
    join(home, 'dist', 'rest-facade', name, 'main.js'),
  )
  const main = builds.find((path) => existsSync(path)) ?? builds[0]
  const child = spawn(process.execPath, ['--enable-source-maps', main, ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

async function start(home, variables) {
  const child = gateway(home, ['start'], variables)
  const printed = collect(child.stdout)
  const deadline = Date.now() + startPatienceMs
  // Its last output is its addresses.
  while (!printed().includes(`:${variables.PORT}`)) {
    if (!running.has(child)) throw new Error(`${home} does not start: code ${child.exitCode}`)
    if (Date.now() > deadline) throw new Error(`${home} is not ready after ${startPatienceMs} ms`)
    await sleep(pauseMs)
  }
  return child
}

function collect(stream) {
  let text = ''
  stream.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  return () => text
}

/** Stops it with SIGTERM, because it must stop its database. */
async function end(child) {
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}

async function stop(child) {
  if (running.has(child)) await end(child)
  if (child.exitCode !== 0)
    throw new Error(`A gateway that was stopped ended with ${child.exitCode}`)
}

/** One charged call of the demo account. */
async function call({ PORT, DATA_DIR }) {
  const { live_key: key } = JSON.parse(readFileSync(join(DATA_DIR, 'demo.json'), 'utf8'))
  const answer = await fetch(`http://127.0.0.1:${PORT}/v1/contacts/reveal`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ contact_id: 'con_5f1e0c7a9b3d2e48' }),
  })
  const charged = answer.headers.get('x-credits-charged')
  if (answer.status === 200 && charged === price) return
  throw new Error(`A call answered ${answer.status}, charged ${charged}: ${await answer.text()}`)
}

/** Sends calls continuously; none may fail. */
async function migrateBeneath(variables) {
  let isDone = false
  const calls = (async () => {
    while (!isDone) {
      await call(variables)
      await sleep(pauseMs)
    }
    await call(variables)
  })()
  const migrated = run(root, ['migrate', '--json'], variables).finally(() => {
    isDone = true
  })
  const [result] = await Promise.all([migrated, calls])
  return result
}

/** Starts a build, charges a call, stops it and checks its books. */
async function checkOn(home, variables) {
  const child = await start(home, variables)
  await call(variables)
  await stop(child)
  const { drifts } = await run(home, ['ledger', 'verify', '--json'], variables)
  if (drifts.length > 0) throw new Error(`The books drift: ${JSON.stringify(drifts)}`)
}

async function run(home, args, variables) {
  const child = gateway(home, args, variables)
  const printed = collect(child.stdout)
  await once(child, 'close')
  if (child.exitCode !== 0) {
    throw new Error(`${args.join(' ')} of ${home} ended with ${child.exitCode}: ${printed()}`)
  }
  return JSON.parse(printed())
}
