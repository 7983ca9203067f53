import { hasAtMost } from '../../../../schema/vocabulary/characters.ts'
import { maxUriLength, partsOf, webProblem } from './uri-parts.ts'

/**
 * The objection to a link beside the name of an app, or null. It must be absolute https, or http on
 * loopback.
 */
export function webLinkProblem(uri: string): string | null {
  if (!hasAtMost(uri, maxUriLength)) return `must have at most ${maxUriLength} characters`
  const parts = partsOf(uri)
  const isWeb = parts?.scheme === 'https' || parts?.scheme === 'http'
  return parts && isWeb ? webProblem(parts) : 'must be an absolute https URL'
}
