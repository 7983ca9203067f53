import type { Request } from 'express'
import { ApiError } from '../http/errors.ts'
import { foreignPage } from './first-party.ts'

/**
 * The kind of a route for the session of a browser: free, a document that people open by its
 * address, or a call that may cost credits.
 */
export type CookieUse = 'free' | 'document' | 'costs'

/**
 * Refuses a cookie that a page of another origin may have made the browser send, and a change that any
 * page could send. Browsers set `Sec-Fetch-Site`, which no page can; those that do not know it send
 * `Origin` with what can change something.
 */
export function refusalOfCookie(req: Request, use: CookieUse, ownOrigin: string): ApiError | null {
  if (!mayCome(originOf(req, ownOrigin), use, isRead(req))) return foreignPage
  if (use === 'costs' && !isOfScript(req)) return notOfScript
  return isRead(req) || isJson(req) ? null : formLike
}

/**
 * Whether a script asks, and no link, image, frame or prefetch of our own page, whose address others may have
 * written. Browsers that do not send these headers send `Origin` with what scripts ask for alone, because a form
 * is refused.
 */
function isOfScript({ headers }: Request): boolean {
  if (headers['sec-fetch-site'] === undefined) return true
  const mode = headers['sec-fetch-mode']
  return headers['sec-fetch-dest'] === 'empty' && (mode === 'cors' || mode === 'same-origin')
}

/** Whether a page of this listener has surely sent the request. */
export function isOfOwnPage(req: Request, ownOrigin: string): boolean {
  return originOf(req, ownOrigin) === 'own'
}

type PageOrigin = 'own' | 'foreign' | 'address-bar' | 'unsaid'

function originOf({ headers }: Request, ownOrigin: string): PageOrigin {
  switch (headers['sec-fetch-site']) {
    case 'same-origin':
      return 'own'
    case 'none':
      return 'address-bar'
    case undefined:
      break
    default:
      return 'foreign'
  }
  if (headers.origin === undefined) return 'unsaid'
  return headers.origin === ownOrigin ? 'own' : 'foreign'
}

function mayCome(origin: PageOrigin, use: CookieUse, isReading: boolean): boolean {
  switch (origin) {
    case 'own':
      return true
    case 'foreign':
      return false
    case 'address-bar':
      return use === 'document'
    case 'unsaid':
      return use !== 'costs' && isReading
  }
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** An HTML form can send only three media types, and JSON is none of them. */
function isJson(req: Request): boolean {
  const isWithout = req.headers['transfer-encoding'] === undefined && !hasLength(req)
  if (isWithout && req.headers['content-type'] === undefined) return true
  return /^application\/json\s*(;|$)/i.test(req.headers['content-type'] ?? '')
}

function hasLength({ headers }: Request): boolean {
  return Number(headers['content-length'] ?? 0) !== 0
}

const notOfScript = new ApiError(
  'FORBIDDEN',
  'A session calls a product only by a script of the page, not by a link or an image.',
)

const formLike = new ApiError(
  'FORBIDDEN',
  'A session changes something only with a body of application/json.',
)
