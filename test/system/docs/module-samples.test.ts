import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backendJwksPath } from '../../../gateway/internal/backend-keys.ts'
import { isOfRoles, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { type GatewaySigner, signerOf } from '../../support/gateway/gateway-signer.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'

/**
 * How the sample of a language is run: over standard input it is given everything, and answers
 * JSON.
 */
interface Language {
  readonly name: string
  /** The name of the language at the fence of its sample. */
  readonly fence: string
  readonly program: string
  readonly versionArgs: readonly string[]
  readonly args: readonly string[]
  /** What takes long, before tokens of a minute are made. */
  readonly prepareArgs?: readonly string[]
  /** Beside the sample. */
  readonly files: (sample: string) => Readonly<Record<string, string>>
}

const languages: readonly Language[] = [
  {
    name: 'Node',
    fence: 'js',
    program: process.execPath,
    versionArgs: ['--version'],
    args: ['main.mjs'],
    files: (sample) => ({
      'sample.mjs': sample,
      'main.mjs': `
        import { json } from 'node:stream/consumers'
        import { verify } from './sample.mjs'
        const { tokens, keys, issuer, module, environment } = await json(process.stdin)
        const results = tokens.map((token) => {
          try {
            return verify(token, keys, { issuer, module, environment }).sub
          } catch {
            return null
          }
        })
        console.log(JSON.stringify(results))`,
    }),
  },
  {
    name: 'Go',
    fence: 'go',
    program: 'go',
    versionArgs: ['version'],
    args: ['run', '.'],
    prepareArgs: ['build', '-o', '/dev/null', '.'],
    files: (sample) => ({
      'go.mod': 'module sample\n\ngo 1.19\n',
      'caller/caller.go': sample,
      'main.go': `package main

import (
	"encoding/json"
	"os"
	"sample/caller"
)

func main() {
	var given struct {
		Tokens                      []string
		Keys                        []caller.Key
		Issuer, Module, Environment string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	results := []any{}
	for _, token := range given.Tokens {
		claims, err := caller.Verify(token, given.Keys, given.Issuer, given.Module, given.Environment)
		if err != nil {
			results = append(results, nil)
		} else {
			results = append(results, claims.Sub)
		}
	}
	json.NewEncoder(os.Stdout).Encode(results)
}
`,
    }),
  },
  {
    name: 'Python',
    fence: 'python',
    program: 'python3',
    versionArgs: ['--version'],
    args: ['main.py'],
    files: (sample) => ({
      'sample.py': sample,
      'main.py': `
import json, sys
from sample import verify

given = json.load(sys.stdin)
results = []
for token in given["tokens"]:
    try:
        args = (given["keys"], given["issuer"], given["module"], given["environment"])
        results.append(verify(token, *args)["sub"])
    except ValueError:
        results.append(None)
print(json.dumps(results))
`,
    }),
  },
]

// The internal listener of the roles' facade is not the one that tests are told of.
describe.skipIf(isOfRoles)('the guide for backend modules', () => {
  let gateway: TestGateway
  let signer: GatewaySigner
  let backend: StubBackend
  let accountId: string
  let liveKey: string
  beforeAll(async () => {
    backend = await startStubBackend()
    backend.answer((_, res) => sendBackendJson(res, 200, { items: [] }))
    gateway = await startTestGateway({ BACKEND_CLOUD_URL: backend.url })
    const account = await gateway.createAccount()
    accountId = account.id
    liveKey = account.liveKey
    signer = await signerOf(gateway)
  })
  afterAll(async () => {
    await gateway.close()
    await backend.close()
  })

  /** A token that the gateway sends. */
  async function sentToken(): Promise<string> {
    expect((await gateway.live.get('/v1/cloud/files', liveKey)).status).toBe(200)
    return String(backend.received.at(-1)?.headers['gateway-caller'])
  }

  const claims = (more: object = {}) => {
    const iat = Math.floor(Date.now() / 1000)
    const own = { iss: gateway.baseUrl, aud: 'cloud', sub: accountId, env: 'live' }
    return { ...own, scope: 'cloud:read', jti: 'one', iat, exp: iat + 60, ...more }
  }

  /** Each wrong in one thing. */
  async function badTokens(token: string): Promise<string[]> {
    const [head = '', body = '', signature = ''] = token.split('.')
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const header = { alg: 'EdDSA', typ: 'gateway-caller+jwt', kid: signer.kid }
    const { privateKey } = await generateKeyPair('EdDSA')
    const cut = Buffer.from(signature, 'base64url')
    cut[40] = (cut[40] ?? 0) ^ 1
    return [
      await signer.sign(claims({ aud: 'seo' })),
      await signer.sign(claims({ iss: 'https://elsewhere.example' })),
      await signer.sign(claims({ env: 'staging' })),
      await signer.sign(claims({ env: 'sandbox' })),
      await signer.sign(claims({ sub: undefined })),
      await signer.sign(claims({ exp: undefined })),
      await signer.sign(claims({ iat: 1_700_000_000, exp: 1_700_000_060 })),
      await signer.sign(claims(), { typ: 'JWT' }),
      await signer.sign(claims(), { kid: 'unknown' }),
      await new SignJWT(claims()).setProtectedHeader(header).sign(privateKey),
      `${head}.${encode(claims({ sub: 'acct_other' }))}.${signature}`,
      `${encode({ ...header, alg: 'none' })}.${body}.`,
      `${head}.${body}.`,
      `${head}.${body}.${cut.toString('base64url')}`,
      `${head}.${body}.${Buffer.alloc(64, 255).toString('base64url')}`,
      `${head}.${body}`,
      '',
      ...['[]', 'null', '"text"', '7', '['.repeat(9000), '{', '', '\u00ff'].flatMap((text) => {
        const part = Buffer.from(text, 'latin1').toString('base64url')
        return [`${part}.${body}.${signature}`, `${head}.${part}.${signature}`]
      }),
    ]
  }

  async function sampleOf(fence: string): Promise<string> {
    const response = await fetch(`${gateway.baseUrl}/docs/modules.md`)
    expect(response.status).toBe(200)
    const fences = [...(await response.text()).matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    const samples = fences.filter(([, name]) => name === fence)
    expect(samples).toHaveLength(1)
    return samples[0]?.[2] ?? ''
  }

  test.each(languages)(
    'has a sample in $name that accepts requests of the gateway, and refuses others',
    async ({ name, fence, program, versionArgs, args, prepareArgs, files }) => {
      // A skipped sample is printed, because it would go unnoticed.
      if (spawnSync(program, versionArgs).status !== 0) {
        process.stdout.write(`skipped: ${program} is not on PATH, so ${name}'s sample is not run\n`)
        return
      }
      const { body } = await gateway.internal.get(backendJwksPath)
      const folder = mkdtempSync(join(tmpdir(), 'gateway-sample-'))
      try {
        for (const [path, text] of Object.entries(files(await sampleOf(fence)))) {
          mkdirSync(dirname(join(folder, path)), { recursive: true })
          writeFileSync(join(folder, path), text)
        }
        const env = {
          ...process.env,
          ...{ NODE_OPTIONS: '', GOCACHE: join(folder, 'cache'), GO111MODULE: 'on' },
        }
        const options = { ...{ cwd: folder, env }, encoding: 'utf8' } as const
        if (prepareArgs) expect(spawnSync(program, prepareArgs, options).stderr).toBe('')
        const token = await sentToken()
        const bad = await badTokens(token)
        const given = {
          ...{ tokens: [token, await signer.sign(claims()), ...bad], keys: Object(body).keys },
          ...{ issuer: gateway.baseUrl, module: 'cloud', environment: 'live' },
        }
        const input = JSON.stringify(given)
        const { stdout, stderr, status } = spawnSync(program, args, { ...options, input })
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
        expect(JSON.parse(stdout)).toEqual([accountId, accountId, ...bad.map(() => null)])
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )
})
