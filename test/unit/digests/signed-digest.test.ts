import { generateKeyPairSync, hash, verify } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type DigestStatement, readDigest } from '../../../gateway/books/digests/digest.ts'
import {
  type DigestKey,
  digestKeyOf,
  pemOf,
  publicKeyOf,
  sign,
} from '../../../gateway/books/digests/digest-key.ts'

const secret = 'a secret for tests, long enough to pass'
const heads = [
  `ledger acct_1 live 3 ${'ab'.repeat(32)}`,
  `audit - live 7 ${'cd'.repeat(32)}`,
] as const

function statementOf(lines: readonly string[]): DigestStatement {
  return {
    version: 1,
    gateway: 'https://api.test',
    ...{ day: '2026-11-23', taken_at: '2026-11-23T00:00:05.123Z', accounts: 1 },
    ledger: {
      ...{ chains: 1, entries: 3 },
      sums: [{ environment: 'live', kind: 'grant', entries: 3, credits: '90071992547409910' }],
    },
    audit: { chains: 1, events: 7 },
    heads_sha256: hash('sha256', lines.map((line) => `${line}\n`).join(''), 'hex'),
  }
}

let key: DigestKey
beforeAll(async () => {
  key = await digestKeyOf(secret)
})

async function digestOf(lines: readonly string[] = heads) {
  const statement = statementOf(lines)
  return { heads: lines, statement, jws: await sign(key, statement) }
}

describe('a digest', () => {
  test('is read with the public key alone', async () => {
    const digest = await digestOf()

    const read = await readDigest(JSON.stringify(digest), await publicKeyOf(pemOf(key)))

    expect(read).toEqual({
      ...digest,
      heads: [
        {
          chain: 'ledger',
          accountId: 'acct_1',
          environment: 'live',
          seq: 3,
          hash: 'ab'.repeat(32),
        },
        { chain: 'audit', accountId: null, environment: 'live', seq: 7, hash: 'cd'.repeat(32) },
      ],
    })
  })

  test('can be checked without this program: Ed25519 over a JWS', async () => {
    const { jws } = await digestOf()

    const [header = '', payload = '', signature = ''] = jws.split('.')

    const signed = Buffer.from(`${header}.${payload}`)
    expect(verify(null, signed, pemOf(key), Buffer.from(signature, 'base64url'))).toBe(true)
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      ...{ alg: 'EdDSA', kid: key.kid, typ: 'gateway-digest+jws' },
    })
  })

  test('has the same key in every process with the secret, and another one with another secret', async () => {
    const [same, other] = [await digestKeyOf(secret), await digestKeyOf(`${secret}!`)]

    expect(same.kid).toBe(key.kid)
    expect(other.kid).not.toBe(key.kid)
  })
})

type Made = Awaited<ReturnType<typeof digestOf>>

const notSigned = 'The statement of the digest is not the one that was signed.'
const otherHeads = 'The heads of the digest are not those that were signed.'
const badSignature = 'The signature of the digest does not fit it.'
const notWhole = 'The file is no digest, or a part of it is missing.'
const notJson = 'The file is not JSON, or its end is missing.'

/** Changes of a digest, each with the reason of its refusal. */
const changes: readonly (readonly [string, (made: Made) => string | object, string])[] = [
  [
    'another number of accounts',
    (made) => ({ ...made, statement: { ...made.statement, accounts: 2 } }),
    notSigned,
  ],
  ['a missing head', (made) => ({ ...made, heads: made.heads.slice(1) }), otherHeads],
  [
    'another hash of a head',
    (made) => ({ ...made, heads: made.heads.map((line) => line.replace('ab', 'ba')) }),
    otherHeads,
  ],
  ['another order of heads', (made) => ({ ...made, heads: made.heads.toReversed() }), otherHeads],
  ['no signature', (made) => ({ ...made, jws: undefined }), notWhole],
  [
    'another signature',
    (made) => ({ ...made, jws: made.jws.replace(/\.[^.]{4}([^.]*)$/, '.AAAA$1') }),
    badSignature,
  ],
  ['a signature that is no JWS', (made) => ({ ...made, jws: 'x' }), badSignature],
  ['no end', (made) => JSON.stringify(made).slice(0, -20), notJson],
  ['nothing in it', () => '', notJson],
]

describe('readDigest refuses', () => {
  test.each(changes)('a digest with %s', async (_what, change, message) => {
    const changed = change(await digestOf())
    const text = typeof changed === 'string' ? changed : JSON.stringify(changed)

    await expect(readDigest(text, key)).rejects.toMatchObject({ name: 'DigestInvalid', message })
  })

  test('a signature of another key, and says which keys they are', async () => {
    const other = await digestKeyOf('another secret for tests, long enough')

    const reading = readDigest(JSON.stringify(await digestOf()), other)

    await expect(reading).rejects.toMatchObject({
      name: 'DigestInvalid',
      message: expect.stringContaining(`${key.kid}, and this is the key ${other.kid}`),
    })
  })

  test('a signature of another key with the id of ours', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const statement = statementOf(heads)
    const jws = await sign({ ...key, privateKey }, statement)

    const reading = readDigest(JSON.stringify({ heads, statement, jws }), key)

    await expect(reading).rejects.toMatchObject({ name: 'DigestInvalid', message: badSignature })
  })

  test.each([
    'ledger acct_1 live 3',
    `ledger acct_1 live 0 ${'ab'.repeat(32)}`,
    `lots acct_1 live 3 ${'ab'.repeat(32)}`,
    `ledger acct_1 test 3 ${'ab'.repeat(32)}`,
  ])('a signed line that names no head: %s', async (line) => {
    const reading = readDigest(JSON.stringify(await digestOf([line])), key)

    await expect(reading).rejects.toMatchObject({
      name: 'DigestInvalid',
      message: `The digest has a line that names no head: ${line}`,
    })
  })
})

describe('publicKeyOf', () => {
  test.each([
    ['no key', 'x'],
    [
      'a key of another kind',
      generateKeyPairSync('ec', { namedCurve: 'P-256' })
        .publicKey.export({ format: 'pem', type: 'spki' })
        .toString(),
    ],
  ])('refuses %s', async (_what, pem) => {
    await expect(publicKeyOf(pem)).rejects.toMatchObject({
      name: 'DigestInvalid',
      message: 'The public key must be an Ed25519 key in PEM (BEGIN PUBLIC KEY).',
    })
  })
})
