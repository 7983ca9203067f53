import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace } from '../../support/processes/workplace.ts'

beforeAll(compileProgram)

const created = z.object({ sandbox_key: z.string() })
const mebibyte = 1024 * 1024

test('100 bodies of 1 MiB at once are answered by a process whose heap has 256 MB', async ({
  onTestFinished,
}) => {
  const place = openWorkplace()
  onTestFinished(() => place.close())
  const gateway = await place.start({
    NODE_OPTIONS: '--max-old-space-size=256',
    // However slow the machine is.
    BACKEND_TIMEOUT_MS: '60000',
    HOLD_TTL_SECONDS: '300',
  })
  const account = await place.run([
    ...['account', 'create', '--name', 'Test', '--email', 'test@example.com', '--json'],
    ...['--tier', 'SCALE', '--subscription-tier', 'enterprise_sub'],
  ])
  expect(account).toMatchObject({ code: 0 })
  const { sandbox_key } = created.parse(JSON.parse(account.stdout))
  const text = JSON.stringify({ name: 'a.bin', content_base64: 'A'.repeat(600_000) })
  const body = text.padEnd(mebibyte)

  async function upload(): Promise<string> {
    const response = await fetch(`${gateway.sandboxUrl}/v1/cloud/files`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sandbox_key}`,
        'content-type': 'application/json',
      },
      body,
    })
    const answer = await response.text()
    return response.status === 201 ? '201' : answer
  }

  const statuses = await Promise.all(Array.from({ length: 100 }, upload))
  expect(new Set(statuses)).toEqual(new Set(['201']))
  expect(gateway.isRunning()).toBe(true)
})
