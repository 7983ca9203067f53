import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startOrClose } from '../../../gateway/launch/process/process-context.ts'

function logInto(lines: string[]) {
  return pino({ base: null }, { write: (line: string) => void lines.push(line) })
}

test('resources are closed in reverse order, and an error while closing is logged at once', async () => {
  const lines: string[] = []
  const closed: string[] = []
  const { close } = await startOrClose(logInto(lines), async (resources) => {
    resources.defer(() => void closed.push(`first, after ${lines.length} log lines`))
    resources.defer(async () => {
      throw new Error('broken')
    })
    resources.defer(() => void closed.push(`last, after ${lines.length} log lines`))
    return {}
  })

  await close()

  expect(closed).toEqual(['last, after 0 log lines', 'first, after 1 log lines'])
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'A part did not stop properly', err: { message: 'broken' } },
  ])
})

test('a start that fails closes what it has opened and fails with its own error', async () => {
  const lines: string[] = []
  const closed: string[] = []
  const starting = startOrClose(logInto(lines), async (resources) => {
    resources.defer(() => void closed.push('opened'))
    resources.defer(() => {
      throw new Error('broken')
    })
    throw new Error('no port')
  })

  await expect(starting).rejects.toThrow(/^no port$/)
  expect(closed).toEqual(['opened'])
  expect(lines).toHaveLength(1)
})
