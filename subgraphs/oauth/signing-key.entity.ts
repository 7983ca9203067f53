import { defineEntity, p } from '@mikro-orm/core'
import type { JWK } from 'jose'
import type { Environment } from '../../schema/caller.ts'

const SigningKeySchema = defineEntity({
  name: 'SigningKeyEntity',
  tableName: 'signing_key',
  properties: {
    kid: p.text().primary(),
    environment: p.text().$type<Environment>(),
    alg: p.text().$type<'RS256'>(),
    publicJwk: p.json<JWK>(),
    privateSealed: p.text().hidden(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
})

/** An RSA key pair; its `kid` is the RFC 7638 thumbprint of the public half. */
export class SigningKeyEntity extends SigningKeySchema.class {}
SigningKeySchema.setClass(SigningKeyEntity)
