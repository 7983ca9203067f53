import { defineEntity, OptionalProps, p } from '@mikro-orm/core'
import type { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { ApiKeyStatus } from './api-key.type.ts'

const ApiKeySchema = defineEntity({
  name: 'ApiKeyEntity',
  tableName: 'api_key',
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    environment: p.text().$type<EnvironmentValue>(),
    name: p.text(),
    prefix: p.text(),
    last4: p.text(),
    secretHash: p.text().hidden(),
    scopes: p.array(),
    ipAllowlist: p.array(),
    expiresAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    revokedAt: p.datetime(3).nullable(),
    replacedBy: p.text().nullable(),
    enabled: p.boolean(),
    disabledAt: p.datetime(3).nullable(),
    disabledBy: p.text().nullable(),
    externalId: p.text().nullable(),
    metadata: p.json().$type<Record<string, string>>(),
    createdBy: p.text(),
    memberId: p.text().nullable(),
    isOfConsole: p.boolean(),
    spenderId: p.text(),
    isCapped: p.boolean(),
  },
})

/** A stored API key. The secret itself is never kept, only its SHA-256. */
export class ApiKeyEntity extends ApiKeySchema.class {
  declare readonly [OptionalProps]?: 'status'

  get status(): ApiKeyStatus {
    if (this.revokedAt) return ApiKeyStatus.revoked
    if (this.expiresAt && this.expiresAt <= new Date()) return ApiKeyStatus.expired
    return ApiKeyStatus.active
  }
}
ApiKeySchema.setClass(ApiKeyEntity)
