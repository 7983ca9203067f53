import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ObjectType } from 'type-graphql'
import { LedgerEntry } from '../ledger/ledger-entry.type.ts'
import { AutoRecharge } from '../low-balance/auto-recharge.type.ts'
import { Invoice } from './invoices/invoice.type.ts'
import { CreditPackage } from './payment.type.ts'

@ObjectType({ description: 'What an account without credits can do about it.' })
export class TopUp {
  @Field(() => [CreditPackage], { description: 'The packages on sale.' })
  creditPackages!: CreditPackage[]

  @Field(() => Boolean, {
    description: 'Whether a payment of automatic recharging is in progress.',
  })
  isRecharging!: boolean
}

@ObjectType({ description: 'What an account holder sees about money.' })
export class BillingSnapshot {
  @Field(() => GraphQLSafeInt, { description: 'The balance: the sum of the ledger.' })
  currentBalance!: number

  @Field(() => [CreditPackage], { description: 'The packages that can be bought.' })
  creditPackages!: CreditPackage[]

  @Field(() => AutoRecharge, { description: 'The settings of automatic recharging.' })
  autoRecharge!: AutoRecharge

  @Field(() => [LedgerEntry], { description: 'The 20 newest entries of the ledger, newest first.' })
  recentLedger!: LedgerEntry[]

  @Field(() => [Invoice], {
    description: 'Always empty: `invoices` has them.',
  })
  invoices!: Invoice[]
}
