import { accountRoute } from './kinds/account-route.ts'

export const sandboxRoutes = [
  accountRoute({
    method: 'get',
    path: '/account/sandbox',
    summary: 'The sandbox key, and how the sandbox is used',
    operation: 'GetSandbox',
    scope: 'account:read',
    keysOnly: true,
    readsUsage: true,
  }),
  accountRoute({
    method: 'post',
    path: '/account/sandbox/reset',
    summary: 'Revoke all sandbox keys and issue one; its plaintext is shown this once',
    description:
      'Revokes all sandbox keys of the account and issues one. The new key has the scopes, the allowlist and the expiry of the calling key.',
    operation: 'ResetSandbox',
    scope: 'account:write',
    uncappedOnly: true,
    keysOnly: true,
    readsUsage: true,
    revealsSecret: true,
  }),
]
