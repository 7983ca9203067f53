import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { paste } from '../../support/requests/pasted-command.ts'

const samples = z.array(z.strictObject({ lang: z.string(), label: z.string(), source: z.string() }))

interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly type: string | undefined
  readonly body: unknown
}

const folder = join(projectRoot, '.artifacts', newId('req'))
const document = JSON.parse(
  readFileSync(join(projectRoot, 'schema/generated/openapi.json'), 'utf8'),
)

const operations = Object.entries<Record<string, Record<string, unknown>>>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...{ path, method, name: `${method.toUpperCase()} ${path}`, operation },
      written: samples.parse(operation['x-codeSamples'] ?? []),
    })),
)
/** Operations that keys may call, but for which no page of the documentation could make a request. */
const browserOnly = ['GET /v1/oauth/authorize', 'POST /v1/oauth/consent']

const sampled = operations.filter(({ written }) => written.length > 0)

/** Takes down what a sample sends, and answers with an empty object. */
let recorder: Server
let address = ''
const received: Received[] = []
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  recorder = createServer(async (request, response) => {
    const { method, url, headers } = request
    const sent = await text(request)
    const type = headers['content-type']
    const isForm = type?.startsWith('application/x-www-form-urlencoded')
    const body = sent === '' ? null : isForm ? [...new URLSearchParams(sent)] : JSON.parse(sent)
    received.push({
      method,
      url,
      authorization: headers.authorization,
      type: type?.split(';')[0],
      body,
    })
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => recorder.once('listening', resolve))
  const bound = recorder.address()
  address = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`
})
afterAll(() => {
  recorder.close()
  rmSync(folder, { recursive: true, force: true })
})

const variables = () => ({ GATEWAY_URL: address, GATEWAY_API_KEY: 'svc_test_of_the_samples' })

function sourceOf(written: z.infer<typeof samples>, label: string): string {
  return written.find((sample) => sample.label === label)?.source ?? ''
}

/** Runs all programs of a language one after the other, each as a program of its own file, in one process. */
async function sentBy(
  label: string,
  ending: string,
  main: (files: string[]) => [string, string[]],
) {
  const files = sampled.map(({ written }, index) => {
    const file = join(folder, `${label.toLowerCase()}${index}.${ending}`)
    writeFileSync(file, sourceOf(written, label))
    return file
  })
  received.length = 0
  const [program, args] = main(files)
  const child = spawn(program, args, {
    env: { ...process.env, ...variables(), NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = new Promise((resolve) => child.on('exit', resolve))
  const problems = await text(child.stderr)
  expect([await exited, problems]).toEqual([0, ''])
  return [...received]
}

/** What the document says about a call: its method, its path and its example. */
function expected(
  { method, operation, path }: (typeof sampled)[number],
  sent: Received | undefined,
) {
  const template = new RegExp(
    `^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?.+)?$`,
  )
  const content = Object(Object(operation.requestBody).content)
  const [type] = Object.keys(content)
  const example = type === undefined ? null : (content[type].example ?? {})
  const isForm = type === 'application/x-www-form-urlencoded'
  const isForKeys = JSON.stringify(operation.security).includes('ApiKeyBearer')
  return {
    method: method.toUpperCase(),
    url: expect.stringMatching(template),
    authorization: isForKeys ? 'Bearer svc_test_of_the_samples' : undefined,
    type: type ?? sent?.type,
    body: isForm ? Object.entries(example).map(([name, value]) => [name, String(value)]) : example,
  }
}

describe('the samples of the reference', () => {
  test('are there for every operation that a program calls, in three languages', () => {
    const withoutSamples = operations.filter(({ written }) => written.length === 0)
    const forKeys = withoutSamples.filter(({ operation }) =>
      JSON.stringify(operation.security).includes('ApiKeyBearer'),
    )
    // Only a browser sends these: a page has made their bodies or links.
    expect(forKeys.map(({ name }) => name)).toEqual(browserOnly)
    for (const { name, written } of sampled) {
      expect([name, written.map(({ label }) => label)]).toEqual([
        name,
        ['curl', 'TypeScript', 'Python'],
      ])
    }
    expect(sampled.length).toBeGreaterThan(90)
  })

  test('send what the document says: curl', async () => {
    received.length = 0
    for (const { written } of sampled) await paste(sourceOf(written, 'curl'), variables())
    expect(received).toEqual(sampled.map((one, index) => expected(one, received[index])))
  })

  test('send what the document says: TypeScript', async () => {
    const sent = await sentBy('TypeScript', 'ts', (files) => {
      const main = join(folder, 'main.mjs')
      writeFileSync(main, files.map((file) => `await import(${JSON.stringify(file)})`).join('\n'))
      return [process.execPath, [main]]
    })
    expect(sent).toEqual(sampled.map((one, index) => expected(one, sent[index])))
  })

  test('send what the document says: Python', async () => {
    const sent = await sentBy('Python', 'py', (files) => {
      const main = join(folder, 'main.py')
      writeFileSync(
        main,
        `import runpy\nfor file in ${JSON.stringify(files)}:\n    runpy.run_path(file)\n`,
      )
      return ['python3', [main]]
    })
    expect(sent).toEqual(sampled.map((one, index) => expected(one, sent[index])))
  })
})
