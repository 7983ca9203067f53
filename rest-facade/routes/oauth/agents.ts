import { z } from 'zod'
import { resourceMetadataPath } from '../../../schema/vocabulary/audiences.ts'
import { shown } from '../../http/input.ts'
import { accountRoute } from '../kinds/account-route.ts'
import { publicRoute } from '../kinds/public-route.ts'
import { registrationRoute } from '../kinds/registration-route.ts'

/** A member that may be absent; null counts as absent. */
const text = z.string('must be text').max(2000, 'must have at most 2000 characters').nullish()
const texts = z
  .array(z.string('must be text').max(2048, 'must have at most 2048 characters'), 'must be a list')
  .max(20, 'must have at most 20 entries')
  .nullish()

/**
 * RFC 7591 §2: members that are not known are ignored. The oauth subgraph checks the others, and answers with the
 * errors of the RFC.
 */
const selfRegistration = z.object({
  client_name: text.register(shown, {
    description:
      'The name, which nobody has verified; by default the host of the first redirect URI.',
  }),
  redirect_uris: texts.register(shown, {
    description:
      'https, http on a loopback host, a private-use scheme with a dot, or the scheme of a known agent.',
  }),
  grant_types: texts.register(shown, { description: 'By default `authorization_code`.' }),
  response_types: texts.register(shown, { description: 'By default `code`.' }),
  scope: text.register(shown, {
    description: 'By default all that agents may have. Scopes beyond these are left out.',
  }),
})

export const agentRoutes = [
  publicRoute({
    method: 'get',
    // RFC 9728 §3.1 puts the path of the resource behind the well-known path.
    path: resourceMetadataPath,
    isRooted: true,
    summary: 'Where agents get tokens for the tools, and for which scopes',
    operation: 'GetProtectedResource',
    isExtension: true,
    refusals: ['NOT_FOUND'],
    query: z.object({}),
    headers: { 'Cache-Control': 'public, max-age=3600' },
  }),
  registrationRoute({
    method: 'post',
    path: '/oauth/register',
    summary: 'Register an app that describes itself (RFC 7591)',
    description:
      'Registers an app of no account, for agents without a document of their own. It is public, and can ask for the tools at `{base_url}/mcp` alone. An app that nobody approves is deleted after 30 days.',
    operation: 'RegisterItself',
    isExtension: true,
    body: selfRegistration,
    minuteLimit: 'dcr',
  }),
  accountRoute({
    method: 'get',
    path: '/account/agents',
    summary: 'What the account permits agents',
    operation: 'GetAgentSettings',
    isExtension: true,
    scope: 'account:read',
    keysOnly: true,
    refusals: ['NOT_FOUND'],
  }),
  accountRoute({
    method: 'put',
    path: '/account/agents',
    summary: 'Choose whether apps that nobody has verified may ask for approval',
    operation: 'ChangeAgentSettings',
    isExtension: true,
    scope: 'account:write',
    keysOnly: true,
    ownerOnly: true,
    refusals: ['NOT_FOUND'],
    body: z.strictObject({
      allow_unverified_apps: z.boolean('must be true or false').register(shown, {
        description:
          'False: only apps of accounts, and those that this account has approved before, may ask.',
      }),
    }),
  }),
]
