import { describe, expect, test } from 'vitest'
import {
  lowerRole,
  type OperatorRoles,
  readOperatorRoles,
  roleOfClaims,
} from '../../../gateway/operator/oidc/operator-roles.ts'

function read(text: string): OperatorRoles {
  const roles = readOperatorRoles(text)
  if (typeof roles === 'string') throw new Error(roles)
  return roles
}

const groups = read('groups:admin=ops-a,support=ops-s,readonly=ops-r,readonly=all')
const subjects = read('sub:support=248289761001')

describe('the role of an operator', () => {
  test.each([
    [['ops-r', 'ops-a', 'ops-s'], 'admin'],
    [['other', 'all', 'ops-s'], 'support'],
    [['all'], 'readonly'],
    ['ops-s', 'support'],
  ])('is the highest that a value of the claim gives: %j', (values, role) => {
    expect(roleOfClaims(groups, { groups: values })).toBe(role)
  })

  test.each([
    { groups: [] },
    { groups: ['ops', 'OPS-A', ' ops-a', 'ops-a,ops-s'] },
    { groups: 'ops-a ops-s' },
    { groups: { 'ops-a': true } },
    { groups: [['ops-a'], { name: 'ops-a' }, 1, null] },
    { groups: null },
    { groups: Array.from({ length: 5001 }, () => 'ops-a') },
    { roles: ['ops-a'], sub: 'ops-a', email: 'ops-a' },
    { _claim_names: { groups: 'src1' } },
    Object.create({ groups: ['ops-a'] }),
  ])('is none for %j: values are compared whole', (claims) => {
    expect(roleOfClaims(groups, claims)).toBeNull()
  })

  test('can go by the subject', () => {
    expect(roleOfClaims(subjects, { sub: '248289761001' })).toBe('support')
    expect(roleOfClaims(subjects, { sub: '248289761002' })).toBeNull()
  })
})

test('the lower of two roles permits less', () => {
  expect(lowerRole('admin', 'readonly')).toBe('readonly')
  expect(lowerRole('support', 'admin')).toBe('support')
  expect(lowerRole('readonly', 'readonly')).toBe('readonly')
})
