import { z } from 'zod'
import { shown } from '../input.ts'

/** Bytes as browsers write them: base64url, without padding. */
function bytes(maxLength: number, description: string) {
  return z
    .string('must be a text')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .regex(/^(?:[A-Za-z0-9_]|-)+$/, 'must be base64url')
    .register(shown, { description })
}

const type = z
  .literal('public-key', 'must be public-key')
  .register(shown, { description: 'Always `public-key`.' })

const id = bytes(1400, 'The id of the credential, in base64url.')
const clientDataJSON = bytes(4096, 'What the browser says about the request, in base64url.')

// Browsers write further members, and later ones more: they are read over.

/** `RegistrationResponseJSON` (WebAuthn Level 3, section 5.1). */
export const madeCredential = z
  .object({
    id,
    rawId: id,
    type,
    response: z
      .object({
        clientDataJSON,
        attestationObject: bytes(32_768, 'The credential, in base64url.'),
        transports: z
          .array(z.string().max(40), 'must be a list of texts')
          .max(20, 'must have at most 20 entries')
          .register(shown, { description: 'How the browser reaches the authenticator.' })
          .optional(),
      })
      .register(shown, { description: 'What the authenticator has made.' }),
  })
  .register(shown, {
    description:
      'The passkey, as `toJSON()` of the browser writes it. Further members are read over.',
  })

/** `AuthenticationResponseJSON` (WebAuthn Level 3, section 5.1). */
export const signedCredential = z
  .object({
    id,
    rawId: id,
    type,
    response: z
      .object({
        clientDataJSON,
        authenticatorData: bytes(4096, 'What the authenticator says, in base64url.'),
        signature: bytes(8192, 'The signature, in base64url.'),
        userHandle: bytes(128, 'The person, in base64url.').optional(),
      })
      .register(shown, { description: 'What the authenticator has signed.' }),
  })
  .register(shown, {
    description:
      'The signature, as `toJSON()` of the browser writes it. Further members are read over.',
  })
