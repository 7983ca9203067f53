/** The rules for names. A name that the contract or a standard fixes is an exception below. */
export const rules = {
  'type-case': 'types are named in PascalCase',
  'field-case': 'fields, arguments and members are named in camelCase',
  'value-case': 'enum values are named in UPPER_SNAKE',
  'input-suffix': 'the name of an input ends in Input',
  'verb-first':
    'what is done is named by a verb first; tools/check/graphql/name-rules.ts lists them',
  'boolean-prefix': 'a boolean is named is…, has… or can…',
  'instant-suffix': 'an instant, and nothing else, is named …At',
  'unit-last': 'a unit stands last, as in latencyMs',
  'id-suffix': 'an ID, and nothing else, is named id, …Id or …Ids',
  'rest-case': 'members and parameters of REST are named in snake_case',
} as const

export type NameRule = keyof typeof rules

/** First words of mutations and operations. */
export const verbs: ReadonlySet<string> = new Set(
  `add adjust allow answer ask audit authorize begin cancel change check checkout claim close collect configure confirm consent count
  create decide delete deliver deny disable enable end expire find finish fold follow forget get grant introspect invite issue
  keep lift list mail mark note open preview prove publish purge quote read receive record refund release register remove rename repair repeat report resend reserve
  reset resume retry revoke rotate run seal send set settle show sign start stop summarize suspend take test total track
  turn undo untrack update verify watch withdraw`.split(/\s+/),
)

/**
 * Names that may break a rule. `*.name` matches any type; `Enum.*` matches all values of an enum.
 */
export interface NameException {
  readonly rule: NameRule
  readonly names: readonly string[]
  readonly reason: string
  /** The names are members of bodies, which the OpenAPI document alone has. */
  readonly isOfBodies?: true
}

/** Each exception says why the name cannot change. An exception that is not needed is reported. */
export const nameExceptions: readonly NameException[] = [
  {
    rule: 'value-case',
    names: [
      'SubscriptionTier.*',
      'Environment.*',
      'EntitlementStatus.*',
      'AddonStatus.*',
      'AutoRechargeNeed.*',
      'AutoRechargeState.*',
      'Device.*',
      'InvoiceStatus.*',
      'InvoiceType.*',
      'LedgerEntryKind.*',
      'LotSource.*',
      'CheckoutStatus.*',
      'PaymentSource.*',
      'PlanChangeKind.*',
      'PlanChangeStatus.*',
      'PlanChangeTime.*',
      'RechargeObstacle.*',
      'SimulatedChoice.*',
      'ApiKeyStatus.*',
      'AppOrigin.*',
      'AttentionKind.*',
      'AttentionSeverity.*',
      'MailSignInState.*',
      'MemberState.*',
      'KeptKeys.*',
      'BudgetLayer.*',
      'BudgetPeriod.*',
      'GrantedConsentStatus.*',
      'OAuthAppStatus.*',
      'UsageInterval.*',
      'UsageGroup.*',
      'UsageSource.*',
      'AuditActorKind.*',
      'AuditExportStatus.*',
      'AuditExportKind.*',
      'WebhookEndpointStatus.*',
      'WebhookDeliveryStatus.*',
      'NotificationKind.*',
    ],
    reason: 'REST bodies show the value as it is, and the contract writes it in snake_case.',
  },
  {
    rule: 'value-case',
    names: ['ApplicationType.*', 'TokenEndpointAuthMethod.*'],
    reason: 'Words of RFC 7591 and of OpenID Connect registration.',
  },
  {
    rule: 'value-case',
    names: ['BatchOutcome.*', 'ReservationVerdict.*'],
    reason: 'The ledger in the database answers these words; they pass through unchanged.',
  },
  {
    rule: 'value-case',
    names: ['PaymentRefundStatus.*'],
    reason: 'The words of PaymentStatus: operators see both.',
  },
  {
    rule: 'verb-first',
    names: ['Mutation.token', 'Token'],
    reason: 'The endpoint of RFC 6749 §3.2, which issues, rotates and refuses.',
  },
  {
    rule: 'boolean-prefix',
    names: ['*.active', '*.enabled', '*.enforce', '*.cancelAtPeriodEnd', '*.received'],
    reason: 'Members of REST bodies that the contract names so.',
  },
  {
    rule: 'boolean-prefix',
    names: [
      '*.emailVerified',
      '*.requirePkce',
      'OpenidConfiguration.authorizationResponseIssParameterSupported',
      'OpenidConfiguration.requestUriParameterSupported',
      'OpenidConfiguration.requestParameterSupported',
      'OpenidConfiguration.claimsParameterSupported',
      'OpenidConfiguration.clientIdMetadataDocumentSupported',
    ],
    reason:
      'Claims and metadata that OpenID Connect, RFC 9207 and client metadata documents name so.',
  },
  {
    rule: 'boolean-prefix',
    names: ['*.verified', '*.alreadyGranted', '*.loginRequired', '*.consentRequired'],
    reason: 'Members of the consent screen, which apps and the console read.',
  },
  {
    rule: 'boolean-prefix',
    names: ['*.allowUnverifiedApps'],
    reason: 'A member of a REST body that the contract names so.',
  },
  {
    rule: 'boolean-prefix',
    names: ['*.allowNegative'],
    reason: 'A flag of the command line (`credits adjust --allow-negative`), named alike.',
  },
  {
    rule: 'boolean-prefix',
    names: ['*.emergency', '*.force'],
    reason: 'Flags of the command line (`keys rotate-signing --emergency`), named alike.',
  },
  {
    rule: 'instant-suffix',
    names: ['*.from', '*.to', '*.since', '*.failingSince'],
    reason: 'Ends of a range, as REST writes them.',
  },
  {
    rule: 'instant-suffix',
    names: ['*.ts', '*.asOf', '*.currentPeriodStart', '*.currentPeriodEnd', '*.start'],
    reason: 'Members of REST bodies that the specification or the contract names so.',
  },
  {
    rule: 'instant-suffix',
    names: ['*.authTime'],
    reason: 'The claim `auth_time` of OpenID Connect.',
  },
  {
    rule: 'instant-suffix',
    names: ['*.hour'],
    reason: 'The position is an hour; the instant is its beginning.',
  },
  {
    rule: 'instant-suffix',
    names: ['Userinfo.updatedAt', '*.clientIdIssuedAt', '*.clientSecretExpiresAt'],
    reason: 'Unix seconds, as OpenID Connect and RFC 7591 have it.',
  },
  {
    rule: 'instant-suffix',
    names: ['ReservationBatch.reservedAts', 'SettleBatchInput.reservedAts'],
    reason: 'A column of instants: its name is the plural of one.',
  },
  {
    rule: 'id-suffix',
    names: ['Userinfo.sub'],
    reason: 'The claim `sub` of OpenID Connect.',
  },
  {
    rule: 'id-suffix',
    names: ['*.replacedBy'],
    reason: 'The member `replaced_by` that the contract names.',
  },
  {
    rule: 'id-suffix',
    names: ['*.clientId', '*.clientReferenceId', '*.traceId', '*.traceIds', '*.resourceId'],
    reason:
      'Not always an id of ours: whatever a client sent, a W3C trace id, or any kind of thing.',
  },
  {
    rule: 'id-suffix',
    names: ['BillingDetails.taxId', 'BillingDetailsInput.taxId'],
    reason: 'The member `tax_id` that the contract names: a number of a tax office.',
  },
  {
    rule: 'rest-case',
    names: ['FollowAuditExportLink.fileName'],
    reason: 'The gateway reads it: the answer of that route is the file.',
  },
  {
    rule: 'rest-case',
    names: ['rawId', 'clientDataJSON', 'attestationObject', 'authenticatorData', 'userHandle'],
    reason: 'Members that WebAuthn names so: browsers write them.',
    isOfBodies: true,
  },
]
