import type { ReactNode } from 'react'

/** Names beside their values. Entries that are null or false are left out. */
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

/** Shows people the content of a message between programs. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: people without a mouse must scroll it.
    <section className="code json" aria-label={label} tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </section>
  )
}
