import { Button, Group, Loader } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ReadPage } from '../data/read.ts'
import { useSession } from '../session/session.tsx'
import { Icon } from './icons.tsx'
import { NoPermission, ProblemNotice } from './problem.tsx'

export interface Column<Item> {
  /** The head of the column. An empty one is for what needs no name, such as a menu. */
  readonly label: string
  readonly isRight?: boolean
  readonly cell: (item: Item) => ReactNode
}

interface ListProps<Item> {
  /** What the list has, for screen readers: "API keys". */
  readonly name: string
  readonly page: ReadPage<Item>
  readonly columns: readonly Column<Item>[]
  readonly keyOf: (item: Item) => string
  /** What is shown where nothing is, with the next step. */
  readonly empty: ReactNode
  /** Opens one. A link or button in the first column must do the same, for the keyboard. */
  readonly onOpen?: (item: Item) => void
}

/**
 * One page of a list, with all its states: it loads, is empty, failed, or is not permitted. On a phone its
 * rows are blocks. That takes the roles of a table away, so they are written out.
 */
export function List<Item>({ name, page, columns, keyOf, empty, onOpen }: ListProps<Item>) {
  const session = useSession()
  if (page.missing) {
    return (
      <div className="card-body">
        <NoPermission scopes={page.missing} role={session.role} />
      </div>
    )
  }
  const { data, error } = page
  return (
    <div aria-busy={page.isFetching && (page.isPending || page.isPlaceholderData)}>
      {error && (
        <div className="card-body">
          <ProblemNotice error={error} retry={() => void page.refetch()} />
        </div>
      )}
      {!data && !error && <Loading what={name} />}
      {data && data.items.length === 0 && (
        <div className="card-body quiet" role="status">
          {page.cursor === null ? empty : 'There is nothing on this page any more.'}
        </div>
      )}
      {data && data.items.length > 0 && (
        <table className="list" role="table" aria-label={name} data-stale={page.isPlaceholderData}>
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
            {data.items.map((item) => (
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
      )}
      {data && <Pager name={name} page={page} next={data.next_cursor} />}
    </div>
  )
}

/** A click on something that acts by itself is not a click on the row, nor is a selection of text. */
function openBy(target: EventTarget, open: () => void): void {
  if (target instanceof Element && target.closest('a, button, input, [role="menu"]')) return
  if (String(getSelection()) !== '') return
  open()
}

interface PagerProps {
  readonly name: string
  readonly page: Pick<ReadPage<unknown>, 'cursor' | 'turn' | 'pagesTurned' | 'isPlaceholderData'>
  readonly next: string | null
}

function Pager({ name, page, next }: PagerProps) {
  if (page.cursor === null && next === null) return null
  return (
    <nav className="card-body" aria-label={`Pages of ${name}`}>
      <Group justify="flex-end" gap="xs">
        {page.cursor !== null && (
          <Button variant="default" size="xs" onClick={() => page.turn(null)}>
            First page
          </Button>
        )}
        {page.pagesTurned > 0 && (
          <Button
            {...{ variant: 'default', size: 'xs', leftSection: <Icon name="previous" size={12} /> }}
            onClick={() => history.back()}
          >
            Previous
          </Button>
        )}
        <Button
          {...{ variant: 'default', size: 'xs', rightSection: <Icon name="next" size={12} /> }}
          disabled={next === null || page.isPlaceholderData}
          onClick={() => page.turn(next)}
        >
          Next
        </Button>
      </Group>
    </nav>
  )
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <div className="card-body quiet" role="status" aria-busy="true">
      <Group gap="xs">
        <Loader size="xs" aria-hidden="true" />
        <span>Loading {what}…</span>
      </Group>
    </div>
  )
}
