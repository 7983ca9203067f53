import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'
import { type SortValue, useSorting } from './sorting.ts'

export interface Column<Item> {
  /** The head of the column. It is empty if the column needs no name, such as a column of menus. */
  readonly label: string
  readonly isRight?: boolean
  readonly cell: (item: Item) => ReactNode
  /** What people can sort by; only for a table that has all rows, never for a page of them. */
  readonly sortBy?: (item: Item) => SortValue
  /**
   * The place in the two lines of a row on a phone: `title` begins the first line and `side` ends it.
   * By default the first column is the title, and the last one without a name or with numbers the
   * side. Others stand in the second line as far as there is room.
   */
  readonly onPhone?: 'title' | 'side' | 'line'
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
 * Items as rows. On a phone each has two lines. Such rows have no roles of a table, so the roles are
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
  const sorting = useSorting(items, columns)
  const places = placesOf(columns)
  return (
    <table className="list" role="table" aria-label={name} data-stale={isStale}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ label, isRight, sortBy }) => (
            <th
              key={label}
              scope="col"
              className={isRight ? 'right' : undefined}
              aria-sort={sortBy && sorting.directionOf(label)}
            >
              {sortBy ? (
                <button type="button" className="sort" onClick={() => sorting.sort(label)}>
                  {label}
                  <Icon name="caret" size={10} />
                </button>
              ) : (
                label || <span className="unseen">Actions</span>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {sorting.items.map((item) => (
          <tr
            key={keyOf(item)}
            role="row"
            className={onOpen ? 'opens' : undefined}
            onClick={onOpen && ((event) => openBy(event.target, () => onOpen(item)))}
          >
            {columns.map(({ label, isRight, cell }, index) => (
              <td
                key={label}
                role="cell"
                data-label={label}
                data-phone={places[index]}
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

function placesOf<Item>(columns: readonly Column<Item>[]): readonly string[] {
  const title = Math.max(
    0,
    columns.findIndex(({ onPhone }) => onPhone === 'title'),
  )
  const named = columns.findIndex(({ onPhone }) => onPhone === 'side')
  const fits = ({ label, isRight, onPhone }: Column<Item>, index: number) =>
    index !== title && onPhone === undefined && (label === '' || isRight === true)
  const side = named === -1 ? columns.findLastIndex(fits) : named
  return columns.map((_, index) => (index === title ? 'title' : index === side ? 'side' : 'line'))
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
