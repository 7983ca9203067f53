// Checks that the previous build works beside this one, and on its schema (subgraphs/README.md,
// "Schema changes"):
//   node .ci/old-build-on-new-schema.mjs [--compiled] [--rows=1000000] [commit]
// The older build charges calls while this build migrates its database. It is started once more on the
// new schema, beside a process of this build, and both charge the same accounts at once, with and
// without idempotency keys. Then the books are compared with what the clients saw.
// `--compiled`: dist/ has this build already. `npm run test:all` runs this too.
// `--rows`: the ledger and the usage log have so many rows each before this build migrates, up to 200 calls
// a second are charged meanwhile, and the longest wait of a gateway's session for a lock is printed: more than
// a second fails.
// The planted rows have no hashes and are in no sums, so the books are not verified then.
import { execFileSync, spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

/**
 * The first step of the release that is under way. Without a tag, the older build is the newest commit
 * before it.
 */
const firstStep = 'subgraphs/account/migrations/0015-charge-columns.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const startPatienceMs = 240_000
const price = 5
/** The credits of an account that is meant to run out, and of one that is not. */
const [fewCredits, manyCredits] = [40 * price, 100_000]
const clients = 8
/** While this build migrates. More would only keep it from the processor. */
const callsPerSecond = 100
/** The same beside many rows. */
const callsPerSecondOfMany = 200
const longestWaitMs = 1000
/** Of the gateway's sessions. A step may wait for longer where nobody waits behind it, as for old snapshots. */
const longestWait = `
  SELECT (extract(epoch FROM clock_timestamp() - waitstart) * 1000)::int AS ms, left(query, 200) AS query
  FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE NOT granted AND locktype <> 'advisory' AND usename = $1
  ORDER BY ms DESC NULLS LAST LIMIT 1`
/** Node 24 may hang when it exits while V8 compiles in the background (nodejs/node#54918). */
const nodeOptions = ['--enable-source-maps', '--no-maglev', '--no-concurrent-sparkplug']

const args = process.argv.slice(2)
const isCompiled = args.includes('--compiled')
const rows = Number(args.find((arg) => arg.startsWith('--rows='))?.slice('--rows='.length) ?? 0)
const wanted = args.find((arg) => !arg.startsWith('--'))

const folder = mkdtempSync(join(tmpdir(), 'gateway-old-build-'))
const running = new Set()
const closing = []
// However it ends, nothing outlives it.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
try {
  await main()
} catch (error) {
  console.error(`failed: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  await Promise.all([...running].map(end))
  for (const close of closing.reverse()) await close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function main() {
  const commit = olderCommit()
  if (!commit) {
    console.log('skipped: this clone has no commit of an older build (a shallow one has none).')
    return
  }
  console.log(`The older build is ${git('log', '-1', '--format=%h %s', commit)}`)
  const oldRoot = checkOut(commit)
  build(oldRoot)
  if (!isCompiled) build(root)
  const { variables, superuserUrl } = await environment()
  await run(oldRoot, ['migrate', '--json'], variables)

  const before = await start(oldRoot, variables)
  const open = await accountOpener(before, variables)
  const [one, other, poor] = [
    await open(manyCredits),
    await open(manyCredits),
    await open(fewCredits),
  ]
  if (rows > 0) {
    const accounts = await Promise.all(Array(6).fill(manyCredits).map(open))
    return migrateRows(before, accounts, { variables, superuserUrl })
  }
  const { applied } = await migrateBeneath(before, [one, other], variables)
  console.log(`It charged calls while this build applied: ${applied.join(', ')}`)
  await stop(before)

  const both = await Promise.all([start(oldRoot, variables), start(root, variables)])
  await chargeBeside(both, [one, other])
  await replayBeside(both, one)
  await exhaust(both, poor)
  for (const account of [one, other, poor]) await compareBalance(both, account)
  console.log('It starts on the schema of this build, and charges the same accounts beside it.')
  await Promise.all(both.map(stop))

  await Promise.all([
    verify(oldRoot, ['ledger', 'verify'], variables),
    verify(root, ['ledger', 'verify'], variables),
    verify(root, ['usage', 'verify'], variables),
  ])
  console.log('No ledger, balance, usage log or sum has a drift.')
}

function olderCommit() {
  if (wanted) return git('rev-parse', '--verify', `${wanted}^{commit}`)
  const release = gitIfPossible('describe', '--tags', '--abbrev=0', 'HEAD^')
  if (release) return release
  const added = gitIfPossible('log', '--diff-filter=A', '--format=%H', '--', firstStep)
  const [first] = added.split('\n').reverse()
  return first && gitIfPossible('rev-parse', '--verify', '--quiet', `${first}^`)
}

function git(...words) {
  return execFileSync('git', ['-C', root, ...words], { encoding: 'utf8' }).trim()
}

function gitIfPossible(...words) {
  try {
    return execFileSync('git', ['-C', root, ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

/**
 * With the packages of this build, where it has all that the older one names, those of the database in the same
 * versions: installing others takes a minute.
 */
function checkOut(commit) {
  const oldRoot = join(folder, 'old')
  const archive = join(folder, 'old.tar')
  git('archive', '--format=tar', '--prefix=old/', `--output=${archive}`, commit)
  execFileSync('tar', ['-xf', archive, '-C', folder])
  const ours = new Set(packagesOf(root))
  if (packagesOf(oldRoot).every((name) => ours.has(name))) {
    symlinkSync(join(root, 'node_modules'), join(oldRoot, 'node_modules'))
  } else {
    const install = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    execFileSync('npm', install, { cwd: oldRoot, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  return oldRoot
}

function packagesOf(home) {
  const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  return Object.entries(dependencies).map(([name, version]) =>
    /^(pg|pg-boss|@mikro-orm\/.+)$/.test(name) ? `${name}@${version}` : name,
  )
}

/** Types are for `npm run check`. The older build needs no tests, and may not know how to leave them out. */
function build(home) {
  const tsc = join(home, 'node_modules', '.bin', 'tsc')
  const settings = join(home, 'tsconfig.emit.json')
  if (!existsSync(settings)) copyFileSync(join(root, 'tsconfig.emit.json'), settings)
  const words = home === root ? [tsc, '-p', root, '--noCheck'] : [tsc, '-p', settings]
  execFileSync(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit'] })
}

/** A database server, a backend module, and the variables that tell both builds of them. */
async function environment() {
  const { startEmbeddedPostgres } = await import(
    join(root, 'dist', 'rest-facade', 'embedded-postgres', 'embedded-postgres.js')
  )
  const postgres = await startEmbeddedPostgres(folder)
  closing.push(() => postgres.stop())
  const backend = createHttpServer((req, res) => {
    req.resume().on('end', () => {
      res.setHeader('content-type', 'application/json').end('{"contact_id":"con_1"}')
    })
  })
  // Longer than any pause of a gateway, so that none sends into a connection that ends.
  backend.keepAliveTimeout = 600_000
  await once(backend.listen(0, '127.0.0.1'), 'listening')
  closing.push(async () => {
    backend.closeAllConnections()
    backend.close()
  })
  const variables = {
    PATH: process.env.PATH,
    HOME: folder,
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node-compile-cache'),
    // A loaded machine may be slow without failing a call.
    DATABASE_URL: `${postgres.workerUrl}${postgres.workerUrl.includes('?') ? '&' : '?'}connect_timeout=15`,
    DATABASE_TIMEOUT_MS: '30000',
    MIGRATE_DATABASE_URL: postgres.ownerUrl,
    GATEWAY_SECRET: randomUUID() + randomUUID(),
    PAYMENTS: 'simulated',
    BACKEND_CONTACT_FINDER_URL: `http://127.0.0.1:${backend.address().port}`,
    SANDBOX_PORT: '0',
    INTERNAL_PORT: '0',
    LOG_FORMAT: 'json',
    LOG_LEVEL: 'warn',
  }
  return { variables, superuserUrl: postgres.superuserUrl }
}

/** Below the ports that the system chooses itself, so that no other process gets it meanwhile. */
async function freePort() {
  const server = createServer().listen(randomInt(20_000, 32_000), '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

function launch(home, words, env) {
  const main = join(home, 'dist', 'rest-facade', 'commands', 'main.js')
  const child = spawn(process.execPath, [...nodeOptions, main, ...words], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

async function start(home, variables) {
  const port = await freePort()
  const child = launch(home, ['start'], { ...variables, PORT: String(port) })
  const printed = collect(child.stdout)
  const deadline = Date.now() + startPatienceMs
  // Its last output is its addresses.
  const internal = () => /Internal GraphQL +(\S+)\n/.exec(printed())
  while (!internal()) {
    if (!running.has(child)) throw new Error(`${home} does not start: code ${child.exitCode}`)
    if (Date.now() > deadline) throw new Error(`${home} is not ready after ${startPatienceMs} ms`)
    await sleep(50)
  }
  return { child, url: `http://127.0.0.1:${port}`, internalUrl: internal()[1] }
}

function collect(stream) {
  let text = ''
  stream.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  return () => text
}

async function end(child) {
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}

async function stop({ child }) {
  if (running.has(child)) await end(child)
  if (child.exitCode !== 0) throw new Error(`A stopped gateway ended with ${child.exitCode}`)
}

async function run(home, words, variables) {
  const child = launch(home, words, variables)
  const printed = collect(child.stdout)
  await once(child, 'close')
  if (child.exitCode !== 0) {
    throw new Error(`${words.join(' ')} of ${home} ended with ${child.exitCode}: ${printed()}`)
  }
  return JSON.parse(printed())
}

/** Opens accounts by way of a running gateway. */
async function accountOpener({ internalUrl }, { GATEWAY_SECRET }) {
  const compiled = (...path) => import(join(root, 'dist', ...path))
  const { mintInternalToken } = await compiled('rest-facade', 'internal', 'internal-token.js')
  const { deriveKey } = await compiled('schema', 'credentials', 'secrets.js')
  const { token } = await mintInternalToken(
    deriveKey(GATEWAY_SECRET, 'internal-token'),
    'admin',
    60,
  )
  const query = `mutation ($input: CreateAccountInput!) {
    createAccount(input: $input) { liveKey }
  }`
  return async (credits) => {
    const plan = { tier: 'SCALE', subscriptionTier: 'enterprise_sub' }
    const input = { name: 'Test', email: 'test@example.com', credits, ...plan }
    const answer = await fetch(internalUrl, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { input } }),
    })
    const { data, errors } = await answer.json()
    if (errors) throw new Error(JSON.stringify(errors))
    return { key: data.createAccount.liveKey, credits, charged: 0 }
  }
}

/** Again while the limit of a second is used up. */
async function ask(gateway, account, idempotencyKey) {
  for (;;) {
    const answer = await fetch(`${gateway.url}/v1/contacts/reveal`, {
      method: 'POST',
      headers: {
        ...headersOf(account),
        'content-type': 'application/json',
        ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
      },
      body: JSON.stringify({ contact_id: 'con_5f1e0c7a9b3d2e48' }),
    })
    if (answer.status !== 429) return answer
    await answer.body.cancel()
    await sleep(100)
  }
}

function headersOf({ key }) {
  return { authorization: `Bearer ${key}` }
}

/** One call. Counts the credits that the client was charged; a replay charges nothing. */
async function call(gateway, account, { idempotencyKey, allowed = [200] } = {}) {
  const answer = await ask(gateway, account, idempotencyKey)
  const text = await answer.text()
  const { status, headers } = answer
  const isCharged = status === 200 && headers.get('idempotent-replayed') !== 'true'
  const charged = Number(headers.get('x-credits-charged') ?? 0)
  if (!allowed.includes(status) || (isCharged && charged !== price)) {
    throw new Error(`A call answered ${status}, charged ${charged}: ${text}`)
  }
  if (isCharged) account.charged += price
  return { status, isCharged }
}

/** Clients that work at once; each gets its turns one after the other. */
async function atOnce(turnOf, isDone) {
  let turn = 0
  const work = async () => {
    while (!isDone(turn)) await turnOf(turn++)
  }
  await Promise.all(Array.from({ length: clients }, work))
}

/** Every second call has an idempotency key of its own. */
function keyOf(turn) {
  return turn % 2 === 0 ? { idempotencyKey: randomUUID() } : {}
}

/** Waits until a turn is due, by its number. */
function paced(perSecond) {
  const startedMs = performance.now()
  return async (turn) => {
    const earlyMs = startedMs + (turn * 1000) / perSecond - performance.now()
    if (earlyMs > 0) await sleep(earlyMs)
  }
}

/** None of the calls may fail, before, while and after this build migrates. */
async function migrateBeneath(old, accounts, variables, due = paced(callsPerSecond)) {
  let last = Number.POSITIVE_INFINITY
  let turns = 0
  const calls = atOnce(
    async (turn) => {
      turns = turn
      await due(turn)
      await call(old, accounts[turn % accounts.length], keyOf(turn))
    },
    (turn) => turn >= last,
  )
  const migrated = run(root, ['migrate', '--json'], variables).finally(() => {
    last = turns + 100
  })
  const [result] = await Promise.all([migrated, calls])
  if (result.applied.length === 0) throw new Error('There was nothing to migrate.')
  return result
}

/** The same beside many rows: no statement of a gateway waits long for a lock. */
async function migrateRows(old, accounts, { variables, superuserUrl }) {
  await plantRows(await connect(variables.MIGRATE_DATABASE_URL), variables)
  // Only a superuser sees the statements of others.
  const client = await connect(superuserUrl)
  const { username } = new URL(variables.DATABASE_URL)
  const startedMs = performance.now()
  const wait = paced(callsPerSecondOfMany)
  let [longest, calls, isOver] = [{ ms: 0 }, 0, false]
  const watch = async () => {
    while (!isOver) {
      const { rows: found } = await client.query(longestWait, [username])
      if (found[0]?.ms > longest.ms) longest = found[0]
      await sleep(20)
    }
  }
  const watched = watch()
  const due = async (turn) => {
    await wait(turn)
    calls = turn
  }
  const { applied } = await migrateBeneath(old, accounts, variables, due).finally(async () => {
    isOver = true
    await watched
  })
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  const rate = Math.round(calls / seconds)
  console.log(`${applied.length} steps beside ${rows} rows each, in ${seconds} s.`)
  console.log(`All of ${calls} calls (${rate}/s) were charged.`)
  console.log(`The longest wait of a session for a lock took ${longest.ms} ms.`)
  if (longest.ms > longestWaitMs)
    throw new Error(`This waited for ${longest.ms} ms: ${longest.query}`)
}

async function connect(connectionString) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  closing.push(() => client.end())
  return client
}

async function plantRows(client, { MIGRATE_DATABASE_URL: ownerUrl }) {
  await client.query(`SET gateway.account_id = '*'`)
  await client.query(
    `INSERT INTO account.ledger_entry (account_id, environment, seq, id, kind, credits, balance_after,
       description, ref, request, created_at)
     SELECT 'acct_' || n % 1000, 'live', 1 + n / 1000, 'led_' || n, 'charge', -5, 5, '/v1/contacts/reveal',
       'req_' || lpad(n::text, 26, '0'), jsonb_build_object('endpoint', '/v1/contacts/reveal',
         'processId', 'proc_1', 'ts', now(), 'method', 'POST', 'route', '/v1/contacts/reveal',
         'service', 'contacts', 'traceId', md5(n::text), 'backendModule', 'contact-finder',
         'keyId', 'key_1'), now() - make_interval(secs => $1::int - n)
     FROM generate_series(0, $1::int - 1) AS n`,
    [rows],
  )
  // `--compiled` may leave out the tests.
  const { fillUsageLog } = await import(join(root, 'test', 'support', 'database', 'usage-rows.ts'))
  await fillUsageLog({ ownerUrl, accountId: 'acct_1', rows, months: 3 })
}

/** Both charge the same account, and each another one. */
async function chargeBeside(gateways, accounts) {
  await atOnce(
    async (turn) => {
      const side = turn % 2
      const account = turn % 3 === 0 ? accounts[side] : accounts[0]
      await call(gateways[side], account, keyOf(turn >> 1))
    },
    (turn) => turn >= 400,
  )
}

/** One request to both at once is charged once, by the first of them; later each replays the answer. */
async function replayBeside(gateways, account) {
  await atOnce(
    async () => {
      const idempotencyKey = randomUUID()
      const first = await Promise.all(
        gateways.map((gateway) => call(gateway, account, { idempotencyKey, allowed: [200, 409] })),
      )
      const later = await Promise.all(
        gateways.map((gateway) => call(gateway, account, { idempotencyKey })),
      )
      const charges = [...first, ...later].filter(({ isCharged }) => isCharged).length
      if (charges !== 1) throw new Error(`One idempotency key was charged ${charges} times.`)
    },
    (turn) => turn >= 30,
  )
}

/** Together they charge what the balance covers, and no call more. */
async function exhaust(gateways, account) {
  await atOnce(
    (turn) => call(gateways[turn % 2], account, { ...keyOf(turn >> 1), allowed: [200, 402] }),
    (turn) => turn >= 100,
  )
  if (account.charged !== account.credits) {
    throw new Error(`Of ${account.credits} credits, ${account.charged} were charged.`)
  }
}

async function compareBalance(gateways, account) {
  for (const { url } of gateways) {
    const answer = await fetch(`${url}/v1/account/credits`, { headers: headersOf(account) })
    const { balance, held } = await answer.json()
    if (answer.status === 200 && balance === account.credits - account.charged && held === 0)
      continue
    const found = `${answer.status}, balance ${balance}, held ${held}`
    throw new Error(`${found}: the account was charged ${account.charged} of ${account.credits}`)
  }
}

/** Everything is in the usage log: its processes have stopped. */
async function verify(home, words, variables) {
  const { drifts } = await run(home, [...words, '--json'], variables)
  if (drifts.length === 0) return
  throw new Error(`${words.join(' ')} of ${home} finds ${JSON.stringify(drifts)}`)
}
