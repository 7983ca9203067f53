import { existsSync } from 'node:fs'
import { loadEnvFile } from 'node:process'
import { inspect } from 'node:util'
import { Argument, Command, CommanderError, Option } from 'commander'
import { internalRoles } from '../../schema/credentials/caller.ts'
import { personRoles } from '../../schema/vocabulary/roles.ts'
import type { Config } from '../config/config.ts'
import { commandRole, roleNames } from '../config/role-names.ts'
import {
  durationSeconds,
  instant,
  list,
  personName,
  personRole,
  signedNumber,
  wholeNumber,
} from './arguments.ts'
import { isExplained } from './explained-errors.ts'

const usageExitCode = 2
const tiers = ['STARTER', 'GROWTH', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE', 'SCALE']
const subscriptionTiers = ['pro_sub', 'business_sub', 'enterprise_sub']

if (existsSync('.env')) loadEnvFile('.env')

/**
 * The commands, which are loaded when they run, so that --help needs neither an environment nor the
 * whole gateway.
 */
const load = {
  accounts: () => import('./admin/account-commands.ts'),
  credits: () => import('./admin/credit-commands.ts'),
  payments: () => import('./admin/payment-commands.ts'),
  verification: () => import('./admin/verify-commands.ts'),
  jobs: () => import('./admin/job-commands.ts'),
  apiKeys: () => import('./admin/key-commands.ts'),
  portal: () => import('./admin/portal-command.ts'),
  operators: () => import('./admin/operator-commands.ts'),
  signingKeys: () => import('./admin/signing-key-command.ts'),
  tokens: () => import('./admin/token-commands.ts'),
  migration: () => import('./admin/migrate-command.ts'),
  digests: () => import('./admin/digest-commands.ts'),
}

async function config(role = commandRole): Promise<Config> {
  const modules = await modulesFor(role)
  const { ConfigError, readConfig } = await import('../config/config.ts')
  try {
    return readConfig(process.env, modules, role)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { withDatabaseReasons } = await import('../config/database-reasons.ts')
    throw await withDatabaseReasons(error)
  }
}

/**
 * The names of modules that a role may call. A role that serves product operations checks the whole catalog.
 * A command checks no catalog, because that would take longer than most commands; it reads only the names, to
 * check the addresses of modules.
 */
async function modulesFor(role: string): Promise<readonly string[]> {
  if (role === commandRole) {
    const hasAddresses = Object.keys(process.env).some((name) => /^BACKEND_.+_URL$/.test(name))
    if (!hasAddresses) return []
    return (await import('../../schema/catalog/backend-modules.ts')).backendModules()
  }
  const { loadCatalog } = await import('../../schema/catalog/load-catalog.ts')
  return loadCatalog().services.map(({ backendModule }) => backendModule)
}

const json = () => new Option('--json', 'print JSON instead of text')

const reason = () => new Option('--reason <text>', 'kept in the audit trail').makeOptionMandatory()
const by = () =>
  new Option('--by <name>', 'your name in the audit trail (default: cli)').argParser(personName)
const idempotencyKey = () =>
  new Option('--idempotency-key <key>', 'a repetition with this key acts once (default: a new one)')

/** The command that runs. */
let running: Command | undefined

const program = new Command('gateway')
  .description('A credit-metered API gateway.')
  .exitOverride()
  .hook('preAction', (_, action) => {
    running = action
  })

program
  .command('start')
  .description('run the gateway until SIGINT or SIGTERM')
  .addArgument(new Argument('[role]', 'the role of this process').choices(roleNames).default('all'))
  .action(async (role) => (await import('./start-command.ts')).runStart(await config(role), role))

program
  .command('distributed')
  .description('run every role as its own process, on this machine')
  .action(async () =>
    (await import('../processes/distributed/distributed.ts')).runDistributed(await config('all')),
  )

program
  .command('doctor')
  .description('list configured, missing and unsafe settings; exit code 1 when there is a problem')
  .addArgument(
    new Argument('[role]', 'the role that the variables are for').choices(roleNames).default('all'),
  )
  .addOption(json())
  .addHelpText(
    'after',
    `
The command changes nothing and starts nothing. A gateway may run at the same time. The command asks
databases, Redis, subgraphs, backend modules, Stripe, the mail server, the buckets, the
issuer of operators and a gateway that runs, and waits two seconds for each answer. It prints no secret.

Each line begins with unsafe, wrong, missing, note or ok; the first three make the exit code 1. The
last line is the status: unsafe (the gateway could do harm), missing (something is missing, wrong or
does not answer), or fine.

Run it in the environment of the role:
  kubectl --namespace credit-gateway exec deployment/account -- gateway doctor account
  docker compose run --rm account doctor account`,
  )
  .action(async (role, options) => {
    const { runDoctor } = await import('./doctor/doctor.ts')
    await runDoctor(role, options)
  })

program
  .command('migrate')
  .description('migrate the database, as the role that owns it; a gateway may run at the same time')
  .option('--check', 'only list the pending steps; exit code 1 when there are any')
  .addOption(json())
  .action(async (options) => (await load.migration()).runMigrate(await config(), options))

const account = program.command('account').description('accounts and their first keys')
account
  .command('create')
  .description('open an account and show its keys, only this once')
  .requiredOption('--name <name>', 'display name')
  .requiredOption('--email <email>', 'the address of the account holder')
  .addOption(new Option('--tier <tier>', 'credit pack').choices(tiers).default('STARTER'))
  .addOption(
    new Option('--subscription-tier <tier>', 'a subscription beside the credit pack').choices(
      subscriptionTiers,
    ),
  )
  .option('--credits <credits>', 'the starting balance', wholeNumber, 0)
  .option('--owner <email>', 'the address of the first OWNER, who is invited')
  .addOption(by())
  .addOption(json())
  .action(async (options) => (await load.accounts()).createAccount(await config(), options))
account
  .command('list')
  .description('list accounts, newest first')
  .option('--search <text>', 'a part of the name or email, or an id')
  .option('--limit <count>', 'how many', wholeNumber, 50)
  .addOption(json())
  .action(async (options) => (await load.accounts()).listAccounts(await config(), options))
account
  .command('show')
  .description('show one account and its keys')
  .argument('<id>', 'acct_…')
  .addOption(json())
  .action(async (id, options) => (await load.accounts()).showAccount(await config(), id, options))

account
  .command('invite')
  .description('invite a person to an account, such as its first OWNER')
  .argument('<id>', 'acct_…')
  .argument('<email>', 'the mail address')
  .addOption(
    new Option('--role <role>', `what the member may do: ${personRoles.join(', ')}`)
      .argParser(personRole)
      .default('OWNER'),
  )
  .addOption(reason())
  .addOption(by())
  .addOption(idempotencyKey())
  .addOption(json())
  .action(async (id, email, options) =>
    (await load.accounts()).inviteToAccount(await config(), id, email, options),
  )

account
  .command('find')
  .description('find accounts by exactly what is known of one')
  .argument(
    '<text>',
    'the id, the mail address of the holder or a member, a key as lists show it (svc_live_…a1B2), or an external id',
  )
  .addOption(json())
  .action(async (text, options) =>
    (await load.accounts()).findAccounts(await config(), text, options),
  )
for (const [name, status, description] of [
  [
    'suspend',
    'SUSPENDED',
    'refuse all keys, tokens and sessions of an account until it is resumed',
  ],
  ['resume', 'ACTIVE', 'accept the keys, tokens and sessions of an account again'],
  ['close', 'CLOSED', 'refuse all keys of an account, and revoke what it has granted to apps'],
] as const) {
  account
    .command(name)
    .description(description)
    .argument('<id>', 'acct_…')
    .addOption(reason())
    .addOption(by())
    .addOption(idempotencyKey())
    .addOption(json())
    .action(async (id, options) =>
      (await load.accounts()).changeAccount(await config(), id, { status }, options),
    )
}
account
  .command('set-tier')
  .description('change the credit-pack tier of an account')
  .argument('<id>', 'acct_…')
  .addArgument(new Argument('<tier>', 'the credit-pack tier').choices(tiers))
  .addOption(reason())
  .addOption(by())
  .addOption(idempotencyKey())
  .addOption(json())
  .action(async (id, tier, options) =>
    (await load.accounts()).changeAccount(await config(), id, { tier }, options),
  )

account
  .command('reset-passkeys')
  .description('remove all passkeys of a person who has lost them, after 24 hours')
  .argument('<email>', 'the mail address, or the id of a member, mem_…')
  .requiredOption('--reason <text>', 'mailed to the person and the OWNERs, and kept')
  .addOption(by())
  .addOption(idempotencyKey())
  .addOption(json())
  .action(async (email, options) =>
    (await load.accounts()).resetPasskeys(await config(), email, options),
  )

const credits = program.command('credits').description('the credit ledger')
credits
  .command('grant')
  .description('give credits to an account, once for each idempotency key')
  .requiredOption('--account <id>', 'acct_…')
  .requiredOption('--credits <credits>', 'how many', wholeNumber)
  .requiredOption('--reason <text>', 'shown in the ledger')
  .requiredOption('--idempotency-key <key>', 'makes a repetition harmless')
  .option(
    '--expires-at <instant>',
    'a date, whose end in UTC is meant, or an instant in ISO 8601; the unused rest expires then',
    instant,
  )
  .option('--priority <number>', 'for credits that expire; 0 is used before 100', wholeNumber)
  .addOption(by())
  .addOption(json())
  .action(async (options) => (await load.credits()).grantCredits(await config(), options))
credits
  .command('adjust')
  .description('correct a balance, up or down, once for each idempotency key')
  .requiredOption('--account <id>', 'acct_…')
  .requiredOption('--credits <credits>', 'signed', signedNumber)
  .requiredOption('--reason <text>', 'shown in the ledger')
  .requiredOption('--idempotency-key <key>', 'makes a repetition harmless')
  .option('--allow-negative', 'may take held credits, and take the balance below 0')
  .addOption(by())
  .addOption(json())
  .action(async (options) => (await load.credits()).adjustCredits(await config(), options))
credits
  .command('refund')
  .description('refund a charge, once')
  .requiredOption('--account <id>', 'acct_…')
  .requiredOption('--request <id>', 'req_…: the charged request')
  .requiredOption('--reason <text>', 'shown in the ledger')
  .requiredOption('--idempotency-key <key>', 'makes a repetition harmless')
  .addOption(by())
  .addOption(json())
  .action(async (options) => (await load.credits()).refundCharge(await config(), options))

const payments = program.command('payments').description('payments of accounts')
payments
  .command('refund')
  .description(
    'return the money of a payment, or a part; credits follow when the provider confirms',
  )
  .argument('<payment>', 'pay_…')
  .option('--cents <cents>', 'how much, tax included; by default all that is left', wholeNumber)
  .requiredOption('--reason <text>', 'kept in the audit trail')
  .option(
    '--idempotency-key <key>',
    'a repetition with this key refunds once; by default made of the payment, the cents and the reason',
  )
  .addOption(by())
  .addOption(json())
  .action(async (payment, options) =>
    (await load.payments()).refundPayment(await config(), payment, options),
  )

const ledger = program.command('ledger').description('the books')
ledger
  .command('verify')
  .description(
    'verify every entry, balance and charge against the usage log; exit code 1 on a difference',
  )
  .option(
    '--settling-time <duration>',
    'how long a charge may take to appear in the usage log, such as 60s',
    (text: string) => (text === '0s' ? 0 : durationSeconds(text)),
    60,
  )
  .addOption(json())
  .action(async (options) => (await load.verification()).verifyLedger(await config(), options))

const audit = program.command('audit').description('the audit trail')
audit
  .command('verify')
  .description('verify the hash chain of every account; exit code 1 when one is broken')
  .addOption(json())
  .action(async (options) => (await load.verification()).verifyAudit(await config(), options))

const digest = program.command('digest').description('the signed digest of ledger and audit trail')
digest
  .command('write')
  .description(
    'put the digest of today into its place (DIGEST_DIR, DIGEST_S3_URL), unless it is there',
  )
  .option(
    '--stdout',
    'print the whole digest instead of storing it; without a place it is printed anyway',
  )
  .action(async (options) => (await load.digests()).writeDigest(await config(), options))
digest
  .command('verify')
  .description(
    'compare the database with a digest; exit code 1 when history was cut off or rewritten since',
  )
  .argument('<file>', 'digest-<day>.json')
  .option(
    '--public-key <file>',
    'the public key of the time of the digest; by default the one of GATEWAY_SECRET',
  )
  .option('--offline', 'check the signature alone, without a database; needs --public-key')
  .addOption(json())
  .action(async (file, { offline, ...options }, command) => {
    const { verifyDigest, verifyDigestOffline } = await load.digests()
    if (!offline) return verifyDigest(await config(), file, options)
    if (options.publicKey === undefined) command.error('error: --offline needs --public-key')
    await verifyDigestOffline(file, options)
  })
digest
  .command('public-key')
  .description('print the public key that proves digests, in PEM')
  .addOption(json())
  .action(async (options) => (await load.digests()).showDigestKey(await config(), options))

const usageLog = program.command('usage').description('the usage log')
usageLog
  .command('verify')
  .description('sum the usage log again and compare its sums; exit code 1 on a difference')
  .addOption(json())
  .action(async (options) => (await load.verification()).verifyUsage(await config(), options))

const jobs = program.command('jobs').description('background jobs')
jobs
  .command('list')
  .description('list jobs that failed too often, with the reason')
  .addOption(json())
  .action(async (options) => (await load.jobs()).listDeadJobs(await config(), options))
jobs
  .command('retry')
  .description('retry these jobs')
  .option('--operation <name>', 'only jobs of this operation, such as TurnSubscription')
  .addOption(reason())
  .addOption(by())
  .addOption(idempotencyKey())
  .addOption(json())
  .action(async (options) => (await load.jobs()).retryJobs(await config(), options))

const key = program.command('key').description('API keys')
key
  .command('create')
  .description('issue a key and show it, only this once')
  .requiredOption('--account <id>', 'acct_…')
  .requiredOption('--name <name>', 'the name of the key')
  .addOption(
    new Option('--environment <environment>', 'the listener that accepts it')
      .choices(['live', 'sandbox'])
      .default('live'),
  )
  .option('--scopes <list>', 'comma-separated; all scopes by default', list)
  .option('--ip-allowlist <list>', 'comma-separated addresses and CIDR blocks', list)
  .option(
    '--expires-at <instant>',
    'a date, whose end in UTC is meant, or an instant in ISO 8601',
    instant,
  )
  .option('--external-id <id>', 'the team, customer or agent that gets the key')
  .addOption(
    new Option('--budget <period:credits>', 'a budget, such as day:500; repeatable').argParser(
      (text: string, before?: readonly string[]) => [...(before ?? []), text],
    ),
  )
  .addOption(by())
  .addOption(json())
  .action(async ({ budget = [], ...options }, command) => {
    const { createKey, parseBudgets } = await load.apiKeys()
    const { budgets, problems } = parseBudgets(budget)
    if (problems.length > 0) command.error(`error: --budget: ${problems.join('; ')}`)
    await createKey(await config(), { ...options, budgets })
  })
key
  .command('revoke')
  .description('revoke a key immediately')
  .argument('<id>', 'key_…')
  .addOption(reason())
  .addOption(by())
  .addOption(idempotencyKey())
  .addOption(json())
  .action(async (id, options) => (await load.apiKeys()).revokeKey(await config(), id, options))

const portal = program.command('portal').description('access of people to the console')
portal
  .command('link')
  .description('make a link that signs a person in to the console, once, within 15 minutes')
  .requiredOption('--account <id>', 'acct_…')
  .addOption(
    new Option('--role <role>', `what the person may do: ${personRoles.join(', ')}`)
      .argParser(personRole)
      .makeOptionMandatory(),
  )
  .addOption(
    new Option('--environment <environment>', 'the listener that the link leads to')
      .choices(['live', 'sandbox'])
      .default('live'),
  )
  .option('--actor <text>', 'the name of the person in the audit trail', 'cli')
  .option('--return-url <url>', 'the address of the link back; see RETURN_ORIGINS')
  .option('--reason <text>', 'kept in the audit trail; whoever gives --by must give it')
  .addOption(by())
  .addOption(idempotencyKey())
  .addOption(json())
  .action(async (options) => (await load.portal()).linkPortal(await config(), options))

const operator = program.command('operator').description('people who operate this gateway')
operator
  .command('link')
  .description('make a link that signs in to the page of operators, once, within 15 minutes')
  .addOption(
    new Option('--role <role>', 'what the operator may do')
      .choices(internalRoles)
      .makeOptionMandatory(),
  )
  .requiredOption('--name <text>', 'the name of the operator in the audit trail')
  .addOption(json())
  .action(async (options) => (await load.operators()).linkOperator(await config(), options))
operator
  .command('end')
  .description('end all sessions of an operator, and the links that are not used yet')
  .requiredOption('--name <text>', 'the name of the operator')
  .addOption(json())
  .action(async (options) => (await load.operators()).endOperator(await config(), options))

const keys = program.command('keys').description('the keys that sign tokens')
keys
  .command('rotate-signing')
  .description('publish the next signing keys, live and sandbox, an hour before they sign')
  .addOption(
    new Option('--use <use>', 'keys of OpenID tokens, of caller tokens for backends, or all')
      .choices(['all', 'openid', 'backends'])
      .default('all'),
  )
  .option('--force', 'also while a published key does not sign yet')
  .option('--emergency', 'revoke the keys that sign now; the next ones sign immediately')
  .addOption(json())
  .action(async (options) => (await load.signingKeys()).rotateSigningKeys(await config(), options))

const token = program.command('token').description('tokens for the internal listener')
token
  .command('mint')
  .description('make a token for internal GraphQL')
  .addOption(
    new Option('--role <role>', 'the permissions of the token')
      .choices(internalRoles)
      .makeOptionMandatory(),
  )
  .option(
    '--ttl <duration>',
    'its lifetime, such as 8h; at most INTERNAL_TOKEN_MAX_TTL (default: 1h)',
    durationSeconds,
  )
  .addOption(json())
  .action(async (options) => (await load.tokens()).mintToken(await config(), options))
token
  .command('list')
  .description('list tokens that have not expired, newest first, with the revoked ones')
  .addOption(json())
  .action(async (options) => (await load.tokens()).listTokens(await config(), options))
token
  .command('revoke')
  .description('revoke a token immediately, in every process')
  .argument('<id>', 'tok_…: the jti of the token, shown by `token list` and the audit trail')
  .addOption(json())
  .action(async (id, options) => (await load.tokens()).revokeToken(await config(), id, options))

try {
  await program.parseAsync()
  // Handles that a library leaves open must not keep a finished command alive.
  process.exit()
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : usageExitCode)
  const wrong = (await import('./wrong-value.ts')).wrongValue(error, running)
  const text = wrong ?? (isExplained(error) ? error.message : inspect(error))
  process.stderr.write(`${text}\n`)
  process.exit(wrong === null ? 1 : usageExitCode)
}
