import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { statusAnswer, statusOf } from '../../../rest-facade/pages/docs/status.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { type StubBackend, startStubBackend } from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
let backend: StubBackend
beforeAll(async () => {
  backend = await startStubBackend()
  // The module lives, but it says that it is not well.
  backend.answer((_, res) => {
    res.writeHead(503).end('postgres://secret@db.internal/cloud is down')
  })
  gateway = await startTestGateway({ BACKEND_CLOUD_URL: backend.url })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('GET /status', () => {
  test('tells everybody which services are degraded, without a key and without secrets', async () => {
    const { status, headers, body } = await gateway.live.get('/status')

    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('vary')).toContain('Accept')
    const services = loadCatalog().services.map(({ slug, name }) => ({
      ...{ service: slug, name, status: slug === 'cloud' ? 'degraded' : 'live' },
    }))
    expect(body).toEqual({
      status: 'degraded',
      environment: 'live',
      services: [{ service: 'api', name: 'API', status: 'live' }, ...services],
      checked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    expect(JSON.stringify(body)).not.toMatch(/postgres|internal|http|127\.0/)
  })

  test('is a page for a browser, whose policy is that of the documentation', async () => {
    const response = await fetch(`${gateway.baseUrl}/status`, { headers: asBrowser })
    const page = await response.text()

    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    expect(response.headers.get('content-security-policy')).toContain(
      "script-src 'self'; style-src 'self'",
    )
    expect(page).toContain('<h1>Status</h1>')
    expect(page).toContain(
      '<th scope="row">Cloud</th><td><span class="state degraded">Degraded</span>',
    )
    expect(page).not.toMatch(/postgres|127\.0\.0\.1:\d+\/health/)
  })

  test('asks the modules once, however many people look', async () => {
    const probes = () => backend.received.filter(({ path }) => path === '/health').length
    await gateway.live.get('/status')
    const before = probes()
    const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.live.get('/status')))

    expect(new Set(answers.map(({ body }) => Object(body).checked_at)).size).toBeLessThanOrEqual(2)
    expect(probes() - before).toBeLessThanOrEqual(1)
  })

  test('has the sandbox of its own, where a simulator answers', async () => {
    const degraded = async () => {
      const { services, environment } = statusAnswer.parse(
        (await gateway.sandbox.get('/status')).body,
      )
      return [environment, services.filter(({ status }) => status === 'degraded')]
    }
    await expect.poll(degraded, patience).toEqual(['sandbox', []])
  })
})

describe('the status', () => {
  const { services } = loadCatalog()
  const [first] = services

  function findAt(findings: () => Promise<readonly { module: string; status: 'up' | 'down' }[]>) {
    let asked = 0
    let nowMs = 1_000_000
    const find = statusOf(
      {
        ...{ environment: 'live', catalog: { services: first ? [first] : [] } },
        readiness: { problem: () => null },
        probeBackends: async () => {
          asked += 1
          return (await findings()).map((one) => ({ ...one, latency_ms: null }))
        },
      },
      () => nowMs,
    )
    const pass = (ms: number) => {
      nowMs += ms
    }
    return { find, asked: () => asked, pass }
  }

  test('is found out once in ten seconds, and then anew', async () => {
    let status: 'up' | 'down' = 'down'
    const { find, asked, pass } = findAt(async () => [
      { module: first?.backendModule ?? '', status },
    ])

    expect((await find()).status).toBe('degraded')
    status = 'up'
    pass(9999)
    expect([(await find()).status, asked()]).toEqual(['degraded', 1])
    pass(1)
    expect([(await find()).status, asked()]).toEqual(['live', 2])
  })

  test('is degraded where the modules cannot be asked', async () => {
    const { find } = findAt(() => Promise.reject(new Error('no worker answers')))

    const { status, services } = await find()

    expect([status, services.map((one) => one.status)]).toEqual(['degraded', ['live', 'degraded']])
  })
})
