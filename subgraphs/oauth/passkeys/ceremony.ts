import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { challengeSeconds } from './challenge.store.ts'
import type { Passkey } from './passkey.store.ts'

/** Who asks: the id by which browsers keep passkeys, and the one origin of the pages. */
export interface RelyingParty {
  readonly rpId: string
  readonly origin: string
}

/** Loaded by the first ceremony: parsers of certificates come along, which no start needs. */
const library = () => import('@simplewebauthn/server')

/** JSON of a browser, or for one, as sections 5.1.8 to 5.1.10 of WebAuthn Level 3 write it. */
export type CredentialJson = Readonly<Record<string, unknown>>

interface Ceremony {
  /** Base64url. */
  readonly challenge: string
  readonly options: CredentialJson
}

const timeout = challengeSeconds * 1000

/** EdDSA, ES256 and RS256. Named, because by default the library asks Node for what is an experiment there. */
const supportedAlgorithmIDs = [-8, -7, -257]

const known = ({ credentialId: id, transports }: Passkey) => ({ id, transports: [...transports] })

interface Holder {
  readonly id: string
  readonly email: string
  readonly name: string | null
}

/** What a browser needs to make a passkey for the person. */
export async function creationOptions(
  { rpId }: RelyingParty,
  { id, email, name }: Holder,
  passkeys: readonly Passkey[],
): Promise<Ceremony> {
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    ...{ rpName: rpId, rpID: rpId, userName: email, userDisplayName: name ?? email, timeout },
    userID: new TextEncoder().encode(id),
    ...{ attestationType: 'none', supportedAlgorithmIDs },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: passkeys.map(known),
  })
  return { challenge: options.challenge, options: { ...options } }
}

/** What a browser needs to use a passkey: one of these, or any. */
export async function requestOptions(
  { rpId }: RelyingParty,
  passkeys: readonly Passkey[] | null,
): Promise<Ceremony> {
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    ...{ rpID: rpId, timeout, userVerification: 'required' },
    ...(passkeys && { allowCredentials: passkeys.map(known) }),
  })
  return { challenge: options.challenge, options: { ...options } }
}

type MadePasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>

const maxTransports = 8

/** The passkey that a browser has made; null if that is not what was asked for here. */
export async function verifyCreation(
  { rpId, origin }: RelyingParty,
  credential: CredentialJson,
  challenge: string,
): Promise<MadePasskey | null> {
  const { verifyRegistrationResponse } = await library()
  const response = credential as unknown as RegistrationResponseJSON
  const { verified, registrationInfo } = await answerOf(() =>
    verifyRegistrationResponse({
      ...{ response, expectedChallenge: challenge, requireUserVerification: true },
      ...{ expectedOrigin: origin, expectedRPID: rpId, supportedAlgorithmIDs },
    }),
  )
  if (!verified || !registrationInfo || isFramed(response.response.clientDataJSON)) return null
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  const key = Buffer.from(publicKey).toString('base64url')
  return {
    ...{ credentialId: id, publicKey: key, counter },
    transports: transports.filter(isTransport).slice(0, maxTransports),
  }
}

/** The counter that the passkey has signed; null if the signature is not what was asked for here. */
export async function verifyUse(
  { rpId, origin }: RelyingParty,
  { credentialId, publicKey, personId }: Passkey,
  credential: CredentialJson,
  challenge: string,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library()
  const response = credential as unknown as AuthenticationResponseJSON
  const { verified, authenticationInfo } = await answerOf(() =>
    verifyAuthenticationResponse({
      ...{ response, expectedChallenge: challenge, requireUserVerification: true },
      ...{ expectedOrigin: origin, expectedRPID: rpId },
      // The library compares counters before it has seen that the signature is right.
      credential: { id: credentialId, publicKey: bytesOf(publicKey), counter: 0 },
    }),
  )
  if (!verified || !authenticationInfo) return null
  const { clientDataJSON, userHandle } = response.response
  if (isFramed(clientDataJSON)) return null
  const isOther = userHandle !== undefined && bytesOf(userHandle).toString() !== personId
  return isOther ? null : authenticationInfo.newCounter
}

/** The library throws where an answer is wrong, and where it is none. */
async function answerOf<Answer extends { readonly verified: boolean }>(
  verify: () => Promise<Answer>,
): Promise<Answer | { readonly verified: false; readonly [none: string]: undefined | false }> {
  try {
    return await verify()
  } catch {
    return { verified: false }
  }
}

/** A page in a frame of another site: the person sees that site's address. */
function isFramed(clientDataJson: string): boolean {
  const { crossOrigin } = Object(JSON.parse(bytesOf(clientDataJson).toString()))
  return crossOrigin === true
}

function bytesOf(base64url: string): Buffer<ArrayBuffer> {
  return Buffer.from(base64url, 'base64url')
}

/** Authenticators name ways that are not in the standard yet; they are hints alone. */
function isTransport(name: unknown): boolean {
  return typeof name === 'string' && /^[a-z-]{1,20}$/.test(name)
}
