import type { LookupFunction } from 'node:net'
import { describe, expect, test } from 'vitest'
import { resolveByDns } from '../../../subgraphs/shared/outgoing/resolve-host.ts'
import { local, messageTo, startSender, startTrap } from '../../support/stubs/receivers.ts'
import { type Names, startNameServer } from './name-server.ts'

const forever = new AbortController().signal
const v6 = '2606:4700:0:0:0:0:0:1111'

describe('the resolution of receiver names', () => {
  test('returns the addresses of both families', async () => {
    const resolver = await startNameServer((_name, type) => ({
      addresses: type === 'A' ? ['8.8.8.8', '8.8.4.4'] : [v6],
    }))

    const addresses = await resolveByDns('receiver.example', forever, resolver)

    expect(addresses).toEqual(['8.8.8.8', '8.8.4.4', '2606:4700::1111'])
  })

  test.each(['A', 'AAAA'] as const)(
    'succeeds with %s alone, whatever the result of the other',
    async (own) => {
      for (const other of [{ addresses: [] }, 'server failure', 'no such name'] as const) {
        const addresses = own === 'A' ? ['8.8.8.8'] : [v6]
        const resolver = await startNameServer((_name, type) =>
          type === own ? { addresses } : other,
        )

        expect(await resolveByDns('receiver.example', forever, resolver)).toHaveLength(1)
      }
    },
  )

  test.each([
    ['no such name', 'ENOTFOUND'],
    ['server failure', 'ESERVFAIL'],
  ] as const)('with %s is an error', async (answer, code) => {
    const resolver = await startNameServer(() => answer)

    await expect(resolveByDns('receiver.example', forever, resolver)).rejects.toMatchObject({
      code,
    })
  })

  test('is cancelled at the time limit', async () => {
    const resolver = await startNameServer(() => 'silence')
    const stop = new AbortController()
    const resolving = resolveByDns('receiver.example', stop.signal, resolver)

    stop.abort()

    await expect(resolving).rejects.toMatchObject({ code: 'ECANCELLED' })
  })

  test.each<[string, Names]>([
    ['an address of loopback', (_name, type) => of(type, '127.0.0.1')],
    ['an alias of localhost', (_name, type) => ({ ...of(type, '127.0.0.1'), alias: 'localhost' })],
    [
      'loopback of IPv6 beside a public address',
      (_n, type) => of(type, '8.8.8.8', '0:0:0:0:0:0:0:1'),
    ],
    ['an address that is mapped', (_n, type) => of(type, '8.8.8.8', '0:0:0:0:0:ffff:7f00:0001')],
    ['metadata', (_name, type) => of(type, '169.254.169.254')],
  ])('to %s reaches no server', async (_what, names) => {
    const trap = await startTrap()
    const resolver = await startNameServer(names)
    const lookup: LookupFunction = (name, _options, done) => {
      resolveByDns(name, forever, resolver).then(
        (all) =>
          done(
            null,
            all.map((address) => ({ address, family: 0 })),
          ),
        (error) => done(error, ''),
      )
    }

    const outcome = await startSender({ ...local, lookup }).send(
      messageTo(`https://rebind.example:${trap.port}/`),
    )

    expect(outcome).toMatchObject({ status: null, failure: 'forbidden address' })
    expect(trap.accepts()).toBe(0)
  })

  test('asks the name servers of the system, which do not know malformed names', async () => {
    const outcome = await startSender({ timeoutMs: 3000 }).send(
      messageTo('https://nobody.invalid/'),
    )

    // Without a network no server answers.
    expect(outcome.status).toBeNull()
    expect(['host not found', 'host not resolved', 'timeout']).toContain(outcome.failure)
  })
})

function of(type: 'A' | 'AAAA', a: string, aaaa?: string): { addresses: readonly string[] } {
  const answer = type === 'A' ? a : aaaa
  return { addresses: answer === undefined ? [] : [answer] }
}
