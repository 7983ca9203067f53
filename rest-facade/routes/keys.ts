import { z } from 'zod'
import { isAddressRange } from '../../schema/vocabulary/ip-allowlist.ts'
import { everyScope, scopes } from '../../schema/vocabulary/scopes.ts'
import { budgetNameList } from '../http/fields/budgets.ts'
import { externalId } from '../http/fields/external-id.ts'
import { boundedRecord } from '../http/fields/record.ts'
import { idParam, integerValue, pageParams, shown, text } from '../http/input.ts'
import { accountRoute } from './kinds/account-route.ts'

const scope = z.enum([everyScope, ...scopes], 'is not a scope')

const addressRange = z
  .string('must be text')
  .refine(isAddressRange, 'is not an address or CIDR block')
  .register(shown, { description: 'An address or CIDR block, v4 or v6.' })

/** The last instant that ISO 8601 writes with a year of four digits. */
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

const maxPairs = 16
const maxPairName = 40
const pairName = text(1, maxPairName).regex(/\S/, 'must not be blank')
const pairText = text(0, 500)
const { $schema: _, ...pairsSchema } = z.toJSONSchema(z.record(pairName, pairText))

const details = {
  name: text(1, 100).regex(/\S/, 'must not be blank'),
  scopes: z
    .array(scope, 'must be a list of scopes')
    .min(1, 'choose at least one scope')
    .max(50, 'must have at most 50 entries'),
  ip_allowlist: z
    .array(addressRange, 'must be a list of addresses and CIDR blocks')
    .max(100, 'must have at most 100 entries'),
  /** The end of the key; null: the key never expires. */
  expires_at: z.nullable(
    z.iso
      .datetime({ offset: true, message: 'must be an ISO 8601 instant', abort: true })
      .refine((instant) => Date.parse(instant) > Date.now(), 'must be in the future')
      .refine(
        (instant) => Date.parse(instant) <= lastInstant,
        'must be before the year 10000 in UTC',
      )
      .register(shown, { schema: { type: 'string', format: 'date-time' } }),
  ),
  metadata: boundedRecord(pairText, {
    message: 'must be an object with texts as values',
    name: pairName,
    ...{ maxMembers: maxPairs, maxNameLength: maxPairName },
  }).register(shown, {
    schema: { ...pairsSchema, maxProperties: maxPairs },
    description: `At most ${maxPairs} texts of at most 500 characters, with names of 1 to ${maxPairName} characters. A change replaces all of them.`,
  }),
  budgets: budgetNameList.register(shown, {
    description:
      'At most one budget of each period. A change replaces all of them: a period that both contain keeps its use, and `[]` removes all.',
  }),
}

const keyCreate = z
  .strictObject({ ...details, external_id: externalId })
  .partial()
  .extend({ name: details.name })

const keyChange = z
  .strictObject({
    ...details,
    /** The external id; null removes it. */
    external_id: z.nullable(externalId),
    enabled: z
      .boolean('must be true or false')
      .register(shown, { description: 'False: refused like a revoked key, until it is true.' }),
  })
  .partial()

const maxGraceSeconds = 7 * 24 * 3600

const keyRotation = z.strictObject({
  grace_seconds: integerValue(0, maxGraceSeconds).default(0),
})

const states = ['active', 'disabled', 'revoked', 'expired'] as const
const stateNames = {
  active: 'ACTIVE',
  disabled: 'DISABLED',
  revoked: 'REVOKED',
  expired: 'EXPIRED',
} as const

const keyFilter = z.strictObject({
  ...pageParams,
  q: text(1, 100)
    .register(shown, {
      description: 'A part of the name, the prefix or the last four characters, whatever its case.',
    })
    .optional(),
  status: z
    .enum(states, `must be one of ${states.join(', ')}`)
    .transform((state) => stateNames[state])
    .register(shown, {
      schema: { type: 'string', enum: states },
      description:
        'Each key is in exactly one of these: `active` keys are accepted, `disabled` ones would be if they were enabled.',
    })
    .optional(),
  external_id: externalId.optional(),
})

const keyParams = z.strictObject({ key_id: idParam('key', 'API key') })

export const keyRoutes = [
  accountRoute({
    method: 'get',
    path: '/account/keys',
    summary: 'API keys of the account, newest first',
    operation: 'ListApiKeys',
    scope: 'keys:read',
    keysOnly: true,
    query: keyFilter,
  }),
  accountRoute({
    method: 'post',
    path: '/account/keys',
    summary: 'Issue an API key; its plaintext is shown this once',
    description:
      'Issues an API key. Scopes, allowlist and expiry that are left out are those of the calling key. It can issue no key with scopes that it lacks, and none that is limited less than itself: with an allowlist, every range of the new key must lie in one of its own ranges; with an expiry, the new key must end no later. A key with a budget, of its own or through its external id, can issue none.',
    operation: 'IssueApiKey',
    scope: 'keys:write',
    keysOnly: true,
    uncappedOnly: true,
    body: keyCreate,
    status: 201,
    revealsSecret: true,
  }),
  accountRoute({
    method: 'get',
    path: '/account/keys/current',
    summary: 'The calling API key itself, and all budgets that its calls must fit into',
    description:
      'Returns the API key that calls. In a session it is the key that has signed in. A person who has none gets 404.',
    operation: 'GetCurrentApiKey',
    refusals: ['NOT_FOUND'],
    isExtension: true,
    // `openid`: every key has this scope.
    scope: 'openid',
    keysOnly: true,
  }),
  accountRoute({
    method: 'get',
    path: '/account/keys/:key_id',
    summary: 'One API key',
    operation: 'GetApiKey',
    scope: 'keys:read',
    keysOnly: true,
    params: keyParams,
  }),
  accountRoute({
    method: 'patch',
    path: '/account/keys/:key_id',
    summary: 'Change an API key: its name, scopes, limits, budgets or notes',
    description:
      'Changes an API key. Members that are left out stay as they are. The calling key must hold the scopes that the key has and shall have, and must have no allowlist or expiry that is narrower than those of the key, before or after: it cannot loosen its own limits. A key with a budget, of its own or through its external id, can change no budget and no external id.',
    operation: 'ChangeApiKey',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'keys:write',
    keysOnly: true,
    params: keyParams,
    body: keyChange,
  }),
  accountRoute({
    method: 'post',
    path: '/account/keys/:key_id/undo-disable',
    summary: 'Enable a key again that this session has just disabled',
    description:
      'Enables a disabled key again, without a fresh proof. Only the session that has disabled it can do this, within 60 seconds; every other caller gets 403, and it gets 409 later. To enable a key otherwise, change its `enabled`.',
    operation: 'UndoDisableApiKey',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'keys:write',
    keysOnly: true,
    params: keyParams,
  }),
  accountRoute({
    method: 'delete',
    path: '/account/keys/:key_id',
    summary: 'Revoke an API key',
    description:
      'Revokes a key, at once and for good; revoking again changes nothing. The calling key must hold the scopes of the key that ends; every key may revoke itself.',
    operation: 'RevokeOwnApiKey',
    isExtension: true,
    scope: 'keys:write',
    keysOnly: true,
    params: keyParams,
  }),
  accountRoute({
    method: 'post',
    path: '/account/keys/:key_id/rotate',
    summary: 'Replace an API key; the plaintext of the new one is shown this once',
    description:
      'Replaces an API key by a new one. The new key has the name, scopes, allowlist, expiry, external id and metadata of the old one, and is enabled like it. The calling key must hold these scopes, and must not have a narrower allowlist or expiry. Both keys spend from the same budgets. A key with a budget can rotate itself only.',
    operation: 'RotateApiKey',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'keys:write',
    keysOnly: true,
    uncappedOnly: 'other-keys',
    params: keyParams,
    body: keyRotation,
    status: 201,
    revealsSecret: true,
  }),
]
