import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { askOwnerPage } from '../../../rest-facade/pages/sign-in/consent-pages/ask-owner-page.ts'
import { consentPage } from '../../../rest-facade/pages/sign-in/consent-pages/consent-page.ts'
import { continuePage } from '../../../rest-facade/pages/sign-in/consent-pages/continue-page.ts'
import { errorPage } from '../../../rest-facade/pages/sign-in/consent-pages/error-page.ts'
import type { Page } from '../../../rest-facade/pages/sign-in/consent-pages/page.ts'
import { signInPage } from '../../../rest-facade/pages/sign-in/consent-pages/sign-in-page.ts'

const query = 'client_id=app_1&redirect_uri=https%3A%2F%2Frp.example%2Fcb&scope=openid&state=s%20t'

interface Named {
  readonly text?: string
  readonly uri?: string
  readonly redirectUri?: string
}

/** A screen on which every word and every link of the app's own is the given one. */
function screenOf({ text = 'Photo Box', uri = 'https://rp.example/', redirectUri }: Named = {}) {
  return {
    client: {
      client_id: 'app_1',
      name: text,
      logo_uri: 'https://rp.example/logo.png',
      client_uri: uri,
      policy_uri: uri,
      tos_uri: uri,
      verified: false,
      redirect_host: text,
      ...{ origin: null, document_url: null, document_host: null, registered_at: null },
      owner_name: text,
    },
    account_name: null,
    requested_scope: [{ name: text, description: text, already_granted: false }],
    ignored_scope: [],
    redirect_uri: redirectUri ?? 'https://rp.example/cb',
    state: text,
    login_required: false,
    consent_required: true,
    redirect_to: null,
    continue_token: null,
    consent_token: text,
    budgets: null,
    expires_at: '2026-11-21T12:00:00.000Z',
  }
}

/** Every page, with the same text wherever a page shows what it was given. */
function pagesSaying(text: string): readonly Page[] {
  const { client } = screenOf({ text })
  return [
    signInPage({
      ...{ continueToken: text, query: text, client, message: text, status: 401 },
      consoleRequest: text,
    }),
    askOwnerPage({
      ...{ issuer: 'https://gateway.example/v1', request: 'a=b', accountName: text },
      client: { ...client, origin: 'document', document_host: text },
    }),
    consentPage({ query: text, screen: screenOf({ text }) }),
    errorPage({
      ...{ status: 422, message: text, code: text, requestId: text, returnTo: null },
      answerAgain: text,
    }),
    continuePage({ query: text }),
  ]
}

const tame = pagesSaying('x')

/** The tags of a page with the names of their attributes: all that a value must never change. */
function skeletonOf({ html }: Page): string {
  const tags = html.match(/<(?:"[^"]*"|[^">])*>/g) ?? []
  return tags.map((tag) => tag.replaceAll(/"[^"]*"/g, '""')).join('')
}

function policyOf({ headers }: Page): string {
  return headers['Content-Security-Policy'] ?? ''
}

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' autofocus onfocus='alert(1)",
  '</title></style></main><style>*{display:none}</style>',
  '&lt;script&gt;&quot;',
  'a\r\nSet-Cookie: a=b\r\n\r\n<p>',
  '\u202egnp.exe\u2066\u2069',
  '0; url=javascript:alert(1)',
  '{{7*7}}<!--',
]

describe('the pages of sign-in and consent', () => {
  test.each(hostile)('show %j as text everywhere (docs/oauth-rules.md 8)', (text) => {
    const pages = pagesSaying(text)

    expect(pages.map(skeletonOf)).toEqual(tame.map(skeletonOf))
    expect(pages.map(({ headers }) => headers)).toEqual(tame.map(({ headers }) => headers))
  })

  test('never let a text change a tag or a header (docs/oauth-rules.md 8)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        const pages = pagesSaying(text)

        expect(pages.map(skeletonOf)).toEqual(tame.map(skeletonOf))
        expect(pages.map(({ headers }) => headers)).toEqual(tame.map(({ headers }) => headers))
      }),
    )
  })

  test('load nothing, run nothing, and send their forms nowhere else (docs/oauth-rules.md 8)', () => {
    for (const page of tame) {
      const [, sheet = ''] = /<style>([\s\S]*)<\/style>/.exec(page.html) ?? []
      const hash = createHash('sha256').update(sheet).digest('base64')

      expect(sheet).not.toBe('')
      expect(policyOf(page)).toMatch(/^default-src 'none'; /)
      expect(policyOf(page).split('; ')).toEqual([
        "default-src 'none'",
        `style-src 'sha256-${hash}'`,
        expect.stringMatching(/^form-action '(self|none)'( https:)?$/),
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ])
      expect(page.headers).toMatchObject({
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-store',
      })
      expect(page.html).not.toMatch(
        /<(script|img|iframe|link|object|embed|base)\b|\bon\w+=|@import|url\(/i,
      )
    }
  })

  test('declare their language, their title and the width they fit', () => {
    for (const { html } of tame) {
      expect(html).toMatch(/^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">/)
      expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
      expect(html).toMatch(/<title>[A-Z][^<]+<\/title>/)
      expect(html.match(/<h1>/g)).toHaveLength(1)
    }
  })

  test('isolate text of an app, so that it cannot reverse the text beside it', () => {
    const { html } = consentPage({ query, screen: screenOf({ text: 'a\u202eb\u2069c\u0007d' }) })

    expect(html).toContain('<h1>Allow <bdi>abc d</bdi> to use your account?</h1>')
    expect(html).toContain('<dd><bdi>abc d</bdi></dd>')
    expect(html).not.toMatch(/<h1>[\s\S]*[\u202a-\u202e\u2066-\u2069][\s\S]*<\/h1>/)
  })
})

describe('the sign-in page', () => {
  test('asks for the key in a field that no browser stores, and keeps the request', () => {
    const page = signInPage({
      continueToken: null,
      query,
      client: screenOf().client,
      message: null,
      status: 200,
    })

    expect(page.status).toBe(200)
    expect(page.html).toContain('<form method="post" action="/v1/oauth/session">')
    expect(page.html).toContain(
      `<input type="hidden" name="return_to" value="${query.replaceAll('&', '&amp;')}">`,
    )
    expect(page.html).toContain('<label for="api_key">API key</label>')
    expect(page.html).toMatch(
      /<input id="api_key" name="api_key" type="password" autocomplete="off"/,
    )
    expect(page.html).not.toMatch(/role="alert"|aria-invalid/)
    expect(policyOf(page)).toContain("; form-action 'self'; ")
  })

  test('leads to the console with the request as one parameter, where a sign-in there counts', () => {
    const given = { continueToken: null, query, client: null, message: null, status: 200 }
    const hrefs = (consoleRequest: string | null) =>
      [...signInPage({ ...given, consoleRequest }).html.matchAll(/<a href="([^"]*)"/g)].map(
        ([, href = '']) => new URL(href, 'https://api.example'),
      )

    const [link] = hrefs('client_id=a&state=//evil.example')
    expect([link?.origin, link?.pathname]).toEqual(['https://api.example', '/console/authorize'])
    expect([...(link?.searchParams ?? [])]).toEqual([
      ['request', 'client_id=a&state=//evil.example'],
    ])
    expect(hrefs(null)).toEqual([])
  })

  test('announces at the field why the last key was refused', () => {
    const page = signInPage({
      continueToken: null,
      query,
      client: null,
      message: 'No such key.',
      status: 401,
    })

    expect(page.status).toBe(401)
    expect(page.html).toContain('<title>Error: Sign in</title>')
    expect(page.html).toContain('<p class="alert" role="alert" id="problem">No such key.</p>')
    expect(page.html).toContain('aria-describedby="problem help" aria-invalid="true"')
    expect(page.html).toContain('to continue to the app.')
  })
})

describe('the consent page', () => {
  test('names the app, its scopes and its target, and says that nobody has verified it', () => {
    const screen = screenOf()
    const scopes = [
      { name: 'openid', description: 'Know who you are', already_granted: true },
      { name: 'usage:read', description: 'Read your usage', already_granted: false },
    ]
    const client = { ...screen.client, redirect_host: 'rp.example', owner_name: 'Box Ltd' }
    const { html } = consentPage({ query, screen: { ...screen, client, requested_scope: scopes } })

    expect(html).toContain('<h1>Allow <bdi>Photo Box</bdi> to use your account?</h1>')
    expect(html).toContain('<strong>This app is not verified.</strong>')
    expect(html).toContain('<dt>Sends you to</dt><dd><bdi>rp.example</bdi></dd>')
    expect(html).toContain('<dt>Registered by</dt><dd><bdi>Box Ltd</bdi></dd>')
    expect(html.match(/<li>[\s\S]*?<\/li>/g)).toEqual([
      '<li>Know who you are <span class="quiet">openid, allowed before</span></li>',
      '<li>Read your usage <span class="quiet">usage:read</span></li>',
    ])
  })

  test('says only that a verified app is verified', () => {
    const screen = screenOf()
    const client = { ...screen.client, verified: true, owner_name: null }
    const { html } = consentPage({ query, screen: { ...screen, client } })

    expect(html).toContain('<p>This app is verified.</p>')
    expect(html).not.toMatch(/not verified|Registered by/)
  })

  test('sends the unchanged request, with the token and the answer of the button', () => {
    const screen = { ...screenOf(), consent_token: 'a+b/c=&d' }
    const { html } = consentPage({ query, screen })

    const asked = `/v1/oauth/consent?${query}&consent_token=a%2Bb%2Fc%3D%26d`.replaceAll(
      '&',
      '&amp;',
    )
    expect(html.match(/ (?:form)?action="[^"]*"/g)).toEqual([
      ` action="${asked}&amp;decision=deny"`,
      ` formaction="${asked}&amp;decision=deny"`,
      ` formaction="${asked}&amp;decision=allow"`,
    ])
  })

  test('ignores an answer in the link that opened it', () => {
    const lured = `decision=allow&${query}&consent_token=stolen&%64ecision=allow`
    const { html } = consentPage({ query: lured, screen: screenOf() })

    expect(html).toBe(consentPage({ query, screen: screenOf() }).html)
  })

  test.each([
    ['https://rp.example/cb?a=b', "form-action 'self' https:"],
    ['http://[::1]:8080/cb', "form-action 'self' http:"],
    ['com.example.app:/cb', "form-action 'self' com.example.app:"],
    ["https://x;script-src*.'unsafe-inline'.example/cb", "form-action 'self' https:"],
  ])(
    'lets its form lead to the scheme of %s, and to nothing else (docs/oauth-rules.md 8)',
    (redirectUri, directive) => {
      const page = consentPage({ query, screen: screenOf({ redirectUri }) })

      expect(policyOf(page).split('; ')[2]).toBe(directive)
    },
  )

  test.each(['javascript:alert(1)', 'http://rp.example/', 'data:text/html,x', '//rp.example', ' '])(
    'has no link to %j',
    (uri) => {
      expect(consentPage({ query, screen: screenOf({ uri }) }).html).not.toContain('<a ')
    },
  )

  test('links to the pages of the app without a referrer, and loads no logo', () => {
    const { html } = consentPage({
      query,
      screen: screenOf({ uri: 'https://rp.example/?a="b"&c' }),
    })

    const link = '<a href="https://rp.example/?a=&quot;b&quot;&amp;c" rel="noopener noreferrer">'
    expect(html.match(/<a [^>]*>/g)).toEqual([link, link, link])
    expect(html).not.toContain('logo')
  })

  test('is not shown without a consent token, because it could not be answered', () => {
    const screen = { ...screenOf(), consent_token: null }

    expect(() => consentPage({ query, screen })).toThrow('consent token')
  })
})

describe('the error page', () => {
  const failure = { status: 422, code: 'INVALID_REQUEST', requestId: 'req_1' }

  test('announces the failure, and leaves it to the person to follow the link to the app', () => {
    const returnTo = 'https://rp.example/cb?error=access_denied&state=s'
    const page = errorPage({ ...failure, message: 'scope: is unknown', returnTo })

    expect(page.status).toBe(422)
    expect(page.html).toContain('<p class="alert" role="alert"><bdi>scope: is unknown</bdi></p>')
    expect(page.html).toContain(
      '<a href="https://rp.example/cb?error=access_denied&amp;state=s" rel="noopener noreferrer">Return to the app</a>',
    )
    expect(page.html).toContain('INVALID_REQUEST, request req_1')
    expect(page.html).not.toContain('http-equiv')
    expect(policyOf(page)).toContain("; form-action 'none'; ")
  })

  test.each(['javascript:alert(1)', 'data:text/html,x', 'no address', ''])(
    'has no link to %j',
    (returnTo) => {
      const page = errorPage({ ...failure, message: 'No.', returnTo })

      expect(page.html).not.toContain('<a ')
    },
  )

  test('links back to a native app too', () => {
    const page = errorPage({ ...failure, message: 'No.', returnTo: 'com.example.app:/cb?error=x' })

    expect(page.html).toContain('<a href="com.example.app:/cb?error=x"')
  })
})

describe('the intermediate page', () => {
  test('reloads by itself, from this origin, and has a link for browsers that do not', () => {
    const page = continuePage({ query })

    const address = `/v1/oauth/authorize?${query}`.replaceAll('&', '&amp;')
    expect(page.status).toBe(200)
    expect(page.html).toContain(`<meta http-equiv="refresh" content="0; url=${address}">`)
    expect(page.html).toContain(`<a href="${address}">Continue</a>`)
  })
})
