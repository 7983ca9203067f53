import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLog } from '../../../rest-facade/launch/process/log.ts'
import { createOverload, type Overload } from '../../../rest-facade/listeners/overload.ts'

describe('createOverload', () => {
  let overload: Overload
  beforeEach(() => {
    const log = createLog({ level: 'silent', format: 'json' })
    overload = createOverload({ maxRequests: 1000, crowd: 250, log })
  })
  afterEach(() => overload.close())

  function refuses(count: number, working: number, servedPerSecond: number): boolean {
    return overload.refuses({
      count: () => count,
      working: () => working,
      servedPerSecond: () => servedPerSecond,
    })
  }

  test('limits the requests in hand of a listener, also when others do the work', () => {
    expect(refuses(999, 0, 0)).toBe(false)
    expect(refuses(1000, 0, 0)).toBe(true)
    expect(refuses(1000, 0, 5000)).toBe(true)
  })

  test('limits running requests to the number that is served in a quarter of a second', () => {
    expect(refuses(600, 599, 2400)).toBe(false)
    expect(refuses(600, 600, 2400)).toBe(true)
    expect(refuses(600, 300, 1196)).toBe(true)
  })

  test('never refuses a few requests, however slow they are', () => {
    expect(refuses(999, 249, 0)).toBe(false)
    expect(refuses(999, 250, 0)).toBe(true)
  })
})
