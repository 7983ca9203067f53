import type { TestGateway } from '../../../test/support/gateway/gateway.ts'
import { cookieOf, ofOwnPage } from '../../../test/support/oauth/sessions.ts'
import type { TestResponse } from '../../../test/support/requests/client.ts'
import { type FindGateway, untilAnswered } from './administer.ts'
import { bearer, type UsedCredential } from './ask.ts'

/** An API key, or the session of a browser, that another one replaces. */
export interface Credential extends Pick<UsedCredential, 'headers'> {
  /** Makes another one and ends this one; tries until both are done. */
  replace(id: string, find: FindGateway): Promise<Credential>
}

/** `ownKey` is another key of the account. */
export function keyCredential(
  { id: keyId, plaintext }: { readonly id: string; readonly plaintext: string },
  ownKey: string,
): Credential {
  return {
    headers: bearer(plaintext),
    async replace(id, find) {
      const path = `/v1/account/keys/${keyId}/rotate`
      const headers = { 'idempotency-key': id }
      const answer = await untilAnswered(find, ({ live }) => live.post(path, {}, ownKey, headers))
      if (answer.status >= 300) throw new Error(`The key ${keyId} is not replaced: ${told(answer)}`)
      const { id: newId, plaintext: newPlaintext } = Object(answer.body)
      return keyCredential({ id: newId, plaintext: newPlaintext }, ownKey)
    },
  }
}

/** A browser that signs in with the key. */
export async function signIn(ownKey: string, find: FindGateway): Promise<Credential> {
  const open = ({ live }: TestGateway) => live.post('/v1/oauth/session', {}, ownKey)
  const opened = await untilAnswered(find, open)
  if (opened.status !== 201) throw new Error(`Nobody could sign in: ${told(opened)}`)
  const headers = { cookie: cookieOf(opened.headers), ...ofOwnPage }
  return {
    headers,
    async replace(_, find) {
      const next = await signIn(ownKey, find)
      const end = ({ live }: TestGateway) =>
        live.request('/v1/oauth/session', { method: 'DELETE', headers })
      const ended = await untilAnswered(find, end)
      if (ended.status >= 300 && ended.status !== 401) {
        throw new Error(`A session does not end: ${told(ended)}`)
      }
      return next
    },
  }
}

function told({ status, body }: TestResponse): string {
  return `${status} ${JSON.stringify(body)}`
}
