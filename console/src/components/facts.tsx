import type { ReactNode } from 'react'

/** Names beside their values. What is null or false is left out. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
}) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== null && value !== false)
        .map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}:`}>{value}</dd>])}
    </dl>
  )
}

/** What programs send, for people. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse must be able to scroll it.
    <section className="code json" aria-label={label} tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </section>
  )
}
