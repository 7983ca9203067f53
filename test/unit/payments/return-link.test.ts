import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  isReturnLink,
  returnAddress,
} from '../../../subgraphs/account/payments/return-links/return-address.ts'

const gatewaySecret = 'a secret for tests, long enough to pass'
const context = {
  gatewaySecret,
  baseUrls: { live: 'https://api.example', sandbox: 'https://sandbox.example' },
}
const start = Date.parse('2026-01-31T09:30:00Z')

beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the link of our return page', () => {
  function linkOf(environment: 'live' | 'sandbox') {
    const payment = { paymentId: newId('pay'), environment, returnUrl: null }
    const url = new URL(returnAddress(context, payment))
    const part = (name: string) => url.searchParams.get(name) ?? ''
    return {
      url,
      link: {
        ...{ checkoutId: part('checkout_id'), expires: part('expires') },
        signature: part('signature'),
      },
    }
  }

  test('is good for 24 hours from the checkout, and not a second longer', () => {
    const { link } = linkOf('live')
    const dayMs = 86_400_000

    expect(isReturnLink(gatewaySecret, link)).toBe(true)
    vi.setSystemTime(start + dayMs - 1)
    expect(isReturnLink(gatewaySecret, link)).toBe(true)
    vi.setSystemTime(start + dayMs)
    expect(isReturnLink(gatewaySecret, link)).toBe(false)
    expect(isReturnLink(gatewaySecret, { ...link, expires: `${start / 1000 + 200_000}` })).toBe(
      false,
    )
  })

  test('is of the listener of its environment, and has nothing but id, end and signature', () => {
    const { url } = linkOf('sandbox')

    expect(url.origin + url.pathname).toBe('https://sandbox.example/billing/return')
    expect([...url.searchParams.keys()]).toEqual(['checkout_id', 'expires', 'signature'])
  })

  test('of another gateway is refused', () => {
    const { link } = linkOf('live')

    expect(isReturnLink('another secret, long enough to pass', link)).toBe(false)
  })
})
