import { request } from 'node:http'
import type { TestResponse } from './client.ts'

interface OpenOptions {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Sends the headers of a request and waits until the server asks for the body: with a cached key, it has
 * authenticated the caller then. `send` sends the body and reads the answer.
 */
export async function openRequest(
  url: string,
  { method, headers, body }: OpenOptions,
): Promise<{ readonly send: () => Promise<TestResponse> }> {
  const asked = { expect: '100-continue', 'content-length': String(Buffer.byteLength(body)) }
  const opened = request(url, { method, headers: { ...headers, ...asked } })
  const answered = new Promise<TestResponse>((resolve, reject) => {
    opened.on('error', reject)
    opened.on('response', async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('')
      const all = Object.entries(response.headersDistinct)
      const pairs = all.flatMap(([name, values = []]) => values.map((value) => [name, value]))
      resolve({
        status: response.statusCode ?? 0,
        headers: new Headers(pairs as [string, string][]),
        body: text === '' ? null : JSON.parse(text),
      })
    })
  })
  await Promise.race([
    answered.then(() => undefined),
    new Promise<void>((resolve) => {
      opened.on('continue', resolve)
      opened.flushHeaders()
    }),
  ])
  return {
    send() {
      opened.end(body)
      return answered
    },
  }
}
