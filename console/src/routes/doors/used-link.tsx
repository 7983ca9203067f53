import { ProblemNotice } from '../../components/problem.tsx'
import { isRefusedAs } from '../../session/session.tsx'
import { Door } from './door.tsx'

interface UsedLinkProps {
  readonly error?: Error
  readonly retry?: () => void
}

/** The page for a link that was used or has expired. */
export function UsedLink({ error, retry }: UsedLinkProps) {
  const isOver = error === undefined || isRefusedAs(error, 404)
  return (
    <Door title="This link opens nothing">
      {isOver ? (
        <p>
          It works once, for a short time, and in one environment. Go back to the page with the link
          and open the console from there again.
        </p>
      ) : (
        <ProblemNotice error={error} retry={retry} />
      )}
    </Door>
  )
}
