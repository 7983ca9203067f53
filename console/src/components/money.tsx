import { money, type Price } from '../format/numbers.ts'

/** An amount of money, such as $1,234.50. */
export function Money(price: Price) {
  return <span className="amount">{money(price)}</span>
}
