import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
let liveUrl: string
beforeAll(async () => {
  // A proxy in front of the gateway terminates TLS: here the gateway is asked directly.
  const port = String(await freePort())
  liveUrl = `http://127.0.0.1:${port}`
  gateway = await startTestGateway({ PORT: port, BASE_URL: 'https://api.example.com' })
})
afterAll(() => gateway.close())

const name = 'strict-transport-security'

describe('Strict-Transport-Security', () => {
  test('is in every answer of a listener whose base URL is https', async () => {
    const paths = ['/v1/health', '/v1/account', '/v1/nothing', '/docs', '/v1/openapi.json']
    for (const path of paths) {
      const { headers } = await fetch(liveUrl + path)

      expect([path, headers.get(name)]).toEqual([path, 'max-age=31536000'])
    }
  })

  test('is also in refusals that are sent before the request is read', async () => {
    const { hostname, port } = new URL(liveUrl)
    const text = await new Promise<string>((resolve, reject) => {
      let got = ''
      const socket = connect(Number(port), hostname, () => socket.end('nonsense\r\n\r\n'))
      socket.setEncoding('utf8')
      socket.on('data', (part) => {
        got += String(part)
      })
      socket.on('close', () => resolve(got))
      socket.on('error', reject)
    })

    expect(text).toMatch(
      /^HTTP\/1.1 400 [\s\S]*\r\nStrict-Transport-Security: max-age=31536000\r\n/,
    )
  })

  test('is in no answer of a listener whose base URL is http, nor of the internal listener', async () => {
    for (const client of [gateway.sandbox, gateway.internal]) {
      for (const path of ['/v1/health', '/ready', '/nothing']) {
        expect((await fetch(client.url + path)).headers.get(name)).toBeNull()
      }
    }
  })
})
