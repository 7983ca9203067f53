import type { Read } from '../data/read.ts'
import { Loading } from './list.tsx'
import { NoPermission, ProblemNotice } from './problem.tsx'

interface UnreadProps {
  readonly read: Pick<Read<unknown>, 'missing' | 'error' | 'refetch'>
  readonly what: string
}

/** The content of a card without data: loading, failed, or not permitted. */
export function Unread({ read, what }: UnreadProps) {
  const { missing, error, refetch } = read
  if (missing) {
    return (
      <div className="card-body">
        <NoPermission {...missing} />
      </div>
    )
  }
  if (!error) return <Loading what={what} />
  return (
    <div className="card-body">
      <ProblemNotice error={error} retry={() => void refetch()} />
    </div>
  )
}
