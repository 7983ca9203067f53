import type { ReactNode } from 'react'

export interface Column<Item> {
  /** The head of the column. An empty one is for what needs no name, such as a menu. */
  readonly label: string
  readonly isRight?: boolean
  readonly cell: (item: Item) => ReactNode
}

interface TableProps<Item> {
  /** What the table has, for screen readers: "API keys". */
  readonly name: string
  readonly columns: readonly Column<Item>[]
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** Opens one. A link or button in the first column must do the same, for the keyboard. */
  readonly onOpen?: ((item: Item) => void) | undefined
  /** Whether newer items are on their way. */
  readonly isStale?: boolean
}

/**
 * Items as rows. On a phone the rows are blocks. That takes the roles of a table away, so they are written
 * out.
 */
export function Table<Item>({
  name,
  columns,
  items,
  keyOf,
  onOpen,
  isStale = false,
}: TableProps<Item>) {
  return (
    <table className="list" role="table" aria-label={name} data-stale={isStale}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ label, isRight }) => (
            <th key={label} scope="col" className={isRight ? 'right' : undefined}>
              {label || <span className="unseen">Actions</span>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {items.map((item) => (
          <tr
            key={keyOf(item)}
            role="row"
            className={onOpen ? 'opens' : undefined}
            onClick={onOpen && ((event) => openBy(event.target, () => onOpen(item)))}
          >
            {columns.map(({ label, isRight, cell }) => (
              <td
                key={label}
                role="cell"
                data-label={label}
                className={isRight ? 'right' : undefined}
              >
                <div>{cell(item)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A click on something that acts by itself is not a click on the row, nor is a selection of text. */
function openBy(target: EventTarget, open: () => void): void {
  if (target instanceof Element && target.closest('a, button, input, [role="menu"]')) return
  if (String(getSelection()) !== '') return
  open()
}
