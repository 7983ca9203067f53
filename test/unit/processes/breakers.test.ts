import { describe, expect, test } from 'vitest'
import { createBreakerOwners } from '../../../gateway/processes/group/breaker-owners.ts'
import { Protection } from '../../../rest-facade/backends/protection.ts'
import { callProtected } from '../../support/stubs/call-protected.ts'

/** Workers whose breakers the primary connects. */
function createWorkers(count: number) {
  const watchers = new Map<number, (isOpen: boolean) => void>()
  const ids = Array.from({ length: count }, (_, index) => index + 1)
  const told: string[] = []
  const owners = createBreakerOwners({
    workers: () => ids,
    tell(worker, _module, isOpen) {
      told.push(`${worker} ${isOpen}`)
      watchers.get(worker)?.(isOpen)
    },
  })
  const protections = ids.map(
    (id) =>
      new Protection('finder', {
        processes: count,
        peers: {
          tell: (module, isOpen) => owners.note(id, module, isOpen),
          watch: (_module, onChange) => void watchers.set(id, onChange),
        },
      }),
  )
  return { owners, protections, told }
}

/** Each call is of the other one of two accounts: one alone opens no breaker of all. */
let calls = 0

function call(protection: Protection, status: number): Promise<number> {
  calls += 1
  return callProtected(protection, `acct_${calls % 2}`, async () => status)
}

describe('the breakers of the workers of a gateway', () => {
  test('a module that one worker finds failing is refused by all, after its part of a hundred calls', async () => {
    const { owners, protections, told } = createWorkers(4)
    const [one, two, three, four] = protections
    if (!one || !two || !three || !four) throw new Error('There are too few workers.')

    for (let index = 0; index < 40 && !one.isRefusing; index += 1) await call(one, 500)

    expect(protections.map((protection) => protection.isRefusing)).toEqual([true, true, true, true])
    expect(owners.openElsewhere(2)).toEqual(['finder'])
    expect(told).toEqual(['2 true', '3 true', '4 true'])
    await expect(call(two, 200)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })

    // Another one that opens at the same moment leaves the probes to the first.
    owners.note(2, 'finder', true)
    expect(told.at(-1)).toBe('2 true')
    owners.note(2, 'finder', false)
    expect(owners.openElsewhere(3)).toEqual(['finder'])
    owners.note(1, 'finder', false)
    expect([two, three, four].map((protection) => protection.isRefusing)).toEqual([
      false,
      false,
      false,
    ])
  })

  test('breakers of a worker that ends are closed for the others, who then find out themselves', async () => {
    const { owners, protections } = createWorkers(2)
    const [one, two] = protections
    if (!one || !two) throw new Error('There are too few workers.')
    for (let index = 0; index < 80 && !one.isRefusing; index += 1) await call(one, 500)
    expect(two.isRefusing).toBe(true)

    owners.release(1)

    expect(two.isRefusing).toBe(false)
    expect(owners.openElsewhere(2)).toEqual([])
    expect(await call(two, 200)).toBe(200)
  })

  test('the worker that probes a module is never told that the module is refused elsewhere', async () => {
    const { owners, protections } = createWorkers(2)
    const [one] = protections
    if (!one) throw new Error('There is no worker.')
    for (let index = 0; index < 80 && !one.isRefusing; index += 1) await call(one, 500)

    // Each worker is told of the breakers of the others, as when the process for jobs was started again.
    const told = [1, 2].map((worker) => owners.openElsewhere(worker))

    expect(told).toEqual([[], ['finder']])
  })
})
