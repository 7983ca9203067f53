import { maxUriLength, partsOf, webProblem } from './uri-parts.ts'

/** What speaks against showing this link beside the name of an app, or null: absolute https, or http on loopback. */
export function webLinkProblem(uri: string): string | null {
  if (uri.length > maxUriLength) return `must have at most ${maxUriLength} characters`
  const parts = partsOf(uri)
  const isWeb = parts?.scheme === 'https' || parts?.scheme === 'http'
  return parts && isWeb ? webProblem(parts) : 'must be an absolute https URL'
}
