import { expect, test } from 'vitest'
import { isMailAddress } from '../../../schema/vocabulary/mail-address.ts'

const local = 'a'.repeat(64)
const label = 'b'.repeat(63)

test.each([
  'jane.doe+work@acme.example',
  'o&m@acme.example',
  "O'Hara!#$%*/=?^_`{|}~-@acme.example",
  'a@xn--mller-kva.example',
  'a@1.example',
  'a@acme.xn--p1ai',
  `${local}@acme.example`,
  `a@${label}.example`,
])('people sign in with %s', (text) => {
  expect(isMailAddress(text)).toBe(true)
})

test.each([
  '',
  'nobody',
  '@acme.example',
  'a@',
  'a@b@acme.example',
  'a b@acme.example',
  '"a b"@acme.example',
  'a,b@acme.example',
  'a@acme.example\n',
  '.a@acme.example',
  'a.@acme.example',
  'a..b@acme.example',
  'jürgen@acme.example',
  'a@müller.example',
  'root@intranet',
  'a@127.0.0.1',
  'a@[127.0.0.1]',
  'a@-acme.example',
  'a@acme-.example',
  'a@acme..example',
  'a@acme.example.',
  `${local}a@acme.example`,
  `a@${label}b.example`,
  `a@${`${label}.`.repeat(4)}example`,
])('people do not sign in with %j', (text) => {
  expect(isMailAddress(text)).toBe(false)
})
