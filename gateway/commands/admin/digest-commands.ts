import { readFile } from 'node:fs/promises'
import type { Ask } from '../../books/compare-with-ledger.ts'
import { compareDigest, type DigestProblem } from '../../books/digests/compare-digest.ts'
import { storeDigest } from '../../books/digests/daily-digest.ts'
import { readDigest } from '../../books/digests/digest.ts'
import { digestKeyOf, pemOf, publicKeyOf } from '../../books/digests/digest-key.ts'
import { startDigest, takeDigest } from '../../books/digests/take-digest.ts'
import { verifyAuditChains } from '../../books/verify-audit-chains.ts'
import { addressesOf } from '../../config/addresses.ts'
import type { Config } from '../../config/config.ts'
import { digestStorageOf } from '../../config/subgraph-settings.ts'
import { openDigestPlace } from '../../launch/parts/digests.ts'
import { type Output, print, warn, withGraph, withStore } from './ask-database.ts'

/**
 * Puts the digest of today into its place and prints its statement. Without a place, or with
 * `stdout`, it prints the digest itself and stores nothing.
 */
export async function writeDigest(
  config: Config,
  { stdout = false }: { readonly stdout?: boolean },
): Promise<void> {
  const settings = stdout ? null : digestStorageOf(config)
  await withGraph(config, async (ask, gatewaySecret) => {
    const key = await digestKeyOf(gatewaySecret)
    const options = { ask, key, gateway: addressesOf(config).baseUrls.live }
    const start = await startDigest(ask)
    if (!settings) {
      await takeDigest(start, { ...options, write: writeOut })
      return
    }
    const place = openDigestPlace(settings)
    try {
      const signed = await storeDigest(start, { ...options, place })
      if (signed) print(signed, { json: true })
      else warn(`The digest of ${start.day} is in its place already.`)
    } finally {
      await place.close()
    }
  })
}

function writeOut(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Prints the key that proves digests, in PEM. */
export async function showDigestKey(config: Config, { json }: Output): Promise<void> {
  const key = await withStore(config, ({ gatewaySecret }) => digestKeyOf(gatewaySecret))
  if (json) print({ kid: key.kid, public_key: pemOf(key) }, { json })
  else process.stdout.write(pemOf(key))
}

interface VerifyOptions extends Output {
  /** A file with the public key; by default it is derived from GATEWAY_SECRET. */
  readonly publicKey?: string
}

/** Checks the signature alone: it needs neither a database nor a secret. */
export async function verifyDigestOffline(
  path: string,
  { json, publicKey }: VerifyOptions & { readonly publicKey: string },
): Promise<void> {
  const key = await publicKeyOf(await readFile(publicKey, 'utf8'))
  const { statement } = await readDigest(await readFile(path, 'utf8'), key)
  print({ ...statement, status: 'signed' }, { json })
}

/**
 * Compares the database with a digest; the command fails when history was cut off or rewritten since, or
 * when a chain is broken.
 */
export async function verifyDigest(
  config: Config,
  path: string,
  { json, publicKey }: VerifyOptions,
): Promise<void> {
  const text = await readFile(path, 'utf8')
  const pem = publicKey === undefined ? null : await readFile(publicKey, 'utf8')
  const problems: DigestProblem[] = []
  let count = 0
  function tell(problem: DigestProblem): void {
    count += 1
    if (!json) print(problem, {})
    else if (count <= maxProblems) problems.push(problem)
  }
  const { statement } = await withGraph(config, async (ask, gatewaySecret) => {
    const key = pem === null ? await digestKeyOf(gatewaySecret) : await publicKeyOf(pem)
    const digest = await readDigest(text, key)
    await compareDigest(ask, digest, tell)
    await verifyChains(ask, tell)
    return digest
  })
  const { day, taken_at, accounts, ledger, audit } = statement
  const chains = ledger.chains + audit.chains
  const checked = { entries: ledger.entries, events: audit.events }
  print(
    { day, taken_at, accounts, chains, ...checked, problems: json ? problems : count },
    { json },
  )
  if (count > 0) process.exitCode = 1
}

/** The most problems in an answer as JSON; the text has all of them. */
const maxProblems = 1000

/**
 * Verifies the chains themselves. A digest proves only the end of a chain; the entries before it
 * are proven by their hashes.
 */
async function verifyChains(ask: Ask, tell: (problem: DigestProblem) => void): Promise<void> {
  const { drifts } = await ask('AuditLedger', {})
  for (const drift of drifts) tell({ chain: 'ledger', ...drift })
  await verifyAuditChains(ask, ({ account_id, environment, seq, problem }) =>
    tell({ chain: 'audit', account_id, environment, seq, problem }),
  )
}
