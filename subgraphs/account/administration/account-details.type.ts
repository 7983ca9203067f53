import { ArgsType, Field, ObjectType } from 'type-graphql'
import { EnvironmentName } from '../../shared/graph/environment.type.ts'
import { ConnectionArgs, connectionOf } from '../../shared/lists/page.type.ts'
import { LedgerEntry } from '../ledger/ledger-entry.type.ts'
import { CreditLot } from '../lots/lot.type.ts'
import { Invoice } from '../payments/invoices/invoice.type.ts'
import { TrackedKeyword } from '../subscriptions/tracked-keyword.type.ts'
import { AccountEvent } from '../webhooks/event.type.ts'
import { WebhookEndpoint } from '../webhooks/webhook-endpoint.type.ts'

/** Options of the argument that selects one of the two states of an account. */
export const environmentArg = {
  nullable: true,
  description: 'Whether live state or sandbox state is shown; live by default.',
}

/** The arguments of a list of an account. */
@ArgsType()
export class AccountListArgs extends ConnectionArgs {
  @Field(() => EnvironmentName, environmentArg)
  environment?: EnvironmentName | null
}

@ObjectType({ description: 'A page of tracked keywords, newest first.' })
export class TrackedKeywordConnection extends connectionOf(TrackedKeyword) {}

@ObjectType({ description: 'A page of invoices, newest first.' })
export class InvoiceConnection extends connectionOf(Invoice) {}

@ObjectType({ description: 'A page of the ledger, newest first.' })
export class LedgerEntryConnection extends connectionOf(LedgerEntry) {}

@ObjectType({ description: 'A page of lots, in the order in which they are used up.' })
export class CreditLotConnection extends connectionOf(CreditLot) {}

@ObjectType({ description: 'A page of events, newest first.' })
export class AccountEventConnection extends connectionOf(AccountEvent) {}

@ObjectType({ description: 'A page of webhook endpoints, newest first.' })
export class WebhookEndpointConnection extends connectionOf(WebhookEndpoint) {}
