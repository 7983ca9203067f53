import { defineEntity, OptionalProps, p } from '@mikro-orm/core'
import type { Environment } from '../../../schema/credentials/caller.ts'
import {
  type ApplicationType,
  AppOrigin,
  OAuthAppStatus,
  type TokenEndpointAuthMethod,
} from './app.type.ts'

const OAuthAppSchema = defineEntity({
  name: 'OAuthAppEntity',
  tableName: 'app',
  properties: {
    clientId: p.text().primary(),
    accountId: p.text().nullable(),
    environment: p.text().$type<Environment>(),
    origin: p.text().$type<AppOrigin>().default(AppOrigin.account),
    documentUrl: p.text().nullable(),
    hosts: p.array().default([]),
    registeredBy: p.text().nullable(),
    approvedAt: p.datetime(3).nullable(),
    clientName: p.text(),
    applicationType: p.text().$type<ApplicationType>(),
    tokenEndpointAuthMethod: p.text().$type<TokenEndpointAuthMethod>(),
    secretHash: p.text().nullable().hidden(),
    previousSecretHash: p.text().nullable().hidden(),
    /** As it is stored: it may be over. */
    overlapEndsAt: p.datetime(3).nullable().fieldName('previous_secret_expires_at'),
    redirectUris: p.array(),
    grantTypes: p.array(),
    scopes: p.array(),
    requirePkce: p.boolean(),
    logoUri: p.text().nullable(),
    clientUri: p.text().nullable(),
    policyUri: p.text().nullable(),
    tosUri: p.text().nullable(),
    createdBy: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    suspendedAt: p.datetime(3).nullable(),
    isSuspendedByOperator: p.boolean().default(false),
  },
})

/** A registered client. Only the SHA-256 of its secrets is stored. */
export class OAuthAppEntity extends OAuthAppSchema.class {
  declare readonly [OptionalProps]?:
    | ('status' | 'scope' | 'responseTypes' | 'clientIdIssuedAt')
    | 'previousSecretExpiresAt'

  get status(): OAuthAppStatus {
    return this.suspendedAt ? OAuthAppStatus.suspended : OAuthAppStatus.active
  }

  get scope(): string {
    return this.scopes.join(' ')
  }

  /** Null once only the newest secret is accepted. */
  get previousSecretExpiresAt(): Date | null {
    const { overlapEndsAt = null } = this
    return overlapEndsAt && overlapEndsAt.getTime() > Date.now() ? overlapEndsAt : null
  }

  get responseTypes(): string[] {
    return ['code']
  }

  /** Seconds, as RFC 7591 §3.2.1 has it. */
  get clientIdIssuedAt(): number {
    return Math.floor(this.createdAt.getTime() / 1000)
  }
}
OAuthAppSchema.setClass(OAuthAppEntity)
