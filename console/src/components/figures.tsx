import { integer } from '../format/numbers.ts'

/** Stands for a value that there is none of. On a phone its column is left out of the row. */
export function None() {
  return <span className="quiet none">–</span>
}

interface AmountProps {
  readonly value: number
  /** Whether a positive number has a plus. */
  readonly isSigned?: boolean
  /** The counted unit in the plural, for example `credits`. */
  readonly unit?: string
}

export function Amount({ value, isSigned = false, unit }: AmountProps) {
  const sign = isSigned && value > 0 ? '+' : ''
  return (
    <span className="amount">
      {sign}
      {integer(value)}
      {unit ? ` ${Math.abs(value) === 1 ? unit.replace(/s$/, '') : unit}` : ''}
    </span>
  )
}
