import type { CustomFetch } from 'openid-client'

/** An answer of an issuer is a page of metadata, keys, tokens or claims. */
const mostBytes = 1024 * 1024

/** A status that has no body (Fetch Standard, null body status). */
const withoutBody = new Set([204, 205, 304])

/**
 * Asks an issuer. An answer of more than 1 MiB is a failure, as is one that leads elsewhere: openid-client follows no
 * redirection, and asks no plain http of an issuer that is https.
 */
export const issuerFetch: CustomFetch = async function issuerFetch(url, options) {
  const { body, method, headers, redirect, signal = null } = options
  // The requests of an issuer are forms.
  const form = body instanceof URLSearchParams ? body : null
  const answer = await fetch(url, { body: form, method, headers, redirect, signal })
  const { status, statusText } = answer
  const bytes = await limited(answer)
  const whole = withoutBody.has(status) ? null : bytes
  return new Response(whole, { status, statusText, headers: answer.headers })
}

async function limited({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body ?? []) {
    length += part.length
    // Leaving the loop ends the connection.
    if (length > mostBytes) throw new Error('The answer of the issuer is too long.')
    parts.push(part)
  }
  return new Uint8Array(Buffer.concat(parts))
}
