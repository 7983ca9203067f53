import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../../gateway/config/config.ts'

const whole = {
  OPERATOR_BASE_URL: 'https://ops.example',
  OPERATOR_OIDC_ISSUER: 'https://sso.example/realms/staff',
  OPERATOR_OIDC_CLIENT_ID: 'gateway',
  OPERATOR_OIDC_CLIENT_SECRET: 'a secret of the client',
  OPERATOR_ROLES: 'groups:admin=gw-admins,support=gw-support,readonly=gw-readers',
}

/** The lines of what reading says about OpenID Connect, with these variables instead. */
function problemsOf(variables: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig({ ...whole, ...variables }, [])
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n')
    throw error
  }
}

const rolesOf = (OPERATOR_ROLES: string) =>
  readConfig({ ...whole, OPERATOR_ROLES }, []).OPERATOR_ROLES

describe('OPERATOR_ROLES', () => {
  test.each([
    [
      'groups:admin=gw-admins,support=gw-support,readonly=gw-readers',
      'groups',
      { 'gw-admins': 'admin', 'gw-support': 'support', 'gw-readers': 'readonly' },
    ],
    ['sub:admin=248289761001', 'sub', { '248289761001': 'admin' }],
    [' groups : admin = a b , admin=/x:y=z ', 'groups', { 'a b': 'admin', '/x:y=z': 'admin' }],
    ['https://ops.example/roles:support=s', 'https://ops.example/roles', { s: 'support' }],
    ['groups:readonly=all,admin=all,support=all', 'groups', { all: 'admin' }],
  ])(
    '%s: values of a claim give roles, and the highest of a value counts',
    (text, claim, roles) => {
      expect(rolesOf(text)).toEqual({ claim, roles: new Map(Object.entries(roles)) })
    },
  )

  const form =
    'OPERATOR_ROLES must be claim:role=value,role=value, such as groups:admin=gw-admins,support=gw-support'

  test.each([
    '',
    'groups',
    'groups:',
    'groups:admin',
    'groups:admin=',
    ':admin=x',
    'admin=x',
    'groups:admin=x,',
    'a b:admin=x',
  ])('refuses the form %j', (OPERATOR_ROLES) => {
    const isUnset = OPERATOR_ROLES === ''
    const missing = 'OPERATOR_ROLES is required with OPERATOR_OIDC_ISSUER'

    expect(problemsOf({ OPERATOR_ROLES })).toEqual([isUnset ? missing : form])
  })

  test.each(['email', 'Email', 'name', 'preferred_username', 'upn'])(
    'refuses the claim %s, which people can change or take over',
    (claim) => {
      expect(problemsOf({ OPERATOR_ROLES: `${claim}:admin=ann@example.com` })).toEqual([
        `OPERATOR_ROLES must not go by the claim ${claim}, which people can change or take over: use groups or sub`,
      ])
    },
  )

  test.each(['owner', 'Admin', ''])('refuses the role %j, and names those there are', (role) => {
    expect(problemsOf({ OPERATOR_ROLES: `groups:admin=a,${role}=b` })).toEqual([
      `OPERATOR_ROLES names the role "${role}": roles are admin, support, readonly`,
    ])
  })

  test('refuses more than 100 values', () => {
    const values = Array.from({ length: 101 }, (_, index) => `readonly=group-${index}`)

    expect(problemsOf({ OPERATOR_ROLES: `groups:${values.join(',')}` })).toEqual([
      'OPERATOR_ROLES must name at most 100 values',
    ])
  })
})

describe('sign-in of operators by OpenID Connect', () => {
  test('needs nothing, or all of it, and names what is missing', () => {
    const nothing = Object.fromEntries(Object.keys(whole).map((name) => [name, '']))

    expect(problemsOf({})).toEqual([])
    expect(problemsOf(nothing)).toEqual([])
    expect(problemsOf({ ...nothing, OPERATOR_BASE_URL: whole.OPERATOR_BASE_URL })).toEqual([])
    for (const name of ['CLIENT_ID', 'CLIENT_SECRET'].map((what) => `OPERATOR_OIDC_${what}`)) {
      expect(problemsOf({ [name]: '' })).toEqual([`${name} is required with OPERATOR_OIDC_ISSUER`])
    }
    for (const name of ['OPERATOR_ROLES', 'OPERATOR_BASE_URL']) {
      expect(problemsOf({ [name]: '' })).toEqual([`${name} is required with OPERATOR_OIDC_ISSUER`])
    }
    expect(problemsOf({ OPERATOR_OIDC_ISSUER: '' })).toEqual([
      'OPERATOR_OIDC_ISSUER is required with OPERATOR_OIDC_CLIENT_ID',
    ])
  })

  test.each(['https://sso.example', 'http://localhost:9000', 'http://[::1]:9000/x'])(
    'accepts the issuer %s',
    (issuer) => {
      expect(problemsOf({ OPERATOR_OIDC_ISSUER: issuer })).toEqual([])
    },
  )

  test.each([
    [
      'http://sso.example',
      'must be https, or http on loopback: whoever answers for it decides who operates this gateway',
    ],
    ['ldap://sso.example', 'must be an http or https URL'],
    ['https://sso.example/?x=1', 'must have neither query nor fragment, and no credentials'],
    ['https://sso.example/#x', 'must have neither query nor fragment, and no credentials'],
    ['https://u:p@sso.example/', 'must have neither query nor fragment, and no credentials'],
  ])('refuses the issuer %s', (issuer, problem) => {
    expect(problemsOf({ OPERATOR_OIDC_ISSUER: issuer })).toEqual([
      `OPERATOR_OIDC_ISSUER ${problem}`,
    ])
  })

  test.each([
    'https://api.example/v1',
    'https://API.example:443/',
    'https://sandbox.example/v1',
    'http://localhost:8080/v1',
    'http://127.0.0.1:8081/v1',
  ])('refuses the issuer %s, which is one of our own', (issuer) => {
    const own = { BASE_URL: 'https://api.example', SANDBOX_BASE_URL: 'https://sandbox.example/' }

    expect(problemsOf({ ...own, OPERATOR_OIDC_ISSUER: issuer })).toEqual([
      'OPERATOR_OIDC_ISSUER must not be this gateway: its issuers know account holders, and no operators',
    ])
  })
})
