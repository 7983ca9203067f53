import { defineEntity, p } from '@mikro-orm/core'
import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Device } from './tracked-keyword.type.ts'

const TrackedKeywordSchema = defineEntity({
  name: 'TrackedKeywordEntity',
  tableName: 'tracked_keyword',
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    environment: p.text().$type<Environment>(),
    keyword: p.text(),
    domain: p.text(),
    country: p.text(),
    device: p.text().$type<Device>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
})

/** A search term whose rank is tracked for a domain, in one country and on one kind of device. */
export class TrackedKeywordEntity extends TrackedKeywordSchema.class {}
TrackedKeywordSchema.setClass(TrackedKeywordEntity)
