import { defineEntity, p } from '@mikro-orm/core'
import type { Environment } from '../../../schema/credentials/caller.ts'

const CreditBalanceSchema = defineEntity({
  name: 'CreditBalanceEntity',
  tableName: 'balance',
  properties: {
    accountId: p.text().primary(),
    environment: p.text().$type<Environment>().primary(),
    balance: p.bigint('number'),
    held: p.bigint('number'),
    lastSeq: p.bigint('number'),
  },
})

/**
 * The running total of a ledger in one environment, and the part that open holds have set aside.
 */
export class CreditBalanceEntity extends CreditBalanceSchema.class {}
CreditBalanceSchema.setClass(CreditBalanceEntity)
