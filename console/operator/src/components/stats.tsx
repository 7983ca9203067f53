import type { ReactNode } from 'react'

export interface Stat {
  readonly name: string
  readonly value: ReactNode
  readonly note?: ReactNode
}

/** Large numbers with their names. */
export function Stats({ stats }: { readonly stats: readonly Stat[] }) {
  return (
    <dl className="card stats">
      {stats.map(({ name, value, note }) => (
        <div key={name} className="stat">
          <dt>{name}</dt>
          <dd>
            {value}
            {note && <div className="note">{note}</div>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
