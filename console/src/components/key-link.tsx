import { Link } from '@tanstack/react-router'
import type { ApiKey } from 'credit-gateway-sdk'
import { gateway } from '../api.ts'
import { useRead } from '../data/read.ts'

/** Leads to the page of a key by its name; people who may not read keys see the end of its id. */
export function KeyLink({ id }: { readonly id: string }) {
  const key = useRead<ApiKey>(
    ['keys', 'one', id],
    (options) => gateway.keys.get({ key_id: id }, options),
    { scopes: ['keys:read'] },
  )
  return (
    <Link to="/keys/$keyId" params={{ keyId: id } as never} title={id}>
      {key.data?.name ?? `API key …${id.slice(-6)}`}
    </Link>
  )
}
