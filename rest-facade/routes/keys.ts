import { z } from 'zod'
import { isAddressRange } from '../../schema/ip-allowlist.ts'
import { everyScope, scopes } from '../../schema/scopes.ts'
import { idParam, pageParams, text } from '../input.ts'
import type { Route } from '../route.ts'

const scope = z.enum([everyScope, ...scopes], 'is not a scope')

const addressRange = z.string().refine(isAddressRange, 'is not an address or CIDR block')

const keyCreate = z.strictObject({
  name: text(1, 100).regex(/\S/, 'must not be blank'),
  scopes: z.array(scope).min(1, 'must name at least one scope').max(50).optional(),
  ip_allowlist: z.array(addressRange).max(100, 'must have at most 100 entries').optional(),
  expires_at: z.iso
    .datetime({ offset: true, message: 'must be an ISO 8601 instant' })
    .refine((instant) => Date.parse(instant) > Date.now(), 'must be in the future')
    .optional(),
})

export const keyRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/account/keys',
    summary: 'API keys of the account, newest first',
    operation: 'ListApiKeys',
    subgraph: 'keys',
    scope: 'keys:read',
    query: z.strictObject(pageParams),
  },
  {
    method: 'post',
    path: '/account/keys',
    summary: 'Issue an API key; its plaintext is shown this once',
    operation: 'IssueApiKey',
    subgraph: 'keys',
    scope: 'keys:write',
    body: keyCreate,
    status: 201,
    revealsSecret: true,
  },
  {
    method: 'get',
    path: '/account/keys/:key_id',
    summary: 'One API key',
    operation: 'GetApiKey',
    subgraph: 'keys',
    scope: 'keys:read',
    params: z.strictObject({ key_id: idParam('key', 'API key') }),
  },
]
