import { z } from 'zod'
import type { BodyOf } from '../../schema/generated/operations.ts'
import { ApiError } from '../http/errors.ts'
import { idParam, pageParams } from '../http/input.ts'
import { accountRoute } from './kinds/account-route.ts'

type Session = BodyOf<'GetSession'>

/** Only the keys subgraph knows that the key of a session has ended, and with it the session. */
function isAlive({ key_id: keyId, key_name: keyName }: Session): boolean {
  return keyId === null || keyName !== null
}

function withoutDead({ items, ...rest }: BodyOf<'ListSessions'>): unknown {
  return { items: items.filter(isAlive), ...rest }
}

function refuseDead(session: Session): Session {
  if (isAlive(session)) return session
  throw new ApiError('NOT_FOUND', 'No session has this id.')
}

const sessionParams = z.strictObject({ session_id: idParam('ses', 'session') })

/** Every key has the scope: what a caller sees and ends depends on who it is. */
const common = { isExtension: true, scope: 'openid', keysOnly: true } as const

const whose =
  'A session sees and ends itself and those of its own key or person, and a key those that it has signed in. With `keys:write` they see and end all of the account. Sessions that were handed over to the other listener are in the list, with their `environment`.'

export const sessionRoutes = [
  accountRoute({
    ...common,
    method: 'get',
    path: '/account/sessions',
    summary: 'Browsers that are signed in, newest first',
    description: `Lists the browsers that are signed in, newest first. ${whose}`,
    operation: 'ListSessions',
    query: z.strictObject(pageParams),
    shown: withoutDead,
  }),
  accountRoute({
    ...common,
    method: 'delete',
    path: '/account/sessions',
    summary: 'Sign other browsers out',
    description: `Ends all other sessions, also those that the calling one has handed over; a key ends all. ${whose}`,
    operation: 'EndOtherSessions',
  }),
  accountRoute({
    ...common,
    method: 'get',
    path: '/account/sessions/current',
    summary: 'The calling session itself',
    description: 'Shows the session of a browser. A request with an API key gets 404.',
    operation: 'GetCurrentSession',
    refusals: ['NOT_FOUND'],
  }),
  accountRoute({
    ...common,
    method: 'get',
    path: '/account/sessions/:session_id',
    summary: 'One browser that is signed in',
    description: `Returns one browser that is signed in. ${whose}`,
    operation: 'GetSession',
    params: sessionParams,
    shown: refuseDead,
  }),
  accountRoute({
    ...common,
    method: 'delete',
    path: '/account/sessions/:session_id',
    summary: 'Sign a browser out',
    description: `Ends a session, with those on the other listener that were handed over from it. ${whose}`,
    operation: 'EndOneSession',
    params: sessionParams,
  }),
]
