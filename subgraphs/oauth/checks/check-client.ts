import { type Check, problem } from '../authorization-request.ts'

/** A suspended app is one that nobody knows (design, oauth rule 40). */
export const checkClient: Check = (_, client) =>
  client ? [] : problem('client_id', 'is no app that is registered here')
