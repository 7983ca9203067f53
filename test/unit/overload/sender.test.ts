import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { recognizeSenders } from '../../../gateway/overload/sender.ts'
import { sessionCookieNames } from '../../../rest-facade/callers/session-cookie.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'

const senderOf = recognizeSenders({ has: (name) => name === sha256('accepted') })

function isKnown(headers: IncomingMessage['headers']): boolean {
  return senderOf(Object.assign(new IncomingMessage(new Socket()), { headers })).isKnown
}

const { live, sandbox } = sessionCookieNames

test('a browser that is signed in on both listeners is known by either session', () => {
  expect(isKnown({ cookie: `${live}=ended; ${sandbox}=accepted` })).toBe(true)
  expect(isKnown({ cookie: `${sandbox}=ended; theme=dark; ${live}=accepted` })).toBe(true)
  expect(isKnown({ cookie: `${sandbox}=ended; ${live}=invented; theme=accepted` })).toBe(false)
  expect(isKnown({ cookie: `a${live}=accepted` })).toBe(false)
})

test('a request with the header is of that credential alone', () => {
  expect(isKnown({ authorization: 'Bearer accepted' })).toBe(true)
  expect(isKnown({ authorization: 'Bearer invented', cookie: `${live}=accepted` })).toBe(false)
  expect(isKnown({})).toBe(false)
})
