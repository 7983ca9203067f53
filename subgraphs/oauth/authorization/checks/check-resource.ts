import { type Problem, problem } from './check.ts'

/** Tokens are for this API only (RFC 8707 §2). `issuer` is `{base_url}/v1`. */
export function checkResource(resource: string | null, issuer: string): readonly Problem[] {
  const isOurs =
    resource === null || [issuer, issuer.replace(/\/v1$/, '')].includes(resource.replace(/\/$/, ''))
  return isOurs ? [] : problem('resource', `must be ${issuer}`, 'invalid_target')
}
