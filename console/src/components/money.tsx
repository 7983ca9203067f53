interface MoneyProps {
  readonly cents: number
  /** ISO 4217. */
  readonly currency: string
}

/** An amount of money, such as $1,234.50. */
export function money({ cents, currency }: MoneyProps): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return format.format(cents / 10 ** digits)
}

export function Money(props: MoneyProps) {
  return <span className="amount">{money(props)}</span>
}
