import type { TestGateway } from '../gateway/gateway.ts'
import { operatorBaseUrl } from '../gateway/operator-page.ts'
import { type Browser, openBrowser, type Visit } from './browser.ts'
import type { Person, TestIssuer } from './test-issuer.ts'

let people = 0

/** Somebody whom no other test knows. */
export function newPerson(...groups: readonly string[]): Person {
  people += 1
  const sub = `person-${people}-${process.pid}`
  return { sub, groups, preferred_username: 'ann', name: 'Ann Example' }
}

export const signInUrl = `${operatorBaseUrl}/operator/sign-in`
export const callbackUrl = `${operatorBaseUrl}/operator/callback`

/** Walks to the issuer and back, up to the address at which the issuer sends the browser back. */
export async function comeBack(browser: Browser, query = ''): Promise<string> {
  const { location } = await browser.visit(signInUrl + query, { stopBefore: callbackUrl })
  if (location === null) throw new Error('The issuer has not sent the browser back.')
  return location
}

interface SignedIn {
  readonly browser: Browser
  readonly person: Person
  /** The cookie of the session. */
  readonly cookie: string
}

/** Signs somebody in at the issuer, in a new browser. */
export async function signInAtIssuer(
  gateway: TestGateway,
  issuer: TestIssuer,
  person: Person,
): Promise<SignedIn> {
  const browser = openBrowser(gateway)
  issuer.person = person
  const visit = await browser.visit(signInUrl)
  if (!isSignedIn(visit, browser)) throw new Error(`No sign-in: ${visit.status} ${visit.text}`)
  return { browser, person, cookie: browser.operatorCookies() }
}

/** Whether the browser has arrived at the page, with a session. */
export function isSignedIn({ url }: Visit, browser: Browser): boolean {
  return url.startsWith(`${operatorBaseUrl}/operator`) && sessionOf(browser) !== null
}

/** The cookie of the session that a browser has; null without one. */
export function sessionOf(browser: Browser): string | null {
  return /__Host-gw_operator=[^;]+/.exec(browser.operatorCookies())?.[0] ?? null
}
