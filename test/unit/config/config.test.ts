import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ConfigError, inspectConfig, readConfig } from '../../../gateway/config/config.ts'
import { operatorBaseUrlOf } from '../../../gateway/config/operator-settings.ts'
import { webhooksOf } from '../../../gateway/config/subgraph-settings.ts'

const modules = ['contact-finder', 'seo']

/** The lines of what reading says. */
function problemsOf(variables: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(variables, modules)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n')
    throw error
  }
}

describe('readConfig', () => {
  test('needs no variable: every default is that of the contract', () => {
    const config = readConfig({}, modules)

    expect(config).toMatchObject({
      PORT: 8080,
      SANDBOX_PORT: 8081,
      INTERNAL_PORT: 4000,
      HOST: '127.0.0.1',
      DATA_DIR: '.data',
      KEY_PREFIX: 'svc',
      BACKEND_TIMEOUT_MS: 10_000,
      HOLD_TTL_SECONDS: 60,
      DRAIN_TIMEOUT_SECONDS: 25,
      DRAIN_NOTICE_SECONDS: 0,
      MAX_CONCURRENT_REQUESTS: 4000,
      MAX_QUEUE_DELAY_MS: 20,
      ACCOUNT_WORK_MS: 500,
      MAX_CONNECTIONS_PER_ADDRESS: 1000,
      KEY_CACHE_SECONDS: 5,
      USAGE_LOG_RETENTION_DAYS: 0,
      TRUST_PROXY: false,
      ANONYMOUS_RPS: 50,
      INTERNAL_NAMES: [],
      INTERNAL_TOKEN_MAX_TTL: 86_400,
      LOG_LEVEL: 'info',
    })
    expect(config.backendUrls).toEqual(new Map())
    expect(Object.isFrozen(config)).toBe(true)
  })

  test.each(['mailbox:', 'smtp://user:pass%40word@mail.example:587', 'smtps://mail.example'])(
    'reads the mail server %s',
    (SMTP_URL) => {
      expect(readConfig({ SMTP_URL }, modules).SMTP_URL).toBe(SMTP_URL)
    },
  )

  test.each(['mailbox', 'https://mail.example', 'smtp://', 'smtp://mail.example?pool=true'])(
    'refuses the mail server %s',
    (SMTP_URL) => {
      expect(problemsOf({ SMTP_URL })).toEqual([
        'SMTP_URL must be smtp://… or smtps://… with user, password, host and port alone, or mailbox:',
      ])
    },
  )

  test.each([
    ['ops@api.example', { name: '', address: 'ops@api.example' }],
    ['Credit gateway <ops@api.example>', { name: 'Credit gateway', address: 'ops@api.example' }],
    ['<ops@api.example>', { name: '', address: 'ops@api.example' }],
  ])('reads the sender %s', (MAIL_FROM, from) => {
    expect(readConfig({ MAIL_FROM }, modules).MAIL_FROM).toEqual(from)
  })

  test.each(['ops', 'a@b.example, c@d.example', 'X\r\nBcc: y <a@b.example>'])(
    'refuses the sender %j',
    (MAIL_FROM) => {
      expect(problemsOf({ MAIL_FROM })).toEqual(['MAIL_FROM must be an address, or Name <address>'])
    },
  )

  test.each(['support@api.example', 'https://api.example/help', 'http://localhost/help'])(
    'reads the contact %s',
    (SUPPORT_CONTACT) => {
      expect(readConfig({ SUPPORT_CONTACT }, modules).SUPPORT_CONTACT).toBe(SUPPORT_CONTACT)
    },
  )

  test.each([
    ['support', 'must be a mail address, or an http or https URL'],
    ['javascript:alert(1)', 'must be a mail address, or an http or https URL'],
    ['mailto:support@api.example', 'must be a mail address, or an http or https URL'],
    [`https://api.example/${'x'.repeat(200)}`, 'must have at most 200 characters'],
  ])('refuses the contact %j', (SUPPORT_CONTACT, problem) => {
    expect(problemsOf({ SUPPORT_CONTACT })).toEqual([`SUPPORT_CONTACT ${problem}`])
  })

  test('treats an empty variable as unset', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' }, modules)).toEqual(readConfig({}, modules))
  })

  test('reads the address of every module', () => {
    const { backendUrls } = readConfig(
      { BACKEND_CONTACT_FINDER_URL: 'http://finder:8080/v2', BACKEND_SEO_URL: 'https://seo' },
      modules,
    )

    expect(backendUrls).toEqual(
      new Map([
        ['contact-finder', 'http://finder:8080/v2'],
        ['seo', 'https://seo'],
      ]),
    )
  })

  test('accepts https for the issuer of tokens, and http on loopback (docs/oauth-rules.md 11)', () => {
    const named = 'must be https, or http on loopback: tokens are issued in its name'
    const plain = { BASE_URL: 'http://api.example.com', SANDBOX_BASE_URL: 'http://10.0.0.1:8081' }

    expect(problemsOf(plain)).toEqual([`BASE_URL ${named}`, `SANDBOX_BASE_URL ${named}`])
    for (const url of ['https://api.example.com', 'http://localhost:1', 'http://[::1]:8080/x']) {
      expect(readConfig({ BASE_URL: url }, modules).BASE_URL).toBe(url)
    }
  })

  test.each<[string, Record<string, string>, string[]]>([
    [
      'http beyond loopback',
      { OPERATOR_BASE_URL: 'http://operators.example.com' },
      ['must be https, or http on loopback: its cookie is worth all accounts'],
    ],
    [
      'a path',
      { OPERATOR_BASE_URL: 'https://operators.example.com/operator' },
      ['must be scheme, host and port alone'],
    ],
    [
      'the host of BASE_URL on another port',
      {
        ...{
          OPERATOR_BASE_URL: 'https://API.example.com:8443',
          BASE_URL: 'https://api.example.com',
        },
        SANDBOX_BASE_URL: 'https://sandbox.example.com',
      },
      ['must not have the host name of BASE_URL: cookies do not distinguish ports'],
    ],
    [
      'the host of SANDBOX_BASE_URL with a dot at its end',
      {
        ...{
          OPERATOR_BASE_URL: 'https://sandbox.example.com.',
          BASE_URL: 'https://api.example.com',
        },
        SANDBOX_BASE_URL: 'https://sandbox.example.com/gateway',
      },
      ['must not have the host name of SANDBOX_BASE_URL: cookies do not distinguish ports'],
    ],
    [
      'the host of the own listener',
      { OPERATOR_BASE_URL: 'https://10.0.0.1:8443', HOST: '10.0.0.1' },
      ['must not have the host name of BASE_URL: cookies do not distinguish ports'],
    ],
  ])('refuses an address of operators with %s', (_, variables, problems) => {
    expect(problemsOf(variables)).toEqual(problems.map((text) => `OPERATOR_BASE_URL ${text}`))
  })

  test('accepts an address of operators at a host of its own, and at that of the gateway on loopback', () => {
    for (const [address, base] of [
      ['https://operators.example.com', 'https://api.example.com'],
      ['https://operators.example.com:8443', 'https://api.example.com'],
      ['http://localhost:4000', 'http://localhost:8080'],
    ] as const) {
      const given = { OPERATOR_BASE_URL: address, BASE_URL: base, SANDBOX_BASE_URL: base }
      expect(readConfig(given, modules).OPERATOR_BASE_URL).toBe(address)
    }
  })

  test('gives operators an address without a setting only to a trial on this machine', () => {
    const store = {
      DATABASE_URL: 'postgres://db/gateway',
      GATEWAY_SECRET: randomBytes(32).toString('hex'),
      PAYMENTS: 'simulated',
    }
    const addressOf = (variables: Record<string, string>) =>
      operatorBaseUrlOf(readConfig(variables, modules), 4000)

    expect(addressOf({})).toBe('http://localhost:4000')
    expect(addressOf({ OPERATOR_BASE_URL: 'http://localhost:9/' })).toBe('http://localhost:9')
    const others: Record<string, string>[] = [
      store,
      { HOST: '0.0.0.0' },
      { INTERNAL_HOST: '0.0.0.0' },
      { BASE_URL: 'https://api.example.com' },
    ]
    for (const variables of others) {
      expect([variables, addressOf(variables)]).toEqual([variables, null])
    }
  })

  test.each([
    ['short', 'must have at least 32 characters'],
    ['x'.repeat(64), 'must be random: make one with openssl rand -hex 32'],
    ['changeme'.repeat(8), 'must not be a placeholder: make one with openssl rand -hex 32'],
    ['abc-abc-'.repeat(5), 'must be random: make one with openssl rand -hex 32'],
    [
      'secret42secret42secret42secret42secret',
      'must be random: make one with openssl rand -hex 32',
    ],
    [
      '0000000000000000000000000000000000001234',
      'must be random: make one with openssl rand -hex 32',
    ],
    ['please-replace-me-with-something-better', expect.stringContaining('placeholder')],
    ['gateway-default-secret-3a9f1c7e5b2d4680', expect.stringContaining('placeholder')],
  ])('refuses %s as GATEWAY_SECRET', (secret, problem) => {
    const problems = problemsOf({ GATEWAY_SECRET: secret })

    expect(problems.map((line) => line.replace(/^GATEWAY_SECRET /, ''))).toEqual([problem])
  })

  test('accepts any random GATEWAY_SECRET', () => {
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      for (let count = 0; count < 30; count += 1) {
        const secret = randomBytes(32).toString(encoding)
        expect(problemsOf({ GATEWAY_SECRET: secret })).toEqual([])
      }
    }
  })

  test('keeps the shutdown notice within the shutdown time', () => {
    expect(problemsOf({ DRAIN_NOTICE_SECONDS: '25' })).toEqual([
      'DRAIN_TIMEOUT_SECONDS must exceed DRAIN_NOTICE_SECONDS, which is a part of it',
    ])
    expect(problemsOf({ DRAIN_NOTICE_SECONDS: '5' })).toEqual([])
    expect(problemsOf({ DRAIN_TIMEOUT_SECONDS: '0' })).toEqual([])
  })

  test('lists every problem at once', () => {
    const problems = problemsOf({
      PORT: 'http',
      SANDBOX_PORT: '65536',
      BASE_URL: 'gateway.example',
      DATABASE_URL: 'mysql://db',
      REDIS_URL: 'http://redis',
      KEY_PREFIX: 'Svc',
      GATEWAY_SECRET: 'short',
      BACKEND_TIMEOUT_MS: '0',
      ANONYMOUS_RPS: '-1',
      TRUST_PROXY: 'true',
      LOG_LEVEL: 'loud',
      BACKEND_SEO_URL: 'ftp://seo',
    })

    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'PORT',
      'SANDBOX_PORT',
      'BASE_URL',
      'DATABASE_URL',
      'REDIS_URL',
      'KEY_PREFIX',
      'GATEWAY_SECRET',
      'BACKEND_TIMEOUT_MS',
      'TRUST_PROXY',
      'ANONYMOUS_RPS',
      'LOG_LEVEL',
      'BACKEND_SEO_URL',
      'PAYMENTS',
    ])
  })

  test('refuses TRUST_PROXY=true with the reason', () => {
    expect(problemsOf({ TRUST_PROXY: 'true' })).toEqual([
      'TRUST_PROXY must not be true: then anybody could forge an address; name the hops or CIDR blocks',
    ])
  })

  test.each([
    ['false', false],
    ['0', false],
    ['1', 1],
    ['2', 2],
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['10.0.0.0/8, 2001:db8::/32', ['10.0.0.0/8', '2001:db8::/32']],
  ])('accepts TRUST_PROXY=%s', (text, expected) => {
    expect(readConfig({ TRUST_PROXY: text }, modules).TRUST_PROXY).toEqual(expected)
  })

  test.each([
    'yes',
    'loopback',
    '-1',
    '1.5',
    '10.0.0.0/8,',
    '10.0.0.0/33',
    '0.0.0.0/1,128.0.0.0/1',
  ])('refuses TRUST_PROXY=%s', (text) => {
    expect(problemsOf({ TRUST_PROXY: text })).toEqual([
      'TRUST_PROXY must be false, a number of hops, or a comma-separated list of CIDR blocks',
    ])
  })

  test.each([
    { ttl: '10', timeout: '10000', isRefused: true },
    { ttl: '5', timeout: '10000', isRefused: true },
    { ttl: '11', timeout: '10000', isRefused: false },
    { ttl: '1', timeout: '999', isRefused: false },
  ])(
    'a hold of $ttl s for calls of up to $timeout ms: refused is $isRefused',
    ({ ttl, timeout, isRefused }) => {
      const problems = problemsOf({ HOLD_TTL_SECONDS: ttl, BACKEND_TIMEOUT_MS: timeout })

      expect(problems).toEqual(
        isRefused
          ? ['HOLD_TTL_SECONDS must exceed BACKEND_TIMEOUT_MS: a hold must outlive its call']
          : [],
      )
    },
  )

  test('requires the secret that several processes share', () => {
    const database = { DATABASE_URL: 'postgres://db/gateway', PAYMENTS: 'simulated' }
    expect(problemsOf(database)).toEqual([
      'GATEWAY_SECRET is required with DATABASE_URL: every process must use the same',
    ])
  })

  const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' }

  test('accepts the two secrets of Stripe, and its address', () => {
    expect(problemsOf(stripe)).toEqual([])
    expect(problemsOf({ ...stripe, STRIPE_SECRET_KEY: 'rk_live_1' })).toEqual([])
    expect(problemsOf({ ...stripe, STRIPE_API_URL: 'http://127.0.0.1:9000' })).toEqual([])
    expect(problemsOf({ ...stripe, STRIPE_TAX: 'on' })).toEqual([])
    expect(problemsOf({ STRIPE_TAX: 'off' })).toEqual([])
  })

  test.each([
    [{ STRIPE_SECRET_KEY: 'sk_test_1' }, ['STRIPE_WEBHOOK_SECRET is required to use Stripe']],
    [{ STRIPE_WEBHOOK_SECRET: 'whsec_1' }, ['STRIPE_SECRET_KEY is required to use Stripe']],
    [
      { STRIPE_API_URL: 'http://127.0.0.1' },
      [
        'STRIPE_SECRET_KEY is required to use Stripe',
        'STRIPE_WEBHOOK_SECRET is required to use Stripe',
      ],
    ],
    [
      { STRIPE_SECRET_KEY: 'pk_live_1', STRIPE_API_URL: 'https://stripe.example/v1' },
      [
        'STRIPE_SECRET_KEY must be a secret key (sk_…) or a restricted one (rk_…)',
        'STRIPE_API_URL must be scheme, host and port alone',
        'STRIPE_WEBHOOK_SECRET is required to use Stripe',
      ],
    ],
    [
      { ...stripe, STRIPE_WEBHOOK_SECRET: 'secret', STRIPE_API_URL: 'stripe' },
      [
        'STRIPE_WEBHOOK_SECRET must be the signing secret of a webhook endpoint (whsec_…)',
        'STRIPE_API_URL must be an http or https URL',
      ],
    ],
    [{ ...stripe, STRIPE_TAX: 'yes' }, ['STRIPE_TAX must be on or off']],
    [
      { STRIPE_TAX: 'on' },
      ['STRIPE_TAX needs Stripe: set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or turn it off'],
    ],
  ])('refuses an incomplete configuration of Stripe: %j', (variables, problems) => {
    expect(problemsOf(variables)).toEqual(problems)
  })

  const database = {
    DATABASE_URL: 'postgres://db/gateway',
    GATEWAY_SECRET: randomBytes(32).toString('hex'),
  }
  const unsaid =
    'PAYMENTS is required with DATABASE_URL: stripe, with STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or simulated, which gives credits for nothing'

  test.each([
    [{}, []],
    [{ PAYMENTS: 'simulated' }, []],
    [{ ...stripe, PAYMENTS: 'stripe' }, []],
    [{ ...database, ...stripe }, []],
    [{ ...database, ...stripe, PAYMENTS: 'stripe' }, []],
    [{ ...database, PAYMENTS: 'simulated' }, []],
    [database, [unsaid]],
    [{ ...database, PAYMENTS: '' }, [unsaid]],
    [{ PAYMENTS: 'paypal' }, ['PAYMENTS must be stripe or simulated']],
    [
      { PAYMENTS: 'stripe' },
      [
        'STRIPE_SECRET_KEY is required to use Stripe',
        'STRIPE_WEBHOOK_SECRET is required to use Stripe',
      ],
    ],
    [
      { ...database, ...stripe, PAYMENTS: 'simulated' },
      [
        'PAYMENTS must not be simulated beside STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET: nothing would be collected',
      ],
    ],
  ])('requires a choice of the live payment provider: %j', (variables: object, problems) => {
    expect(problemsOf({ ...variables })).toEqual(problems)
  })

  test.each([
    ['account', true],
    ['worker', true],
    ['facade', false],
    ['keys', false],
    ['command', false],
  ])('requires the payment provider of the role %s: %s', (role, isAsked) => {
    const { problems } = inspectConfig(database, modules, role)
    const { problems: ofStripe } = inspectConfig({ ...database, PAYMENTS: 'stripe' }, modules, role)

    const asked = `PAYMENTS or STRIPE_SECRET_KEY is required by the role ${role}`
    const secrets = [
      'STRIPE_SECRET_KEY is required to use Stripe',
      'STRIPE_WEBHOOK_SECRET is required to use Stripe',
    ]
    const about = (lines: readonly string[]) => lines.filter((line) => /PAYMENTS|STRIPE/.test(line))
    expect(about(problems)).toEqual(isAsked ? [asked] : [])
    expect(about(ofStripe)).toEqual(isAsked ? secrets : [])
  })

  const limits = {
    token: 600,
    authorize: 600,
    introspect: 6000,
    revoke: 600,
    register: 60,
    dcr: 10,
    failures: 10,
  }

  test('has the documented defaults of the OAuth provider (docs/oauth-rules.md 69, 115, 116)', () => {
    const config = readConfig({}, modules)

    expect(config).toMatchObject({ OAUTH_LIMITS: limits, OAUTH_REFRESH_GRACE_SECONDS: 0 })
    expect([config.FIRST_PARTY_ORIGINS, config.OAUTH_UI_URL]).toEqual([undefined, undefined])
  })

  test.each([
    ['token=1', { ...limits, token: 1 }],
    [
      'token=0,authorize=0,introspect=0,revoke=0,register=0,dcr=0,failures=0',
      { token: 0, authorize: 0, introspect: 0, revoke: 0, register: 0, dcr: 0, failures: 0 },
    ],
    [' failures=5 , revoke=9999999', { ...limits, failures: 5, revoke: 9_999_999 }],
  ])('accepts OAUTH_LIMITS=%s (docs/oauth-rules.md 115)', (text, expected) => {
    expect(readConfig({ OAUTH_LIMITS: text }, modules).OAUTH_LIMITS).toEqual(expected)
  })

  test.each([
    'token',
    'token=',
    'token=-1',
    'token=1.5',
    'token=10000000',
    'token=1;revoke=2',
    'token=1,',
    'tokens=1',
    'Token=1',
    'userinfo=60',
    '__proto__=1',
    'constructor=1',
    'token=1,token=2',
    'none',
    ',',
  ])('refuses OAUTH_LIMITS=%s (docs/oauth-rules.md 115)', (text) => {
    expect(problemsOf({ OAUTH_LIMITS: text })).toEqual([
      'OAUTH_LIMITS must be name=number, each once, of token, authorize, introspect, revoke, register, dcr, failures',
    ])
  })

  test.each(['0', '1', '30'])('accepts a grace of %s s (docs/oauth-rules.md 69)', (text) => {
    const { OAUTH_REFRESH_GRACE_SECONDS } = readConfig(
      { OAUTH_REFRESH_GRACE_SECONDS: text },
      modules,
    )

    expect(OAUTH_REFRESH_GRACE_SECONDS).toBe(Number(text))
  })

  test.each(['31', '-1', '0.5', '1e1', 'PT30S'])(
    'refuses a grace of %s s (docs/oauth-rules.md 69)',
    (text) => {
      expect(problemsOf({ OAUTH_REFRESH_GRACE_SECONDS: text })).toEqual([
        'OAUTH_REFRESH_GRACE_SECONDS must be an integer from 0 to 30',
      ])
    },
  )

  test('has the documented defaults of sessions (docs/contract.md §10)', () => {
    expect(readConfig({}, modules)).toMatchObject({ SESSION_HOURS: 12, STEP_UP_MINUTES: 30 })
  })

  test.each(['SESSION_HOURS', 'STEP_UP_MINUTES'] as const)(
    'takes %s from 1 to 720, and nothing else',
    (name) => {
      for (const text of ['1', '720']) {
        expect(readConfig({ [name]: text }, modules)[name]).toBe(Number(text))
      }
      for (const text of ['0', '721', '-1', '1.5', 'PT30M', 'none']) {
        expect(problemsOf({ [name]: text })).toEqual([`${name} must be an integer from 1 to 720`])
      }
    },
  )

  test('accepts FIRST_PARTY_ORIGINS', () => {
    const { FIRST_PARTY_ORIGINS } = readConfig(
      { FIRST_PARTY_ORIGINS: 'https://a.example, http://localhost:3000,https://[::1]:8443' },
      modules,
    )

    expect(FIRST_PARTY_ORIGINS).toEqual([
      'https://a.example',
      'http://localhost:3000',
      'https://[::1]:8443',
    ])
  })

  test.each([
    '*',
    'null',
    'a.example',
    'https://a.example/',
    'https://a.example/app',
    'https://A.example',
    'https://a.example:443',
    'https://*.a.example',
    'https://user@a.example',
    'https://a.example?x',
    'https://a.example https://b.example',
    'https://a.example,',
    'ftp://a.example',
    'ws://a.example',
    'file:///a',
    'javascript:alert(1)',
  ])('refuses FIRST_PARTY_ORIGINS=%s', (text) => {
    expect(problemsOf({ FIRST_PARTY_ORIGINS: text })).toEqual([
      'FIRST_PARTY_ORIGINS must be a comma-separated list of origins: http or https, host and port alone',
    ])
  })

  test.each(['ui.example', 'ftp://ui.example', 'javascript:alert(1)', '/login'])(
    'refuses OAUTH_UI_URL=%s',
    (text) => {
      expect(problemsOf({ OAUTH_UI_URL: text })).toEqual([
        'OAUTH_UI_URL must be an http or https URL',
      ])
    },
  )

  test('lists every problem of the OAuth provider at once', () => {
    const problems = problemsOf({
      OAUTH_LIMITS: 'x',
      OAUTH_REFRESH_GRACE_SECONDS: '31',
      OAUTH_UI_URL: 'x',
      FIRST_PARTY_ORIGINS: 'x',
    })

    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'OAUTH_LIMITS',
      'OAUTH_REFRESH_GRACE_SECONDS',
      'OAUTH_UI_URL',
      'FIRST_PARTY_ORIGINS',
    ])
  })

  const bucketUrls = ['EXPORT_S3_URL', 'DIGEST_S3_URL'] as const

  test.each(bucketUrls)('reads %s, a bucket with its credentials', (name) => {
    const read = (text: string) => readConfig({ [name]: text }, [])[name]

    const bucket = { bucket: 'the.exports', region: 'eu-central-1', keyId: 'AKIDTEST' }
    expect(read('s3://AKIDTEST:a%2Fb+c%3D%40@S3.Example/the.exports?region=eu-central-1')).toEqual({
      endpoint: 'https://s3.example',
      ...bucket,
      secret: 'a/b+c=@',
    })
    expect(read('s3+http://AKIDTEST:secret@[::1]:9000/the.exports?region=eu-central-1')).toEqual({
      endpoint: 'http://[::1]:9000',
      ...bucket,
      secret: 'secret',
    })
  })

  const wholeBucket =
    'must be s3://<key>:<secret>@<host>/<bucket>?region=<region>, or s3+http://… without TLS; key and secret are percent-encoded'
  const parts = {
    key: 'must have the id of an access key before its colon',
    secret: 'must have the secret of an access key before its @, percent-encoded',
    bucket: 'must have the name of a bucket as its path',
    region: 'must have a region in its query, such as ?region=eu-central-1',
    others: 'must have nothing but the region behind its bucket',
  }

  test.each([
    ['exports', [wholeBucket]],
    ['https://key:hunter2@s3.example/exports?region=eu', [wholeBucket]],
    ['s3://key:hunter2@/exports?region=eu', [wholeBucket]],
    ['s3://key:hunter/2@s3.example/exports?region=eu', [wholeBucket]],
    ['s3://key:hunter2@s3.example:port/exports?region=eu', [wholeBucket]],
    ['s3://s3.example/exports?region=eu', [parts.key, parts.secret]],
    ['s3://key@s3.example/exports?region=eu', [parts.secret]],
    ['s3://:hunter2@s3.example/exports?region=eu', [parts.key]],
    ['s3://key:hunter2%@s3.example/exports?region=eu', [parts.secret]],
    ['s3://key:hunter2@s3.example?region=eu', [parts.bucket]],
    ['s3://key:hunter2@s3.example/Up?region=eu', [parts.bucket]],
    ['s3://key:hunter2@s3.example/exports/path?region=eu', [parts.bucket]],
    ['s3://key:hunter2@s3.example/exports', [parts.region]],
    ['s3://key:hunter2@s3.example/exports?region=EU', [parts.region]],
    ['s3://key:hunter2@s3.example/exports?region=eu&hunter2=1', [parts.others]],
    ['s3://key:hunter2@s3.example/exports?region=eu#hunter2', [parts.others]],
    // A secret that is not encoded, with digits before its slash.
    ['s3://key:12/hunter2@s3.example/exports?region=eu', [parts.key, parts.secret, parts.bucket]],
  ])('refuses the bucket %s by its part, and does not repeat it', (text, problems) => {
    for (const name of bucketUrls) {
      const found = problemsOf({ [name]: text })

      expect(found).toEqual(problems.map((problem) => `${name} ${problem}`))
      expect(found.join()).not.toContain('hunter')
    }
  })

  test('accepts one place for exports, and one for digests', () => {
    const url = 's3://key:secret@s3.example/bucket?region=eu'

    for (const use of ['EXPORT', 'DIGEST']) {
      expect(problemsOf({ [`${use}_DIR`]: '/srv' })).toEqual([])
      expect(problemsOf({ [`${use}_DIR`]: '/srv', [`${use}_S3_URL`]: url })).toEqual([
        `${use}_DIR cannot be used beside ${use}_S3_URL`,
      ])
    }
    expect(readConfig({}, []).EXPORT_RETENTION_DAYS).toBe(7)
    expect(problemsOf({ EXPORT_RETENTION_DAYS: '0' })).toEqual([
      'EXPORT_RETENTION_DAYS must be an integer from 1 to 3650',
    ])
  })

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector', 'must be an http or https URL'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'collector', 'must be an http or https URL'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be http/json'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/protobuf', 'must be http/json'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'must be a number from 0 to 1'],
  ])('refuses %s=%s, which traces would be lost by', (name, value, problem) => {
    expect(problemsOf({ [name]: value })).toEqual([`${name} ${problem}`])
  })

  test.each([
    ['INTERNAL_TOKEN_MAX_TTL', '2592001', 'must be an integer from 60 to 2592000'],
    ['INTERNAL_TOKEN_MAX_TTL', '59', 'must be an integer from 60 to 2592000'],
    [
      'INTERNAL_NAMES',
      'metrics.test:4000',
      'must be a comma-separated list of host names, without ports',
    ],
    ['INTERNAL_NAMES', '*', 'must be a comma-separated list of host names, without ports'],
    ['METRICS_TOKEN', 'short', 'must be at least 16 letters, digits or -._~+/'],
    ['METRICS_TOKEN', 'sixteen and more', 'must be at least 16 letters, digits or -._~+/'],
  ])('refuses %s=%s', (name, value, problem) => {
    expect(problemsOf({ [name]: value })).toEqual([`${name} ${problem}`])
  })

  test('accepts names of the internal listener, in any case and with spaces between them', () => {
    const { INTERNAL_NAMES } = readConfig({ INTERNAL_NAMES: 'keys, Metrics.example.test' }, modules)

    expect(INTERNAL_NAMES).toEqual(['keys', 'Metrics.example.test'])
  })

  test('allows webhooks to this machine only where every listener is on loopback', () => {
    const asked = { WEBHOOK_ALLOW_LOOPBACK: 'true' }
    const store = {
      DATABASE_URL: 'postgres://db/gateway',
      GATEWAY_SECRET: randomBytes(32).toString('hex'),
      PAYMENTS: 'simulated',
    }
    const local = { HOST: '::1', BASE_URL: 'http://localhost:8080' }

    const served: Record<string, string>[] = [{}, local, store, { ...store, ...local }]
    for (const variables of served) {
      expect(problemsOf({ ...asked, ...variables })).toEqual([])
      expect(webhooksOf(readConfig({ ...asked, ...variables }, []))).toMatchObject({
        allowsLoopback: true,
      })
    }
    const open: Record<string, string>[] = [
      { HOST: '0.0.0.0' },
      { HOST: '0.0.0.0', BASE_URL: 'http://localhost:8080' },
      { HOST: '10.0.0.1' },
      { BASE_URL: 'https://api.example.com' },
      { SANDBOX_BASE_URL: 'https://sandbox.example.com' },
      { ...store, HOST: '0.0.0.0' },
    ]
    for (const variables of open) {
      expect(problemsOf({ ...asked, ...variables })).toEqual([
        'WEBHOOK_ALLOW_LOOPBACK needs HOST and base URLs on loopback: customers could reach this machine',
      ])
    }
  })

  test.each([
    [{}, true],
    [{ BASE_URL: 'http://localhost:8080' }, true],
    [{ HOST: '::1' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '0.0.0.0', BASE_URL: 'http://localhost:8080' }, false],
    [{ BASE_URL: 'https://api.example.com' }, false],
    [{ SANDBOX_BASE_URL: 'https://sandbox.example.com' }, false],
    [{ WEBHOOK_ALLOW_LOOPBACK: 'false' }, false],
    [
      {
        DATABASE_URL: 'postgres://db/gateway',
        GATEWAY_SECRET: randomBytes(32).toString('hex'),
        PAYMENTS: 'simulated',
      },
      false,
    ],
  ])('%j allows them: %s', (variables, allowsLoopback) => {
    expect(webhooksOf(readConfig(variables, []))).toEqual({
      ...{ allowsLoopback, deniedCidrs: [], keepsLoopbackAnswers: false, retentionDays: 30 },
    })
  })

  test('reads the address blocks that webhooks must not reach', () => {
    const config = readConfig({ WEBHOOK_DENY_CIDRS: '8.8.8.0/24, 2606:4700::1' }, [])

    expect(webhooksOf(config)).toMatchObject({ deniedCidrs: ['8.8.8.0/24', '2606:4700::1'] })
  })

  test('refuses impossible settings of webhooks', () => {
    const problems = problemsOf({
      WEBHOOK_RETRY_SECONDS: '5,,300',
      WEBHOOK_TIMEOUT_MS: '0',
      WEBHOOK_RETENTION_DAYS: '7',
      WEBHOOK_DENY_CIDRS: '203.0.113.0/24,2001:db8::/129',
      WEBHOOK_ALLOW_LOOPBACK: 'yes',
    })

    expect(problems).toEqual([
      'WEBHOOK_RETRY_SECONDS must be up to twenty pauses in seconds',
      'WEBHOOK_TIMEOUT_MS must be an integer from 100 to 60000',
      'WEBHOOK_RETENTION_DAYS must be an integer from 8 to 3650',
      'WEBHOOK_DENY_CIDRS must be a comma-separated list of addresses and CIDR blocks',
      'WEBHOOK_ALLOW_LOOPBACK must be true or false',
    ])
    const { WEBHOOK_RETRY_SECONDS: pauses } = readConfig({}, [])
    // Without what is added by chance.
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(24 * 3600)
  })

  test('never repeats a secret in a problem', () => {
    const problems = problemsOf({
      GATEWAY_SECRET: 'hunter2',
      DATABASE_URL: 'http://u:hunter2@db',
      STRIPE_SECRET_KEY: 'hunter2',
      STRIPE_WEBHOOK_SECRET: 'hunter2',
    })

    expect(problems).toHaveLength(4)
    expect(problems.join('\n')).not.toContain('hunter2')
  })
})
