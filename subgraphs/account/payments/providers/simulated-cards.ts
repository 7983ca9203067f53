import type { Card } from './payment-provider.ts'

/** The time that the slow cards take. */
export const slowMs = 2000

interface SimulatedCard {
  readonly last4: string
  /** The text of the page about the card. */
  readonly description: string
  /** The number of notifications about a payment by this card in a checkout without a page. */
  readonly notices: number
  readonly isSlow: boolean
}

/** The cards of the simulated provider, by their names. */
const cards = new Map<string, SimulatedCard>([
  ['simulated', card('4242', 'pays at once', 0)],
  ['simulated_slow', card('0077', 'pays after two seconds', 1)],
  ['simulated_duplicated', card('1111', 'pays after two seconds, told ten times', 10)],
  ['simulated_authenticate', card('3155', 'wants a confirmation', 0)],
  ['simulated_declined', card('0002', 'is declined', 0)],
])

function card(last4: string, description: string, notices: number): SimulatedCard {
  return { last4, description, notices, isSlow: notices > 0 }
}

export const simulatedMethods: readonly string[] = [...cards.keys()]

/** The card of a name; throws for any other. */
export function simulatedCard(name: string): SimulatedCard {
  const found = cards.get(name)
  if (!found) throw new Error(`The simulated provider has no card ${name}.`)
  return found
}

/** The method that the account keeps after a purchase by this card. */
export function keptCard(name: string): Card {
  const { last4 } = simulatedCard(name)
  return { reference: name, brand: 'visa', last4, expMonth: 12, expYear: 2040, fingerprint: null }
}
