/** Names of types in the contract, where the graph has other names. */
export const nameByType: Readonly<Record<string, string>> = {
  CreditBalance: 'Credits',
  AccountSubscription: 'Subscription',
  BillingSnapshot: 'Billing',
}

/** Names of bodies in the contract, for operations with several root fields. */
export const nameByOperation: Readonly<Record<string, string>> = {
  GetOverview: 'Overview',
  GetBilling: 'Billing',
}

/**
 * Names of request bodies in the spec and the contract. The others are named after their operation.
 */
export const requestNames: Readonly<Record<string, string>> = {
  IssueApiKey: 'KeyCreateRequest',
  RegisterApp: 'CreateOAuthAppRequest',
  CreateAuditExport: 'AuditExportRequest',
}
