import { expect, test } from 'vitest'
import { defaultWorkers } from '../../../gateway/config/variables/environment.ts'

test('WORKERS is 1 on up to two cores, else one less than the cores, and at most 8', () => {
  expect([1, 2, 3, 4, 8, 9, 10, 64].map(defaultWorkers)).toEqual([1, 1, 2, 3, 7, 8, 8, 8])
})
