import { type Check, problem } from './check.ts'

const noClientId = problem('client_id', 'is required')

/** A suspended app is treated as unknown (docs/oauth-rules.md 40). */
export const unknownClient = problem('client_id', 'is no app that is registered here')

export const checkClient: Check = ({ clientId }, client) => {
  if (clientId === '') return noClientId
  return client ? [] : unknownClient
}
