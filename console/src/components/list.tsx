import { Button, Group, Loader } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ReadPage } from '../data/read.ts'
import { Icon } from './icons.tsx'
import { NoPermission, ProblemNotice } from './problem.tsx'
import { type Column, Table } from './table.tsx'

interface ListProps<Item> {
  /** The name of the items, for screen readers: "API keys". */
  readonly name: string
  readonly page: ReadPage<Item>
  readonly columns: readonly Column<Item>[]
  readonly keyOf: (item: Item) => string
  /** The text of an empty list, with the next step. */
  readonly empty: ReactNode
  /** Opens an item. A link or button in the first column must do the same, for the keyboard. */
  readonly onOpen?: (item: Item) => void
}

/** One page of a list, with all its states: loading, empty, failed, not permitted. */
export function List<Item>({ name, page, columns, keyOf, empty, onOpen }: ListProps<Item>) {
  if (page.missing) {
    return (
      <div className="card-body">
        <NoPermission {...page.missing} />
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
        <Table
          {...{ name, columns, keyOf, onOpen, items: data.items, isStale: page.isPlaceholderData }}
        />
      )}
      {data && <Pager name={name} page={page} next={data.next_cursor} />}
    </div>
  )
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

export type { Column }

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
