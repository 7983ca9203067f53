import { Link } from '@tanstack/react-router'
import { useKey } from '../data/names.ts'
import { shortName } from '../format/names.ts'

/** Leads to the page of a key by its name; people who may not read keys see the end of its id. */
export function KeyLink({ id }: { readonly id: string }) {
  const key = useKey(id)
  return (
    <Link to="/keys/$keyId" params={{ keyId: id } as never} title={id}>
      {key.data?.name ?? shortName('API key', id)}
    </Link>
  )
}
