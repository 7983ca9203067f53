import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

describe('the first requests for the documentation', () => {
  test('each gets its page, however many come at once', async () => {
    const paths = ['/docs', '/docs/credits', '/docs/errors/NOT_FOUND', '/docs/nowhere', '/llms.txt']
    const asked = Array.from({ length: 20 }, () => paths).flat()

    const answers = await Promise.all(
      asked.map(async (path) => {
        const headers = { accept: 'text/html' }
        const response = await fetch(new URL(path, gateway.baseUrl), { headers })
        return { path, status: response.status, text: await response.text() }
      }),
    )

    for (const path of paths) {
      const same = answers.filter((answer) => answer.path === path)
      expect(new Set(same.map(({ text }) => text)).size).toBe(1)
      const status = path === '/docs/nowhere' ? 404 : 200
      expect(same.map((answer) => answer.status)).toEqual(same.map(() => status))
      expect(same[0]?.text.length).toBeGreaterThan(1000)
    }
  })
})
