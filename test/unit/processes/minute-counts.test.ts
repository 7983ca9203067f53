import { expect, test } from 'vitest'
import {
  createAskedMinute,
  createMinuteCounts,
} from '../../../gateway/processes/group/minute-counts.ts'

function twoWorkers(perMinute: number) {
  const count = createMinuteCounts()
  let asked = 0
  const worker = () =>
    createAskedMinute('token', perMinute, (question) => {
      asked += 1
      return count(question)
    })
  return { one: worker(), two: worker(), asked: () => asked }
}

test('OAUTH_LIMITS: workers count in one minute, and keep a refusal until it ends', async () => {
  const { one, two, asked } = twoWorkers(3)

  const counted = [await one.count('a'), await two.count('a'), await one.count('a')]
  const refused = [await two.count('a'), await two.count('a'), await two.waitOf('a')]

  expect(counted).toEqual([null, null, null])
  expect(refused.every((seconds) => seconds !== null && seconds >= 1)).toBe(true)
  expect(asked()).toBe(4)
  expect(await one.count('b')).toBeNull()
})

test('a look counts nothing, and sees the counts of the other worker', async () => {
  const { one, two } = twoWorkers(1)

  expect(await one.waitOf('a')).toBeNull()
  expect(await one.count('a')).toBeNull()
  expect(await two.waitOf('a')).toBeGreaterThanOrEqual(1)
})

test('a limit of 0 limits nothing, and costs no message', async () => {
  const { one, asked } = twoWorkers(0)

  expect([await one.count('a'), await one.waitOf('a')]).toEqual([null, null])
  expect(asked()).toBe(0)
})
