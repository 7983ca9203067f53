import type { Request } from 'express'
import type { FieldError } from '../../schema/vocabulary/error-codes.ts'
import { basicOf } from '../http/authorization.ts'
import { headerOf } from '../http/call.ts'

/** The credentials that an app has sent (RFC 6749 §2.3.1; docs/oauth-rules.md 51-54). */
export interface ClientCredentials {
  /** The id of the app; null when nothing names an app. */
  readonly clientId: string | null
  /** The secret; null when none was sent, or an empty one. */
  readonly secret: string | null
  /** Whether the header was used: only then a refusal has a challenge (RFC 6749 §5.2). */
  readonly isBasic: boolean
  readonly problems: readonly FieldError[]
}

/**
 * Reads the header and the form, which `readForm` has parsed. It checks only how the credentials
 * are sent: the form of an id or a secret does not matter until the look-up (docs/oauth-rules.md
 * §5).
 */
export function clientCredentialsOf(req: Request): ClientCredentials {
  const form: Record<string, string | undefined> = req.body
  const { client_id: named, client_secret: posted } = form
  if (headerOf(req, 'authorization') === '') {
    return { clientId: named ?? null, secret: posted ?? null, isBasic: false, problems: [] }
  }
  const basic = basicCredentialsOf(req)
  const problems: FieldError[] = []
  const header = (message: string) =>
    problems.push({ field: 'Authorization', in: 'header', message })
  if (!basic) header('must be Basic with client_id and client_secret')
  if (posted !== undefined) header('must not be sent beside client_secret')
  if (basic && named !== undefined && named !== basic.clientId) header('names another client_id')
  return {
    clientId: basic?.clientId ?? named ?? null,
    secret: basic?.secret || null,
    isBasic: true,
    problems,
  }
}

/**
 * Reads id and secret of HTTP Basic. Both are form-encoded (RFC 6749 §2.3.1), which changes no id and no
 * secret of this gateway.
 */
function basicCredentialsOf(req: Request): { clientId: string; secret: string } | null {
  const basic = basicOf(req)
  const clientId = basic && formDecoded(basic.name)
  const secret = basic && formDecoded(basic.password)
  return clientId === null || secret === null ? null : { clientId, secret }
}

function formDecoded(text: string): string | null {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // A stray percent sign: no id or secret of this gateway has one.
    return null
  }
}
