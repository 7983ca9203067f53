import { describe, expect, test } from 'vitest'
import { operatorNameOf } from '../../../gateway/operator/oidc/operator-name.ts'
import { isOperatorName } from '../../../subgraphs/keys/operators/operator-link.service.ts'

describe('the name of an operator of an issuer', () => {
  test.each([
    [{ preferred_username: 'ann', name: 'Ann Example' }, 'u1', 'ann (u1)'],
    [{ name: 'Ann Example' }, 'u1', 'Ann Example (u1)'],
    [{}, 'u1', 'operator (u1)'],
    [{ preferred_username: 7, name: '\u200b\u202e' }, 'u1', 'operator (u1)'],
    [{ name: ' Bob (u2)\n' }, 'u1', 'Bob u2 (u1)'],
    [{ name: 'x'.repeat(200) }, 'u1', `${'x'.repeat(40)} (u1)`],
    [{ name: '😀'.repeat(200) }, 'u'.repeat(55), `${'😀'.repeat(40)} (${'u'.repeat(55)})`],
    [{ name: 'Ann' }, 'u 1', 'Ann (sha256:Izt0RfGcTM122mPWwC4mSfY3Itv41ZC8gwp380eXV3A)'],
    [{ name: 'Ann' }, 'u'.repeat(255), expect.stringMatching(/^Ann \(sha256:[\w-]{43}\)$/)],
  ])('of %j and the subject %s is %s', (claims, subject, name) => {
    const made = operatorNameOf(claims, subject)

    expect(made).toEqual(name)
    expect(isOperatorName(made)).toBe(true)
  })
})
