import type { TestGateway } from '../gateway/gateway.ts'
import { askInternal, operatorBaseUrl } from '../gateway/operator-page.ts'

/** A browser without pages: it follows redirections, and keeps the cookies of each host. */
export interface Browser {
  /** Loads a page of the operators' host, or of an issuer, and follows redirections. */
  visit(url: string, options?: VisitOptions): Promise<Visit>
  /** The cookies of the operators' host, as a request of its page sends them. */
  operatorCookies(): string
  /** Replaces the cookies of the operators' host. */
  takeOperatorCookies(cookies: string): void
  /** Forgets who is signed in at issuers. */
  forgetIssuers(): void
}

interface VisitOptions {
  /** Does not go to an address that begins so, and returns the redirection to it. */
  readonly stopBefore?: string
  /** Whether a page elsewhere leads here: cookies with `SameSite=Strict` are not sent. */
  readonly comesFromElsewhere?: boolean
}

export interface Visit {
  readonly url: string
  readonly status: number
  readonly setCookies: readonly string[]
  readonly text: string
  /** Where it leads; null if it is a page. */
  readonly location: string | null
}

interface Cookie {
  readonly value: string
  readonly isStrict: boolean
}

const mostRedirections = 20

export function openBrowser(gateway: Pick<TestGateway, 'internal'>): Browser {
  const jars = new Map<string, Map<string, Cookie>>()
  const jarOf = (origin: string) => {
    const jar = jars.get(origin) ?? new Map<string, Cookie>()
    jars.set(origin, jar)
    return jar
  }
  const cookiesOf = (origin: string, sendsStrict: boolean) =>
    Array.from(jarOf(origin))
      .filter(([, { isStrict }]) => sendsStrict || !isStrict)
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')

  async function load(url: string, sendsStrict: boolean): Promise<Visit> {
    const { origin, host, pathname, search } = new URL(url)
    const cookie = cookiesOf(origin, sendsStrict)
    const answer =
      origin === operatorBaseUrl
        ? await askInternal(gateway, pathname + search, {
            headers: { host, cookie, 'sec-fetch-site': sendsStrict ? 'none' : 'cross-site' },
          })
        : await ask(url, cookie)
    const { status, headers, text } = answer
    const setCookies = headers.getSetCookie().flatMap((line) => line.split(/,(?=__Host-)/))
    for (const line of setCookies) keep(jarOf(origin), line)
    const to = headers.get('location')
    return { url, status, setCookies, text, location: to === null ? null : new URL(to, url).href }
  }

  return {
    operatorCookies: () => cookiesOf(operatorBaseUrl, true),
    takeOperatorCookies(cookies) {
      jars.delete(operatorBaseUrl)
      for (const part of cookies.split('; ')) keep(jarOf(operatorBaseUrl), part)
    },
    forgetIssuers() {
      for (const origin of jars.keys()) if (origin !== operatorBaseUrl) jars.delete(origin)
    },
    async visit(url, { stopBefore, comesFromElsewhere = false } = {}) {
      let next = url
      // A redirection from another site is a request of that site.
      let isForeign = comesFromElsewhere
      for (let count = 0; count < mostRedirections; count += 1) {
        const visit = await load(next, !isForeign)
        const { location } = visit
        if (location === null) return visit
        if (stopBefore !== undefined && location.startsWith(stopBefore)) return visit
        isForeign ||= new URL(location).origin !== new URL(next).origin
        next = location
      }
      throw new Error('There are too many redirections.')
    },
  }
}

async function ask(url: string, cookie: string) {
  const answer = await fetch(url, { headers: { cookie }, redirect: 'manual' })
  const { status, headers } = answer
  return { status, headers, text: await answer.text() }
}

function keep(jar: Map<string, Cookie>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  const isEnded = /;\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(line)
  if (isEnded) jar.delete(name)
  else jar.set(name, { value, isStrict: /samesite=strict/i.test(line) })
}
