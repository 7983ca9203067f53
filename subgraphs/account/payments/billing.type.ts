import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ObjectType } from 'type-graphql'
import { LedgerEntry } from '../ledger/ledger-entry.type.ts'
import { AutoRecharge } from '../low-balance/auto-recharge.type.ts'
import { Invoice } from './invoices/invoice.type.ts'
import { CreditPackage } from './payment.type.ts'

@ObjectType({ description: 'The view of an account holder on money.' })
export class BillingSnapshot {
  @Field(() => GraphQLSafeInt, { description: 'The sum of the ledger.' })
  currentBalance!: number

  @Field(() => [CreditPackage], { description: 'The packages for sale.' })
  creditPackages!: CreditPackage[]

  @Field(() => AutoRecharge, { description: 'How recharging is set up.' })
  autoRecharge!: AutoRecharge

  @Field(() => [LedgerEntry], { description: 'The 20 newest entries, newest first.' })
  recentLedger!: LedgerEntry[]

  @Field(() => [Invoice], {
    description: 'Always empty: see `invoices` (spec, Other named shapes).',
  })
  invoices!: Invoice[]
}
