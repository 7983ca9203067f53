import { maxDocumentAddressLength } from '../../../schema/vocabulary/document-address.ts'
import { hasDotSegment } from '../../../schema/vocabulary/ids.ts'
import { type EndpointUrlRules, endpointUrlProblem } from '../../shared/outgoing/endpoint-url.ts'

/**
 * The objection to the address of a metadata document, or null (OAuth Client ID Metadata Document). It is compared
 * as it is written, so it must be written in a way that no parser changes.
 */
export function documentAddressProblem(address: string, rules: EndpointUrlRules): string | null {
  if (address.length > maxDocumentAddressLength) {
    return `must have at most ${maxDocumentAddressLength} characters`
  }
  if (!/^[\x21-\x7e]+$/.test(address)) return 'must be written in ASCII'
  const problem = endpointUrlProblem(address, rules)
  if (problem !== null) return problem
  if (/[?#]/.test(address)) return 'must have no query and no fragment'
  const url = new URL(address)
  if (hasDotSegment(address.slice(address.indexOf('/', 8)))) return 'must have no dot segment'
  if (url.pathname === '/') return 'must have a path'
  return url.href === address ? null : `must be written as ${url.href}`
}
