import { expect, test, vi } from 'vitest'
import { prepareLater } from '../../../gateway/launch/warm-up/prepare-later.ts'
import { patience } from '../../support/time/patience.ts'

const operations = ['GetCredits', 'GetAccount', 'ListKeys']

test('operations are compiled while the process has little to do, and none while it is busy', async () => {
  const prepared: string[] = []
  let use = 0
  let looks = 0
  const stop = prepareLater(
    {
      operations,
      async warmUp(operation) {
        prepared.push(operation)
        use = 0.9
      },
    },
    {
      ...{ delayMs: 0, pauseMs: 1 },
      measureUse: () => () => {
        looks += 1
        return use
      },
    },
  )
  try {
    await vi.waitUntil(() => looks > 10, patience)
    expect(prepared).toEqual(['GetCredits'])

    use = 0.1
    await vi.waitUntil(() => prepared.length === 2, patience)
    use = 0.1
    await vi.waitUntil(() => prepared.length === 3, patience)
    expect(prepared).toEqual(operations)
  } finally {
    await stop()
  }
})

test('a process that stops prepares nothing more, and does not wait for a pause', async () => {
  const prepared: string[] = []
  const stop = prepareLater(
    { operations, warmUp: async (operation) => void prepared.push(operation) },
    { delayMs: 3_600_000 },
  )

  await stop()

  expect(prepared).toEqual([])
})
