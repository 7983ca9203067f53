import type { ReactNode } from 'react'

export interface Column<Item> {
  /** The head of the column. It is empty if the column needs no name, such as a column of menus. */
  readonly label: string
  readonly isRight?: boolean
  readonly cell: (item: Item) => ReactNode
}

interface TableProps<Item> {
  /** The name of the items, for screen readers: "API keys". */
  readonly name: string
  readonly columns: readonly Column<Item>[]
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** Opens an item. A link or button in the first column must do the same, for the keyboard. */
  readonly onOpen?: ((item: Item) => void) | undefined
  /** Whether newer items are being loaded. */
  readonly isStale?: boolean
}

/**
 * Items as rows. On a phone the rows are blocks. Blocks have no roles of a table, so the roles are
 * written out.
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

/**
 * A click on a button or link inside a row is not a click on the row, and neither is a selection of
 * text.
 */
function openBy(target: EventTarget, open: () => void): void {
  if (target instanceof Element && target.closest('a, button, input, [role="menu"]')) return
  if (String(getSelection()) !== '') return
  open()
}
