import { setFlagsFromString } from 'node:v8'
import { expect, it } from 'vitest'
import { countAllocations } from '../../../proof/bench/machine/allocations.ts'

const arrays = 50_000
const elements = 128
const arrayBytes = elements * 8
const numbers = Array.from({ length: elements }, (_, index) => index)

it('countAllocations: counts what was allocated, also what collections have freed', () => {
  // A gateway has this flag too: V8 may otherwise make such arrays old at once.
  setFlagsFromString('--no-allocation-site-pretenuring')
  const tellAllocated = countAllocations()
  let last: unknown
  for (let made = 0; made < arrays; made += 1) last = numbers.slice()
  const bytes = tellAllocated()

  expect(last).toHaveLength(elements)
  expect(bytes).toBeGreaterThan(arrays * arrayBytes)
  expect(bytes).toBeLessThan(1.1 * arrays * arrayBytes)
})
