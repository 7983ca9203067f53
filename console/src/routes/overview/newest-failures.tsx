import { Link } from '@tanstack/react-router'
import type { UsageErrors } from 'credit-gateway-sdk'
import { Loading } from '../../components/list.tsx'
import { NoPermission, ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { HttpStatus } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import type { Read } from '../../data/read.ts'
import { integer } from '../../format/numbers.ts'

const shownGroups = 5

/** The newest failures, each with its newest request. */
export function NewestFailures({ errors }: { readonly errors: Read<UsageErrors> }) {
  const newest = [...(errors.data?.items ?? [])]
    .sort((one, other) => other.last_at.localeCompare(one.last_at))
    .slice(0, shownGroups)
  return (
    <Card
      title="Recent errors"
      actions={
        <Link to="/logs" search={{ view: 'errors' } as never}>
          All errors
        </Link>
      }
    >
      {errors.missing && (
        <div className="card-body">
          <NoPermission {...errors.missing} />
        </div>
      )}
      {errors.error && (
        <div className="card-body">
          <ProblemNotice error={errors.error} retry={() => void errors.refetch()} />
        </div>
      )}
      {errors.isLoading && <Loading what="errors" />}
      {errors.data && newest.length === 0 && (
        <p className="card-body quiet">Nothing failed in the last 7 days.</p>
      )}
      {newest.length > 0 && (
        <ul className="rows">
          {newest.map((group) => (
            <li key={`${group.endpoint} ${group.status}`}>
              <HttpStatus status={group.status} />
              <Link
                {...{ to: '/logs', className: 'mono grow' }}
                search={{ request: group.last_request_id } as never}
              >
                {group.endpoint}
              </Link>
              <span className="quiet amount">{integer(group.requests)}×</span>
              <span className="quiet">
                <Time at={group.last_at} as="relative" />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
