/** A browser without pages: it follows redirections, and keeps cookies by origin. */
export interface Browser {
  /** Follows redirections until an answer is none, or leads to an address that is not visited. */
  visit(url: string, options?: VisitOptions): Promise<Visit>
  cookieOf(origin: string, name: string): string | undefined
  setCookie(origin: string, name: string, value: string): void
  /** The `Cookie` header for an origin. */
  cookiesOf(origin: string): string
}

interface VisitOptions {
  /** Does not go to addresses that begin so, and returns the redirection to them. */
  readonly stopBefore?: string
}

export interface Visit {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Where it leads; null if it is a page. */
  readonly location: string | null
}

const mostRedirections = 20

export function openBrowser(): Browser {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = (origin: string) => {
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    return jar
  }
  const cookiesOf = (origin: string) =>
    Array.from(jarOf(origin), ([name, value]) => `${name}=${value}`).join('; ')

  async function load(url: string): Promise<Visit> {
    const { origin } = new URL(url)
    const answer = await fetch(url, { headers: { cookie: cookiesOf(origin) }, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      const isEnded = /;\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(line)
      if (isEnded) jarOf(origin).delete(name)
      else jarOf(origin).set(name, value)
    }
    const { status, headers } = answer
    const to = headers.get('location')
    const location = to === null ? null : new URL(to, url).href
    return { url, status, headers, text: await answer.text(), location }
  }

  return {
    cookiesOf,
    cookieOf: (origin, name) => jarOf(origin).get(name),
    setCookie: (origin, name, value) => void jarOf(origin).set(name, value),
    async visit(url, { stopBefore } = {}) {
      let next = url
      for (let count = 0; count < mostRedirections; count += 1) {
        const visit = await load(next)
        const { location } = visit
        const isLast = stopBefore !== undefined && location?.startsWith(stopBefore)
        if (location === null || isLast) return visit
        next = location
      }
      throw new Error('There are too many redirections.')
    },
  }
}
