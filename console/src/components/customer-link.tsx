import { Link } from '@tanstack/react-router'

/** Leads to the page of a customer. */
export function CustomerLink({ id }: { readonly id: string }) {
  return (
    <Link
      to="/customers/$externalId"
      params={{ externalId: id } as never}
      className="host one-line"
      title={id}
    >
      {id}
    </Link>
  )
}
