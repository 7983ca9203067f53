import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import { sha256 } from '../../schema/credentials/secrets.ts'
import { headerOf } from './call.ts'

/** RFC 6750 §2.1: the scheme in any case, then one b64token. */
const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i
const basic = /^Basic +([A-Za-z0-9+/]+={0,2})$/i

/** Returns the token of `Authorization: Bearer …`; undefined without a header of this form. */
export function bearerOf(req: Request): string | undefined {
  return bearer.exec(headerOf(req, 'authorization'))?.[1]
}

/** Puts a token from another place of the request into the header. */
export function setBearer(req: Request, token: string): void {
  req.headers.authorization = `Bearer ${token}`
}

/**
 * Returns the decoded pair of `Authorization: Basic …` (RFC 7617); null without a header of this
 * form.
 */
export function basicOf(req: Request): { name: string; password: string } | null {
  const encoded = basic.exec(headerOf(req, 'authorization'))?.[1]
  if (encoded === undefined) return null
  const bytes = Buffer.from(encoded, 'base64')
  const canonical = bytes.toString('base64')
  if (canonical !== encoded && unpadded(canonical) !== unpadded(encoded)) return null
  if (!isUtf8(bytes)) return null
  const pair = bytes.toString('utf8')
  const nameEnd = pair.indexOf(':')
  return nameEnd > 0 ? { name: pair.slice(0, nameEnd), password: pair.slice(nameEnd + 1) } : null
}

function unpadded(base64: string): string {
  return base64.replace(/=+$/, '')
}

/** The name by which the credential in the header is known: nobody can find another one with the same name. */
export function credentialName({ headers: { authorization = '' } }: IncomingMessage): string {
  return sha256(lastWordOf(authorization))
}

/** The credential in a header, without its scheme. */
export function lastWordOf(text: string): string {
  return text.slice(text.lastIndexOf(' ') + 1)
}
