import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql'
import { type GraphContext, requireAccount } from '../../../shared/graph/context.ts'
import { PageArgs } from '../../../shared/lists/page.type.ts'
import { readPage } from '../../../shared/lists/pagination.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import { getInvoice, invoicesOf, type StoredInvoice } from './invoice.service.ts'
import { Invoice, InvoicePage, InvoicePdf } from './invoice.type.ts'
import { getInvoicePdf } from './invoice-pdf.service.ts'

@Resolver(() => Invoice)
export class InvoiceResolver {
  @Authorized('account')
  @Query(() => InvoicePage, { description: "Lists the caller's invoices, newest first." })
  invoices(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<InvoicePage> {
    return readPage(context, invoicesOf(context.database, requireAccount(context)), page)
  }

  @Authorized('account')
  @Query(() => Invoice, { description: "Returns one of the caller's invoices." })
  invoice(
    @Arg('id', () => ID, { description: '`inv_…`' }) id: string,
    @Ctx() context: GraphContext,
  ): Promise<Invoice> {
    return getInvoice(context.database, requireAccount(context), id)
  }

  @Authorized('account')
  @Query(() => InvoicePdf, { description: "One of the caller's invoices as a PDF." })
  invoicePdf(
    @Arg('id', () => ID, { description: '`inv_…`' }) id: string,
    @Ctx() context: AccountContext,
  ): Promise<InvoicePdf> {
    return getInvoicePdf(context, requireAccount(context), id)
  }

  @Authorized('account', 'readonly')
  @FieldResolver(() => String, {
    description: 'The URL of the PDF, for a key that may read the invoice.',
  })
  pdfUrl(@Root() { id, environment }: StoredInvoice, @Ctx() { baseUrls }: GraphContext): string {
    return `${baseUrls[environment]}/v1/billing/invoices/${id}.pdf`
  }
}
