import { z } from 'zod'

/**
 * Requests of one client address in a minute; 0: no limit. `register`: apps of accounts; `dcr`: apps that register
 * themselves; `failures`: of an app at an address.
 */
export const defaultOAuthLimits = {
  token: 600,
  authorize: 600,
  introspect: 6000,
  revoke: 600,
  register: 60,
  dcr: 10,
  failures: 10,
}

export const oauthLimits = z.string().transform((text, context): typeof defaultOAuthLimits => {
  const limits = { ...defaultOAuthLimits }
  const named = new Set<string>()
  for (const part of text.split(',')) {
    const [, name = '', value = ''] = /^\s*([a-z]+)=(\d{1,7})\s*$/.exec(part) ?? []
    if (!isLimitName(name) || named.has(name)) {
      const names = Object.keys(defaultOAuthLimits).join(', ')
      context.addIssue({ code: 'custom', message: `must be name=number, each once, of ${names}` })
      return z.NEVER
    }
    named.add(name)
    limits[name] = Number(value)
  }
  return limits
})

function isLimitName(name: string): name is keyof typeof defaultOAuthLimits {
  return Object.hasOwn(defaultOAuthLimits, name)
}
