/** What the contract calls a type of the graph, where that calls it otherwise. */
export const nameByType: Readonly<Record<string, string>> = {
  CreditBalance: 'Credits',
  AccountSubscription: 'Subscription',
  BillingSnapshot: 'Billing',
}

/** What the contract calls the body of an operation that several root fields make. */
export const nameByOperation: Readonly<Record<string, string>> = {
  GetOverview: 'Overview',
  GetBilling: 'Billing',
}

/** What the spec and the contract call a request body; others are named after their operation. */
export const requestNames: Readonly<Record<string, string>> = {
  IssueApiKey: 'KeyCreateRequest',
  RegisterApp: 'CreateOAuthAppRequest',
  CreateAuditExport: 'AuditExportRequest',
}
