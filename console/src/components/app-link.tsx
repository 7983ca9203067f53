import { Link } from '@tanstack/react-router'
import { useAppNames, useOwnApps } from '../data/names.ts'
import { shortName } from '../format/names.ts'

/** Leads to an app by its name: to its page, or to the apps with access where it is another account's. */
export function AppLink({ id }: { readonly id: string }) {
  const name = useAppNames(true).get(id) ?? shortName('App', id)
  const isOwn = useOwnApps().data?.items.some(({ client_id }) => client_id === id) ?? false
  return (
    <Link to={isOwn ? `/apps/${id}` : '/apps'} title={id}>
      {name}
    </Link>
  )
}
