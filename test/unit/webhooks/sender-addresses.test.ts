import { once } from 'node:events'
import { connect, type LookupFunction } from 'node:net'
import { describe, expect, test } from 'vitest'
import { endpointUrlProblem } from '../../../subgraphs/shared/outgoing/endpoint-url.ts'
import { isPublicAddress } from '../../../subgraphs/shared/outgoing/special-addresses.ts'
import {
  addressesOfThisMachine,
  local,
  messageTo,
  production,
  startReceiver,
  startSender,
  startTrap,
} from '../../support/stubs/receivers.ts'
import { patience } from '../../support/time/patience.ts'
import { addressVerdicts, forbiddenUrls, notAddresses, permittedUrls } from './address-table.ts'

const forbidden = { status: null, failure: 'forbidden address', retryAfterSeconds: null }
/** In a block that IANA has given to nobody. */
const nobody = '2d00::1'

describe('URLs of webhook endpoints', () => {
  test.each(forbiddenUrls)('%s is refused (%s)', (url) => {
    const written = url.replaceAll('PORT', '8080')

    expect(endpointUrlProblem(written, production)).toMatch(/^must /)
    expect(endpointUrlProblem(written.replace(/^https:/, 'http:'), production)).toMatch(/^must /)
  })

  test.each(permittedUrls)('%s is accepted', (url) => {
    expect(endpointUrlProblem(url, production)).toBeNull()
  })

  test.each(permittedUrls)('%s is refused with http, with loopback allowed too', (url) => {
    const plain = url.replace(/^https:/, 'http:')

    expect(endpointUrlProblem(plain, production)).toBe('must begin with https://')
    expect(endpointUrlProblem(plain, local)).toBe(
      'must begin with https://, or with http:// and an address of loopback',
    )
  })

  test.each(['https:', 'http:'])(
    'allowing loopback allows loopback and nothing else, with %s',
    (scheme) => {
      const accepted = forbiddenUrls
        .map(([url]) => url.replaceAll('PORT', '8080').replace(/^https:/, scheme))
        .filter((url) => endpointUrlProblem(url, local) === null)
        .map((url) => new URL(url).hostname)

      expect(new Set(accepted)).toEqual(new Set(['127.0.0.1', '127.1.2.3', '[::1]', 'localhost']))
    },
  )

  test('a URL of more than 2,048 characters is refused', () => {
    const longest = `https://example.com/${'a'.repeat(2048 - 20)}`

    expect(endpointUrlProblem(longest, production)).toBeNull()
    expect(endpointUrlProblem(`${longest}a`, production)).toMatch(/2048 characters/)
  })

  test.each(addressVerdicts)('%s is %s', (address, verdict) => {
    expect(isPublicAddress(address)).toBe(verdict === 'public')
  })

  test('an address of this machine is not public, in any notation', () => {
    const own = ['127.0.0.1', '8.8.8.8', '2606:4700::1111']

    expect(isPublicAddress('8.8.8.8', [], own)).toBe(false)
    expect(isPublicAddress('2606:4700:0:0::1111', [], own)).toBe(false)
    expect(isPublicAddress('8.8.8.9', [], own)).toBe(true)
    expect(isPublicAddress('2606:4700::1112', [], own)).toBe(true)
  })

  test('an address in a network of this machine is not public', () => {
    const interfaces = ['127.0.0.1/8', '8.8.8.77/25', '2606:4700::77/64', '9.9.9.9/32']
    const verdicts = {
      ...{ '8.8.8.1': false, '8.8.8.127': false, '8.8.8.128': true },
      ...{ '2606:4700::1': false, '2606:4700:0:0:ffff::': false, '2606:4700:0:1::': true },
      ...{ '9.9.9.9': false, '9.9.9.8': true },
    }

    for (const [address, verdict] of Object.entries(verdicts)) {
      expect(isPublicAddress(address, [], interfaces), address).toBe(verdict)
    }
  })

  test('a host that the operator denies is refused as it is written', () => {
    const rules = { ...production, deniedCidrs: ['8.8.8.0/24', '2606:4700::/32'] }

    for (const host of ['8.8.8.8', '0x8.0x8.0x8.0x8', '[2606:4700::1111]']) {
      expect(endpointUrlProblem(`https://${host}/`, production), host).toBeNull()
      expect(endpointUrlProblem(`https://${host}/`, rules), host).toMatch(/private address/)
    }
    expect(endpointUrlProblem('https://8.8.9.8/', rules)).toBeNull()
  })
})

describe('deliveries to forbidden addresses', () => {
  test('no URL of the table reaches a listener on any address of this machine', async () => {
    const trap = await startTrap()
    const sender = startSender({ ...production, lookup: always('127.0.0.1') })
    for (const address of addressesOfThisMachine()) await knock(address, trap.port)
    await expect.poll(trap.accepts, patience).toBe(addressesOfThisMachine().length)

    for (const [url] of forbiddenUrls) {
      const https = url.replaceAll('PORT', String(trap.port))
      for (const one of [https, https.replace(/^https:/, 'http:')]) {
        expect(await sender.send(messageTo(one)), one).toMatchObject(forbidden)
      }
    }
    for (const address of addressesOfThisMachine()) {
      const host = address.includes(':') ? `[${address}]` : address
      const outcome = await sender.send(messageTo(`https://${host}:${trap.port}/`))
      expect(outcome, address).toMatchObject(forbidden)
    }

    expect(trap.accepts()).toBe(addressesOfThisMachine().length)
  })

  test('a name that resolves to an address of this machine is refused, with loopback allowed too', async () => {
    const trap = await startTrap()
    let answer = ''
    const lookup: LookupFunction = (_name, _options, done) => done(null, [found(answer)])

    for (const rules of [production, local]) {
      const sender = startSender({ ...rules, lookup })
      for (answer of [...addressesOfThisMachine(), '::ffff:127.0.0.1', '0.0.0.0', '::']) {
        const outcome = await sender.send(messageTo(`https://rebind.example:${trap.port}/`))
        expect(outcome, answer).toMatchObject(forbidden)
      }
    }

    expect(trap.accepts()).toBe(0)
  })

  test('a name that resolves to a denied address is refused', async () => {
    const sender = startSender({
      ...production,
      deniedCidrs: ['2d00::/16'],
      lookup: always(nobody),
    })

    const outcome = await sender.send(messageTo('https://denied.example/'))

    expect(outcome).toMatchObject(forbidden)
  })

  test('an answer of a resolver that is not an address is refused', async () => {
    const trap = await startTrap()
    let answer = ''
    const sender = startSender({ ...local, lookup: (_n, _o, done) => done(null, [found(answer)]) })

    for (answer of notAddresses) {
      const outcome = await sender.send(messageTo(`https://rebind.example:${trap.port}/`))
      expect(outcome, answer).toMatchObject(forbidden)
    }

    expect(trap.accepts()).toBe(0)
  })

  test('one forbidden address among public ones refuses them all, at any position', async () => {
    const trap = await startTrap()
    for (const answers of [
      [nobody, '127.0.0.1'],
      ['127.0.0.1', nobody],
      [nobody, '::1'],
      ['8.8.8.8', nobody, nobody, nobody, nobody, '10.0.0.1'],
    ]) {
      const lookup: LookupFunction = (_name, _options, done) => done(null, answers.map(found))
      const sender = startSender({ ...production, lookup })
      const outcome = await sender.send(messageTo(`https://rebind.example:${trap.port}/`))
      expect(outcome, answers.join()).toMatchObject(forbidden)
    }

    expect(trap.accepts()).toBe(0)
  })

  test('a resolver that answers a public address first and loopback afterwards is asked once for an attempt', async () => {
    const trap = await startTrap()
    let asked = 0
    const sender = startSender({
      ...production,
      timeoutMs: 300,
      lookup(_name, _options, done) {
        asked += 1
        done(null, [found(asked === 1 ? nobody : '127.0.0.1')])
      },
    })
    const rebinding = messageTo(`https://rebind.example:${trap.port}/`)

    const first = await sender.send(rebinding)
    expect(first.status).toBeNull()
    expect(['timeout', 'host unreachable']).toContain(first.failure)
    expect(asked).toBe(1)
    expect(await sender.send(rebinding)).toMatchObject(forbidden)
    expect(asked).toBe(2)

    expect(trap.accepts()).toBe(0)
  })

  test('a later answer of the resolver changes nothing', async () => {
    const trap = await startTrap()
    let reads = 0
    const shifting = {
      family: 6,
      get address() {
        reads += 1
        return reads === 1 ? nobody : '127.0.0.1'
      },
    }
    const mutable = [found(nobody)]
    const answers = [mutable, [shifting]]
    const sender = startSender({
      ...production,
      timeoutMs: 300,
      lookup(_name, _options, done) {
        done(null, answers.shift() ?? [])
        mutable[0] = found('127.0.0.1')
      },
    })

    for (const _ of [1, 2]) {
      const outcome = await sender.send(messageTo(`https://rebind.example:${trap.port}/`))
      expect(['timeout', 'host unreachable']).toContain(outcome.failure)
    }

    expect(trap.accepts()).toBe(0)
  })

  test('a single address, as older resolvers answer, is checked alike', async () => {
    const trap = await startTrap()
    const sender = startSender({ ...production, lookup: (_n, _o, done) => done(null, '::1', 6) })

    const outcome = await sender.send(messageTo(`https://rebind.example:${trap.port}/`))

    expect(outcome).toMatchObject(forbidden)
    expect(trap.accepts()).toBe(0)
  })

  test.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is an answer, and is not followed',
    async (status) => {
      const trap = await startTrap()
      const receiver = await startReceiver((res) => {
        res.writeHead(status, { location: `http://127.0.0.1:${trap.port}/` }).end()
      })
      const sender = startSender(local)

      const outcome = await sender.send(messageTo(receiver.url))

      expect(outcome).toMatchObject({ status, failure: `http ${status}`, retryAfterSeconds: null })
      expect(receiver.deliveries).toHaveLength(1)
      expect(trap.accepts()).toBe(0)
    },
  )
})

function always(address: string): LookupFunction {
  return (_name, _options, done) => done(null, [found(address)])
}

function found(address: string): { address: string; family: number } {
  return { address, family: address.includes(':') ? 6 : 4 }
}

async function knock(address: string, port: number): Promise<void> {
  const socket = connect(port, address)
  await once(socket, 'connect')
  socket.destroy()
}
