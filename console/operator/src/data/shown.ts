import type { Body } from '../api.ts'

type Account<One extends 'AccountHead' | 'AccountKeys' | 'AccountPayments' | 'AccountSessions'> =
  NonNullable<Body<One>>

/** The account as every part of its page needs it. */
export type AccountHead = Account<'AccountHead'>
export type ApiKey = Account<'AccountKeys'>['apiKeys'][number]
export type Payment = Account<'AccountPayments'>['payments']['nodes'][number]
export type Session = Account<'AccountSessions'>['sessions']['nodes'][number]

/** The person by name, or the key that is signed in. */
export function whoOf({ actor, keyName, id }: Session): string {
  return actor ?? keyName ?? id
}
