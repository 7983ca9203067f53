const integers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** An integer with separators, never shortened: 1,234,567. */
export function integer(value: number): string {
  return integers.format(value)
}

/** A share of 1 as percent: 0.9934 → 99.3 %. Rounding never makes a failure invisible. */
export function percent(share: number): string {
  const rounded = Math.round(share * 1000) / 10
  const shown = share < 1 && rounded === 100 ? 99.9 : share > 0 && rounded === 0 ? 0.1 : rounded
  return `${shown.toLocaleString('en-US', { maximumFractionDigits: 1 })} %`
}

/** Milliseconds as people read them. */
export function duration(ms: number | null): string {
  if (ms === null) return '–'
  return `${integer(ms)} ms`
}

interface AmountProps {
  readonly value: number
  /** Whether a positive number has a plus. */
  readonly isSigned?: boolean
  /** The counted unit, for example `credits`. */
  readonly unit?: string
}

export function Amount({ value, isSigned = false, unit }: AmountProps) {
  const sign = isSigned && value > 0 ? '+' : ''
  return (
    <span className="amount">
      {sign}
      {integer(value)}
      {unit ? ` ${unit}` : ''}
    </span>
  )
}
