import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { approve, newVerifier, registerApp } from '../../support/oauth/oauth-flow.ts'
import { secretOf, signInWith } from '../../support/oauth/portal.ts'
import { paste } from '../../support/requests/pasted-command.ts'
import { createEndpoint } from '../../support/stubs/webhook-receiver.ts'
import { patience } from '../../support/time/patience.ts'

/** Inside the project, so that samples find its libraries. */
const folder = join(projectRoot, '.artifacts', newId('req'))

let gateway: TestGateway
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  // The gateway has the settings of a trial.
  gateway = await startTestGateway({ SMTP_URL: 'mailbox:', WEBHOOK_ALLOW_LOOPBACK: 'true' })
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await gateway.close()
})

/** The samples between the fences of a page, as a reader copies them. */
async function samplesOf(page: string, language: string): Promise<string[]> {
  const response = await fetch(`${gateway.baseUrl}/docs/${page}.md`)
  expect(response.status).toBe(200)
  const fences = (await response.text()).matchAll(/^```(\w+)\n(.*?)^```$/gms)
  return [...fences].filter(([, name]) => name === language).map(([, , code = '']) => code)
}

/** What every sample reads. The simulator answers in place of the products. */
function variablesOf(
  { liveKey, sandboxKey }: TestAccount,
  environment: 'live' | 'sandbox' = 'live',
) {
  return environment === 'live'
    ? { GATEWAY_URL: gateway.baseUrl, GATEWAY_API_KEY: liveKey }
    : { GATEWAY_URL: gateway.sandbox.url, GATEWAY_API_KEY: sandboxKey }
}

const programs = { ts: process.execPath, python: 'python3' } as const

type Program = keyof typeof programs

/** Whether a language can be run here. A skipped sample is printed, because it would go unnoticed. */
function canRun(language: Program): boolean {
  const program = programs[language]
  if (spawnSync(program, ['--version']).status === 0) return true
  console.log(`skipped: ${program} is not on PATH, so its samples are not run`)
  return false
}

/** Runs a sample as a reader would, and returns what it prints. */
async function run(
  code: string,
  variables: Readonly<Record<string, string>>,
  language: Program = 'ts',
): Promise<string> {
  const file = join(folder, `${newId('req')}.${language === 'ts' ? 'ts' : 'py'}`)
  writeFileSync(file, code)
  const child = spawn(programs[language], [file], {
    env: { ...process.env, ...variables, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise((resolve) => child.on('exit', resolve))
  const [printed, problems] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect([code, await exited, problems]).toEqual([code, 0, ''])
  return printed
}

/** A guide, and how many calls it shows as a command, and as a program of each other language. */
const pagesWithCalls = [
  ['index', 1],
  ['authentication', 2],
  ['sandbox', 3],
  ['credits', 5],
  ['invoices', 1],
  ['billing', 2],
  ['plans', 2],
  ['quotes', 1],
  ['budgets', 1],
  ['idempotency', 1],
  ['pagination', 1],
  ['oauth', 2],
  ['agents', 3],
  ['webhooks', 4],
  ['notifications', 1],
] as const

/** A sample that needs a code of its own: the exchange of a code for tokens. */
const needsCode = /\bCODE\b/

/** The programs of a page that are a call each, as one that is made of its command. */
async function callsOf(page: string, language: Program): Promise<string[]> {
  const isCall = { ts: /^const response = await fetch/, python: /^request = urllib/m }[language]
  const isProgram = /^(def|class|async function) /m
  const all = await samplesOf(page, language)
  return all.filter((code) => isCall.test(code) && !isProgram.test(code) && !needsCode.test(code))
}

/** The programs of the guide for webhooks that are no calls: what verifies a message, and what receives it. */
async function receiversOf(language: Program): Promise<string[]> {
  const calls = await callsOf('webhooks', language)
  return (await samplesOf('webhooks', language)).filter((code) => !calls.includes(code))
}

describe('the samples of the guides', () => {
  test('the quick start gets the answers that it shows', async () => {
    const account = await gateway.createAccount()
    const [, command = ''] = await samplesOf('index', 'sh')
    const [shown = ''] = await samplesOf('index', 'json')
    const [head = ''] = await samplesOf('index', 'http')

    const answer = await paste(command, variablesOf(account, 'sandbox'))

    expect(answer.status).toBe(200)
    expect(answer.body).toEqual(JSON.parse(shown))
    for (const name of ['Content-Type', 'X-Credits-Charged', 'X-Credits-Remaining']) {
      expect(head).toContain(`\n${name}: ${answer.headers.get(name)}\n`)
    }
  })

  test.each(pagesWithCalls)('every command of %s works when pasted', async (page, count) => {
    const account = await gateway.createAccount()
    const variables: Record<string, string> = variablesOf(account)
    const commands = await samplesOf(page, 'sh')
    const isCall = (command: string) => command.startsWith('curl') && !needsCode.test(command)
    const runnable = commands.filter(isCall)
    expect(runnable).toHaveLength(count)
    for (const command of runnable) {
      const { status, body } = await paste(command, variables)
      expect([command, status, body]).toEqual([command, expect.toBeOneOf([200, 201, 202]), body])
      if (String(Object(body).id).startsWith('whe_')) variables.ENDPOINT_ID = Object(body).id
    }
  })

  test.each(
    pagesWithCalls.flatMap(([page, count]) => [
      { page, count, language: 'ts' as const },
      { page, count, language: 'python' as const },
    ]),
  )('every call of $page works in $language', async ({ page, count, language }) => {
    if (!canRun(language)) return
    const account = await gateway.createAccount()
    const variables: Record<string, string> = variablesOf(account)
    const calls = await callsOf(page, language)
    expect(calls).toHaveLength(count)
    for (const code of calls) {
      const printed = await run(code, variables, language)
      variables.ENDPOINT_ID = /whe_\w+/.exec(printed)?.[0] ?? variables.ENDPOINT_ID ?? ''
      expect([code, printed.trim()]).not.toEqual([code, ''])
    }
  })

  test('every sample reads its address and its key, and names neither', async () => {
    for (const page of new Set([...pagesWithCalls.map(([page]) => page), 'sdks', 'rate-limits'])) {
      for (const language of ['sh', 'ts', 'python']) {
        for (const code of await samplesOf(page, language)) {
          if (!/curl |fetch\(|urlopen|createGateway/.test(code)) continue
          expect([page, code]).toEqual([page, expect.stringContaining('GATEWAY_URL')])
          expect([page, code.includes(gateway.baseUrl)]).toEqual([page, false])
          if (!/openid-configuration|\bCODE\b/.test(code)) expect(code).toContain('GATEWAY_API_KEY')
        }
      }
    }
  })

  test('the Python of SDKs runs without a client', async () => {
    if (!canRun('python')) return
    const account = await gateway.createAccount({ credits: 1000 })
    const [code = ''] = await samplesOf('sdks', 'python')
    expect(await run(code, variablesOf(account), 'python')).toBe('1000\n')
  })

  test('an idempotency key is charged once', async () => {
    const account = await gateway.createAccount()
    const [command = ''] = await samplesOf('idempotency', 'sh')
    const first = await paste(command, variablesOf(account))
    const again = await paste(command, variablesOf(account))
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const { body } = await gateway.live.get('/v1/account/credits', account.liveKey)
    expect(Object(body).balance).toBe(995)
  })

  test.each([
    { page: 'idempotency', language: 'ts', printed: /full_name: '.+'/ },
    { page: 'idempotency', language: 'python', printed: /"full_name":".+"/ },
    { page: 'rate-limits', language: 'ts', printed: /^\[ 200, 200, 200 \]\n$/ },
    { page: 'rate-limits', language: 'python', printed: /^\[200, 200, 200\]\n$/ },
    { page: 'oauth', language: 'ts', printed: /^acct_\w+ openid account:read offline_access\n$/ },
    {
      page: 'oauth',
      language: 'python',
      printed: /^acct_\w+ openid account:read offline_access\n$/,
    },
  ] as const)('the program of $page runs in $language', async ({ page, language, printed }) => {
    if (!canRun(language)) return
    const all = await samplesOf(page, language)
    const code = all.findLast((one) => !needsCode.test(one)) ?? ''
    const variables = variablesOf(await gateway.createAccount(), 'sandbox')
    expect(await run(code, variables, language)).toMatch(printed)
  })

  test.each(['sh', 'ts', 'python'] as const)(
    'the exchange of a code for tokens works in %s',
    async (language) => {
      if (language !== 'sh' && !canRun(language)) return
      const callback = 'https://acme.example/callback'
      const app = await registerApp(gateway, { redirectUris: [callback] })
      const verifier = newVerifier()
      const owner = await gateway.createAccount()
      const [sample = ''] = (await samplesOf('oauth', language)).filter((one) =>
        needsCode.test(one),
      )
      const code = await approve(gateway, app, { owner, verifier, redirectUri: callback })
      const variables = {
        ...{ GATEWAY_URL: gateway.baseUrl, CLIENT_ID: app.clientId, VERIFIER: verifier },
        ...{ CLIENT_SECRET: app.secret ?? '', CODE: code },
      }

      const body =
        language === 'sh'
          ? (await paste(sample, variables)).body
          : JSON.parse(await run(sample, variables, language))

      expect(body).toMatchObject({ token_type: 'Bearer', access_token: expect.any(String) })
    },
  )

  test('the TypeScript of portal links prints a link that signs in', async () => {
    const { id } = await gateway.createAccount()
    const [code = ''] = await samplesOf('portal-links', 'ts')

    const printed = await run(code, {
      ...{ INTERNAL_URL: gateway.internal.url, ACCOUNT_ID: id },
      INTERNAL_TOKEN: await gateway.internalToken('admin'),
      RETURN_URL: `${gateway.baseUrl}/docs`,
    })

    const answer = await signInWith(gateway.live, { portal_token: secretOf(printed.trim()) })
    expect(answer.status).toBe(201)
    const shown = await gateway.database.query(
      'SELECT role, actor, return_url FROM oauth.session WHERE account_id = $1',
      [id],
    )
    expect(shown).toEqual([
      { role: 'DEVELOPER', actor: 'jane@acme.example', return_url: `${gateway.baseUrl}/docs` },
    ])
  })

  test.each([
    { language: 'ts', size: "limit: '200'", smallest: "limit: '1'" },
    { language: 'python', size: '"limit": "200"', smallest: '"limit": "1"' },
  ] as const)(
    'the $language of pagination walks every page',
    async ({ language, size, smallest }) => {
      if (!canRun(language)) return
      const account = await gateway.createAccount()
      for (let call = 0; call < 3; call++) {
        await gateway.sandbox.get('/v1/account/credits', account.sandboxKey)
      }
      const code = (await samplesOf('pagination', language)).at(-1) ?? ''
      expect(code).toContain(size)
      // The smallest page size, so that there is more than one page.
      const printed = await run(
        code.replace(size, smallest),
        variablesOf(account, 'sandbox'),
        language,
      )
      expect(printed.match(/GET \/v1\/account\/credits 0/g)).toHaveLength(3)
    },
  )

  test('the TypeScript of webhooks accepts signed webhooks and refuses others', async () => {
    const [code = ''] = await receiversOf('ts')
    const file = join(folder, 'receive.ts')
    writeFileSync(file, code)
    const { receive } = await import(file)
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    const body = '{"id":"evt_1","type":"credits.low","data":{}}'
    const sentAt = new Date()
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('evt_1', sentAt, body),
    }
    expect(receive(body, headers, secret)).toEqual(JSON.parse(body))
    expect(() => receive(body.replace('low', 'ok'), headers, secret)).toThrow(/signature/i)
    const old = { ...headers, 'webhook-timestamp': '1700000000' }
    expect(() => receive(body, old, secret)).toThrow(/old/i)
  })

  test.each([
    { fence: 'ts', program: process.execPath },
    { fence: 'python', program: 'python3' },
  ] as const)(
    'the receiver in $fence prints a webhook of a trial, and refuses what another has signed',
    async ({ fence, program }) => {
      if (!canRun(fence)) return
      const { liveKey } = await gateway.createAccount()
      const port = await freePort()
      const url = `http://127.0.0.1:${port}/hooks`
      const { id, secret } = await createEndpoint(gateway, liveKey, url)
      const own = join(folder, newId('req'))
      mkdirSync(own)
      const ending = fence === 'ts' ? 'ts' : 'py'
      const [receive = '', receiver = ''] = await receiversOf(fence)
      writeFileSync(join(own, `receive.${ending}`), receive)
      writeFileSync(join(own, `receiver.${ending}`), receiver)
      const child = spawn(program, [join(own, `receiver.${ending}`)], {
        env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret, NODE_OPTIONS: '' },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const exited = new Promise((resolve) => child.on('exit', resolve))
      let printed = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        printed += chunk
      })
      const forged = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
      }
      try {
        const send = (headers: Record<string, string>) =>
          fetch(url, { method: 'POST', headers, body: '{}' }).then(
            ({ status }) => status,
            () => null,
          )
        await expect.poll(() => send(forged), patience).toBe(400)
        expect(await send({})).toBe(400)
        const path = `/v1/account/webhooks/${id}`
        const tested = await gateway.live.post(`${path}/test`, undefined, liveKey)
        expect(tested.status).toBe(202)

        await expect.poll(() => printed, patience).toContain(`webhook.test {"endpoint_id":`)
        const delivered = async () =>
          Object((await gateway.live.get(`${path}/deliveries`, liveKey)).body).items[0].status
        await expect.poll(delivered, patience).toBe('succeeded')
        expect(printed).toMatch(/^refused: .+\nrefused: .+\nevt_\w+ webhook\.test \{.+\}\n$/)
      } finally {
        child.kill()
        await exited
      }
    },
  )
})
