import type { ReactNode } from 'react'

/** A value before and after an act. Without `before` it is new. */
export interface Change {
  readonly what: string
  readonly before?: ReactNode
  readonly after: ReactNode
}

interface ChangesProps {
  readonly title: string
  readonly changes: readonly Change[]
}

/** Values before and after an act. */
export function Changes({ title, changes }: ChangesProps) {
  if (changes.length === 0) return null
  return (
    <table className="changes" aria-label={title}>
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ what, before, after }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>{before ?? '–'}</td>
            <td>
              <b>{after}</b>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
