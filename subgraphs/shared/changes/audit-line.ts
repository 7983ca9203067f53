/** A line of the audit trail: an `AuditEventInput` of the usage subgraph, as JSON. */
export type AuditLine = Readonly<Record<string, unknown>>
