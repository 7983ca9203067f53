import { importJWK, type JWTPayload, SignJWT } from 'jose'
import { deriveKey, open } from '../../../schema/credentials/secrets.ts'
import { gatewaySecret, type TestGateway } from './gateway.ts'

/** The gateway's own key for backend modules: to make tokens that it would not send. */
export interface GatewaySigner {
  readonly kid: string
  sign(claims: JWTPayload, header?: object): Promise<string>
}

/** The signer of live calls. */
export async function signerOf({
  database,
}: Pick<TestGateway, 'database'>): Promise<GatewaySigner> {
  const [row] = await database.query<{ kid: string; private_sealed: string }>(
    `SELECT kid, private_sealed FROM oauth.backend_signing_key
     WHERE environment = 'live' AND revoked_at IS NULL AND activate_at <= now()
     ORDER BY activate_at DESC LIMIT 1`,
  )
  if (!row) throw new Error('The gateway has no key.')
  const { kid, private_sealed } = row
  const text = open(deriveKey(gatewaySecret, 'backend-signing-key'), private_sealed, kid)
  const privateKey = await importJWK(JSON.parse(text ?? '{}'), 'EdDSA')
  return {
    kid,
    sign: (claims, header = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'EdDSA', typ: 'gateway-caller+jwt', kid, ...header })
        .sign(privateKey),
  }
}
