import { Link } from '@tanstack/react-router'

interface AccountLinkProps {
  readonly id: string
  /** The text; by default the id. */
  readonly children?: string
}

/** Leads to the page of an account. */
export function AccountLink({ id, children }: AccountLinkProps) {
  return (
    <Link
      to="/accounts/$accountId"
      params={{ accountId: id } as never}
      className={children ? 'row-link' : 'row-link mono'}
    >
      {children ?? id}
    </Link>
  )
}
