import { defineEntity, p } from '@mikro-orm/core'
import type { Environment } from '../../../schema/credentials/caller.ts'

const GrantedConsentSchema = defineEntity({
  name: 'GrantedConsentEntity',
  tableName: 'consent',
  properties: {
    accountId: p.text().primary(),
    clientId: p.text().primary(),
    environment: p.text().$type<Environment>(),
    scopes: p.array(),
    keyId: p.text(),
    grantedAt: p.datetime(3).defaultRaw('now()'),
    revokedAt: p.datetime(3).nullable(),
    isCapped: p.boolean(),
    /** As the document said at the approval; null: an app without one. */
    clientName: p.text().nullable(),
  },
})

/** The consent of an account to an app. */
export class GrantedConsentEntity extends GrantedConsentSchema.class {}
GrantedConsentSchema.setClass(GrantedConsentEntity)
