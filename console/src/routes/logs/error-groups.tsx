import type { UsageErrorGroup, UsageErrors } from 'credit-gateway-sdk'
import { useState } from 'react'
import { gateway } from '../../api.ts'
import { Amount } from '../../components/figures.tsx'
import { type Column, Loading } from '../../components/list.tsx'
import { NoPermission, ProblemNotice } from '../../components/problem.tsx'
import { HttpStatus } from '../../components/status.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { askedOf } from '../../data/asked.ts'
import { useRead } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'
import { spanOf } from '../../data/span.ts'
import { serviceName } from '../../format/names.ts'

/** The failures that the filters choose, one row for each endpoint, status and code. */
export function ErrorGroups() {
  const { filters, set } = useFilters()
  const [openedMs] = useState(Date.now)
  const { status_class: status, ...asked } = askedOf(filters)
  return (
    <Failures
      asked={{
        ...spanOf(filters, openedMs),
        ...asked,
        ...(status === '4xx' || status === '5xx' ? { status_class: status } : {}),
        ...(filters.error ? { error_code: filters.error } : {}),
      }}
      onOpen={(id) => set({ request: id })}
      onList={({ endpoint, error_code: error }) =>
        set({ view: undefined, endpoint, error: error ?? undefined })
      }
    />
  )
}

type Asked = NonNullable<Parameters<typeof gateway.usage.listErrors>[0]>

interface FailuresProps {
  /** The parameters of the API, as the address has them. */
  readonly asked: Readonly<Record<string, string>>
  readonly onOpen: (requestId: string) => void
  /** Lists the requests of a row. */
  readonly onList?: (group: UsageErrorGroup) => void
}

/** Failures of the last days, one row for each endpoint, status and code. */
export function Failures({ asked, onOpen, onList }: FailuresProps) {
  const errors = useRead<UsageErrors>(
    ['usage', 'errors', asked],
    (options) => gateway.usage.listErrors({ ...asked, extended: true } as Asked, options),
    { scopes: ['usage:read'], isLive: true, everyMs: 10_000, keepsPrevious: true },
  )
  const { data } = errors
  if (errors.missing) {
    return (
      <div className="card-body">
        <NoPermission {...errors.missing} />
      </div>
    )
  }
  return (
    <div aria-busy={errors.isLoading || errors.isPlaceholderData}>
      {errors.error && (
        <div className="card-body">
          <ProblemNotice error={errors.error} retry={() => void errors.refetch()} />
        </div>
      )}
      {errors.isLoading && <Loading what="errors" />}
      {data && !data.is_complete && (
        <p className="card-body quiet small">
          There are more errors than we counted here. Choose a shorter time to count them all.
        </p>
      )}
      {data && data.items.length === 0 && (
        <p className="card-body quiet" role="status">
          No errors in this time.
        </p>
      )}
      {data && data.items.length > 0 && (
        <Table
          {...{ name: 'errors', items: data.items, isStale: errors.isPlaceholderData }}
          columns={columns(onOpen, onList)}
          keyOf={({ endpoint, status, error_code: code }) => `${endpoint} ${status} ${code}`}
          onOpen={({ last_request_id: id }) => onOpen(id)}
        />
      )}
    </div>
  )
}

function columns(
  open: FailuresProps['onOpen'],
  list: FailuresProps['onList'],
): readonly Column<UsageErrorGroup>[] {
  return [
    {
      ...{ label: 'Endpoint', sortBy: ({ endpoint }) => endpoint },
      cell: ({ endpoint, last_request_id: id }) => (
        <button type="button" className="row-link mono" onClick={() => open(id)}>
          {endpoint}
        </button>
      ),
    },
    {
      ...{ label: 'Status', sortBy: ({ status }) => status },
      cell: ({ status }) => <HttpStatus status={status} />,
    },
    {
      ...{ label: 'Error', sortBy: ({ error_code: code }) => code ?? null },
      cell: ({ error_code: code, error_message: message }) => (
        <span className="mono amount" title={message ?? undefined}>
          {code ?? '–'}
        </span>
      ),
    },
    { label: 'Service', cell: ({ service }) => serviceName(service) },
    {
      ...{ label: 'Requests', isRight: true, sortBy: ({ requests }) => requests },
      cell: (group) =>
        list ? (
          <button type="button" className="row-link link" onClick={() => list(group)}>
            <Amount value={group.requests} />
          </button>
        ) : (
          <Amount value={group.requests} />
        ),
    },
    {
      ...{ label: 'First', isRight: true, sortBy: ({ first_at: at }) => at },
      cell: ({ first_at: at }) => <Time at={at} as="relative" />,
    },
    {
      ...{ label: 'Last', isRight: true, onPhone: 'side', sortBy: ({ last_at: at }) => at },
      cell: ({ last_at: at }) => <Time at={at} as="relative" />,
    },
  ]
}
