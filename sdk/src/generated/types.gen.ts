// Generated from schema/generated/openapi.json by `npm run schema`; changes are lost.

export type ClientOptions = {
    baseUrl: 'http://127.0.0.1:8080' | 'http://127.0.0.1:8081' | (string & {});
};

export type Webhooks = OnCreditsLowWebhookRequest | OnCreditsExpiringWebhookRequest | OnBudgetThresholdWebhookRequest | OnCreditsExhaustedWebhookRequest | OnCreditsGrantedWebhookRequest | OnAutoRechargeSucceededWebhookRequest | OnAutoRechargeFailedWebhookRequest | OnAutoRechargeSuspendedWebhookRequest | OnSubscriptionStartedWebhookRequest | OnSubscriptionChangedWebhookRequest | OnSubscriptionChangeScheduledWebhookRequest | OnSubscriptionChangeFailedWebhookRequest | OnSubscriptionCancelScheduledWebhookRequest | OnSubscriptionResumedWebhookRequest | OnSubscriptionCanceledWebhookRequest | OnSubscriptionRenewedWebhookRequest | OnAddonCancelScheduledWebhookRequest | OnAddonCanceledWebhookRequest | OnInvoiceCreatedWebhookRequest | OnInvoicePaidWebhookRequest | OnCreditNoteCreatedWebhookRequest | OnPaymentRefundedWebhookRequest | OnPaymentDisputedWebhookRequest | OnPaymentDisputeClosedWebhookRequest | OnPaymentActionRequiredWebhookRequest | OnKeyCreatedWebhookRequest | OnKeyRotatedWebhookRequest | OnKeyRevokedWebhookRequest | OnMemberJoinedWebhookRequest | OnMemberRoleChangedWebhookRequest | OnMemberRemovedWebhookRequest | OnSandboxResetWebhookRequest | OnOauthAppCreatedWebhookRequest | OnOauthAppSuspendedWebhookRequest | OnConsentGrantedWebhookRequest | OnConsentRevokedWebhookRequest | OnAuditExportCompletedWebhookRequest | OnAuditExportFailedWebhookRequest | OnWebhookEndpointDisabledWebhookRequest | OnWebhookTestWebhookRequest;

/**
 * Why a caller may not do this.
 */
export type AccessError = {
    /**
     * The code of the error, for programs.
     */
    code: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'PAYMENT_DECLINED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'ACCOUNT_SUSPENDED' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT';
    /**
     * The same for people; its wording may change.
     */
    message: string;
    /**
     * The HTTP status.
     */
    status: number;
    /**
     * A page about this code.
     */
    documentation_url: string;
    /**
     * `req_…`, as in `X-Request-Id`.
     */
    request_id: string;
    /**
     * The page of the console with the usage-log entry of the request, for callers with `usage:read`.
     */
    request_log_url?: string;
    /**
     * With ACCOUNT_SUSPENDED: whom to ask.
     */
    details?: SuspensionDetail;
};

/**
 * The body of every failure.
 */
export type AccessErrorEnvelope = {
    error: AccessError;
};

/**
 * A customer. The environment of the call decides whether its live state or its sandbox state is shown.
 */
export type Account = {
    /**
     * `acct_…`
     */
    id: string;
    /**
     * Display name.
     */
    name: string;
    /**
     * The email address of the account holder.
     */
    email: string;
    /**
     * The credit-pack tier.
     */
    tier: Tier;
    /**
     * The tier of the hybrid subscription; null without one.
     */
    subscription_tier: SubscriptionTier | null;
    /**
     * Credits: the sum of the ledger. It includes the credits that are held.
     */
    balance: number;
    /**
     * Requests per second: the greater of the limits of both live tiers. It applies in both environments.
     */
    rate_limit_rps: number;
    /**
     * The environment that these figures belong to.
     */
    environment: Environment;
    /**
     * When the account was opened.
     */
    created_at: string;
};

/**
 * The body of the request: add a passkey.
 */
export type AddPasskeyRequest = {
    /**
     * A name for people, such as that of the device.
     */
    name: string & string;
    /**
     * The passkey, as `toJSON()` of the browser writes it. Further members are read over.
     */
    credential: {
        /**
         * The id of the credential, in base64url.
         */
        id: string;
        /**
         * The id of the credential, in base64url.
         */
        rawId: string;
        /**
         * Always `public-key`.
         */
        type: 'public-key';
        /**
         * What the authenticator has made.
         */
        response: {
            /**
             * What the browser says about the request, in base64url.
             */
            clientDataJSON: string;
            /**
             * The credential, in base64url.
             */
            attestationObject: string;
            /**
             * How the browser reaches the authenticator.
             */
            transports?: Array<string>;
        };
    };
};

/**
 * An add-on ends with its period.
 */
export type AddonCancelScheduledEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'addon.cancel_scheduled';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * The add-on.
         */
        name: 'mass_mail' | 'rank_tracking';
        /**
         * Where it stands now.
         */
        status: 'active' | 'scheduled_to_cancel' | 'canceled';
        /**
         * ISO 8601, UTC.
         */
        current_period_end: string;
    };
};

/**
 * An add-on has ended.
 */
export type AddonCanceledEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'addon.canceled';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * The add-on.
         */
        name: 'mass_mail' | 'rank_tracking';
        /**
         * Where it stands now.
         */
        status: 'active' | 'scheduled_to_cancel' | 'canceled';
        /**
         * ISO 8601, UTC.
         */
        current_period_end: string;
    };
};

/**
 * The state of an add-on.
 *
 * - `active`: It renews at the end of its period.
 * - `scheduled_to_cancel`: It works until its period ends.
 * - `canceled`: It has ended.
 * - `inactive`: The account never had the add-on.
 */
export type AddonStatus = 'active' | 'scheduled_to_cancel' | 'canceled' | 'inactive';

/**
 * Further features of an account, beside its credits.
 */
export type Addons = {
    /**
     * The feature to send mails to many recipients.
     */
    mass_mail: MassMail;
    /**
     * The feature to watch the rank of a domain.
     */
    rank_tracking: RankTracking;
};

/**
 * What an account permits agents.
 */
export type AgentSettings = {
    /**
     * Whether apps that nobody has verified may ask for approval. Those that were approved before may either way.
     */
    allow_unverified_apps: boolean;
};

/**
 * An API key, with everything that can be read after its creation.
 */
export type ApiKey = {
    /**
     * `key_…`
     */
    id: string;
    /**
     * The name that its owner gave it.
     */
    name: string;
    /**
     * The listener that accepts it.
     */
    environment: Environment;
    /**
     * The first characters of the secret, such as `svc_live_`.
     */
    prefix: string;
    /**
     * The last characters of the secret.
     */
    last4: string;
    /**
     * The scopes of the key; `*` stands for all of them.
     */
    scopes: Array<string>;
    /**
     * The addresses and CIDR blocks from which the key works; empty means from anywhere.
     */
    ip_allowlist: Array<string>;
    /**
     * The state of the key.
     */
    status: ApiKeyStatus;
    /**
     * When it expires.
     */
    expires_at: string | null;
    /**
     * When the key was last accepted.
     */
    last_used_at: string | null;
    /**
     * When the key was issued.
     */
    created_at: string;
    /**
     * When the key was revoked.
     */
    revoked_at: string | null;
    /**
     * The key that replaced it: `key_…`
     */
    replaced_by: string | null;
    /**
     * Whether the owner has enabled the key. A disabled key is refused like a revoked one.
     */
    enabled: boolean;
    /**
     * The owner's name for the team, customer or agent that uses the key.
     */
    external_id: string | null;
    /**
     * Notes of the owner: pairs of a name and a text.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * The issuer: a key, `session:` and a person, or `internal:` and the token of a tool.
     */
    created_by: string;
    /**
     * The budgets of the key itself, by period.
     */
    budgets: Array<Budget>;
};

/**
 * A page of API keys, newest first.
 */
export type ApiKeyPage = {
    /**
     * The keys of this page.
     */
    items: Array<ApiKey>;
    /**
     * The cursor of the next page, an opaque text; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * The state of a key. Only active keys are accepted, if they are enabled.
 *
 * - `active`: The key is accepted, if it is enabled.
 * - `revoked`: The key is refused since `revoked_at`.
 * - `expired`: The key is refused since `expires_at`.
 */
export type ApiKeyStatus = 'active' | 'revoked' | 'expired';

/**
 * How an app came here.
 *
 * - `account`: An account registered it.
 * - `document`: A document at the address that is its client id describes it.
 * - `registration`: It registered itself (RFC 7591).
 */
export type AppOrigin = 'account' | 'document' | 'registration';

/**
 * An account that has approved an app, as the app may know it.
 */
export type AppOwner = {
    /**
     * `acct_…`: the `sub` of its tokens.
     */
    account_id: string;
    /**
     * The granted scopes, separated by spaces.
     */
    scope: string;
    /**
     * When the consent was last given.
     */
    granted_at: string;
    /**
     * The credits that its calls by the app cost in the last 30 days, but for the last few minutes.
     */
    spent_credits: number;
    /**
     * The budgets of the app, by period; left out without the scope `account:read`, because then the app may not read them itself.
     */
    budgets?: Array<AppOwnerBudgets>;
};

/**
 * How much a spender may spend in a period, and what is left of it.
 */
export type AppOwnerBudgets = {
    /**
     * The period in which the use is counted.
     */
    period: BudgetPeriod;
    /**
     * The most credits in each window, at least 1.
     */
    limit_credits: number;
    /**
     * The credits that were charged in the current window.
     */
    used_credits: number;
    /**
     * The credits that calls in progress may still cost.
     */
    held_credits: number;
    /**
     * The credits that are left in the current window; negative after the limit was lowered.
     */
    remaining_credits: number;
    /**
     * When the current window ends and the use starts at 0 again; left out: never.
     */
    resets_at?: string;
    /**
     * Whether a call that does not fit is refused. If not, the budget only reports its use.
     */
    enforce: boolean;
};

/**
 * A page of the owners of an app, newest consent first.
 */
export type AppOwnerPage = {
    /**
     * The owners of this page.
     */
    items: Array<AppOwner>;
    /**
     * The cursor of the next page; left out on the last page.
     */
    next_cursor: string | null;
};

/**
 * Where an app runs: on a server, on a device, or in a browser.
 *
 * - `web`: On a server, which can keep a secret.
 * - `native`: On a device of the user.
 * - `spa`: In a browser.
 */
export type ApplicationType = 'web' | 'native' | 'spa';

/**
 * A budget with which an app can be approved.
 */
export type ApprovalBudget = {
    /**
     * The calendar window in UTC in which use counts.
     */
    period: BudgetPeriod;
    /**
     * Credits for each window.
     */
    limit_credits: number;
};

/**
 * The body of the request: ask for a mail to sign in.
 */
export type AskForMailRequest = {
    /**
     * The mail address of a member.
     */
    email: string;
};

/**
 * A request for a mail to sign in; whether one is sent, it does not say.
 */
export type AskedMail = {
    /**
     * The end of the link and the code.
     */
    expires_at: string;
};

/**
 * The kind of actor that made a change.
 *
 * - `key`: An API key; the actor id is `key_…`.
 * - `oauth_client`: An OAuth app, by an access token; the actor id is its client.
 * - `internal`: An internal tool; the actor id is the name of the operator, or else the `jti` of its token, or `cli` on the command line.
 * - `system`: The gateway itself, by a job.
 * - `anonymous`: A client without a known credential; the actor id names nobody.
 * - `session`: A person that a portal link signed in; the actor id is the name in the link. A session that a key opened counts as the key.
 */
export type AuditActorKind = 'key' | 'oauth_client' | 'internal' | 'system' | 'anonymous' | 'session';

/**
 * One change, or the refusal of one: its actor, action, object, time and origin.
 */
export type AuditEvent = {
    /**
     * `aud_…`
     */
    id: string;
    /**
     * When it happened.
     */
    occurred_at: string;
    /**
     * The kind of actor.
     */
    actor_kind: AuditActorKind;
    /**
     * The id of the key, token, OAuth client or job.
     */
    actor_id: string;
    /**
     * The role of an internal token.
     */
    actor_role: string | null;
    /**
     * The action, such as `subscription.cancel`.
     */
    action: string;
    /**
     * The object of the action.
     */
    resource_id: string | null;
    /**
     * The address of the client, as far as trusted proxies report it; null for the gateway itself.
     */
    address: string | null;
    /**
     * `req_…`, as in `X-Request-Id`.
     */
    request_id: string | null;
    /**
     * The W3C trace id.
     */
    trace_id: string | null;
    /**
     * `succeeded`, or the code of the error.
     */
    result: string;
    /**
     * Further details of the action; no secrets.
     */
    details: {
        [key: string]: unknown;
    };
    /**
     * When the event reached the audit trail.
     */
    recorded_at: string;
    /**
     * Its number in the chain of its account and environment: 1, 2, 3.
     */
    seq: number;
    /**
     * SHA-256 over the event, as it is stored, and the hash of the previous event: 64 hexadecimal digits.
     */
    hash: string;
};

/**
 * A page of the audit trail as its account sees it, newest first.
 */
export type AuditEventPage = {
    /**
     * The token and the address of an internal tool are not shown.
     */
    items: Array<AuditEvent>;
    /**
     * The cursor of the next page; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * The result of an audit export can be downloaded: ask for the job to get its link.
 */
export type AuditExportCompletedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'audit_export.completed';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `exp_…`
         */
        audit_export_id: string;
        /**
         * Which log: the audit trail or the usage log.
         */
        kind: 'activity' | 'requests';
        /**
         * Rows of the CSV.
         */
        row_count: number;
    };
};

/**
 * An audit export failed for good.
 */
export type AuditExportFailedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'audit_export.failed';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `exp_…`
         */
        audit_export_id: string;
        /**
         * Which log: the audit trail or the usage log.
         */
        kind: 'activity' | 'requests';
        /**
         * Why, in a sentence.
         */
        error: string;
    };
};

/**
 * The filters of an export. It contains the rows that match all of them.
 */
export type AuditExportFilters = {
    /**
     * Only rows of this instant or later.
     */
    from: string | null;
    /**
     * Only rows before this instant.
     */
    to: string | null;
    /**
     * Which log: the audit trail or the usage log.
     */
    kind: AuditExportKind;
    /**
     * For requests: only those to this service group.
     */
    service: string | null;
    /**
     * For requests: only statuses of this class, `1xx` to `5xx`.
     */
    status_class: string | null;
    /**
     * For activity: only actions of this key, app or tool.
     */
    actor: string | null;
    /**
     * For requests: only those with this API key.
     */
    key_id?: string;
    /**
     * For requests: only those with an access token of this app.
     */
    client_id?: string;
    /**
     * For requests: only those whose key had this external id at that time.
     */
    external_id?: string;
    /**
     * For requests: only those that sent this in `X-End-User`.
     */
    end_user?: string;
    /**
     * For requests: only those of these sources, with commas between them.
     */
    source?: string;
    /**
     * For requests: only those that failed with this code.
     */
    error_code?: string;
    /**
     * For requests: whether rows say who has called and why a request failed.
     */
    extended?: boolean;
};

/**
 * An export of the audit trail or the usage log, as CSV.
 */
export type AuditExportJob = {
    /**
     * `exp_…`
     */
    id: string;
    /**
     * The state of the export.
     */
    status: AuditExportStatus;
    /**
     * The filters of the export.
     */
    filters: AuditExportFilters;
    /**
     * When it was requested.
     */
    created_at: string;
    /**
     * When a worker first began to write it.
     */
    started_at: string | null;
    /**
     * When it was completed, or given up.
     */
    completed_at: string | null;
    /**
     * The number of rows so far, and in the end of all rows. A worker that starts over counts from 0.
     */
    row_count: number | null;
    /**
     * The reason why it failed.
     */
    error: string | null;
    /**
     * The URL of this export, for later requests.
     */
    poll_url: string;
    /**
     * The link to the CSV, which works for everybody who has it; null before the file exists and after it was deleted.
     */
    result_url: string | null;
    /**
     * When the link expires.
     */
    result_expires_at: string | null;
};

/**
 * The kind of an export.
 *
 * - `activity`: The audit trail.
 * - `requests`: The usage log.
 */
export type AuditExportKind = 'activity' | 'requests';

/**
 * The body of the request: begin an export of the audit trail, or of the usage log, as CSV.
 */
export type AuditExportRequest = {
    /**
     * Only rows of this instant or later.
     */
    from?: string | null;
    /**
     * Only rows before this instant.
     */
    to?: string | null;
    /**
     * Which log; by default the audit trail.
     */
    kind?: 'activity' | 'requests' | null;
    /**
     * For requests: only those to this service group.
     */
    service?: 'contacts' | 'promote' | 'seo' | 'markets' | 'campaigns' | 'cloud' | 'reviews' | 'who-is-searching' | 'account' | 'keys' | 'usage' | 'billing' | 'oauth' | null;
    /**
     * Only answers with a status of this class.
     */
    status_class?: '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | null;
    /**
     * For activity: only actions of this key, app or tool.
     */
    actor?: string | null;
    /**
     * For requests: only those with this API key.
     */
    key_id?: string | null;
    /**
     * For requests: only those with an access token of this app.
     */
    client_id?: string | null;
    /**
     * For requests: only those whose key had this external id at that time.
     */
    external_id?: string | null;
    /**
     * For requests: only those that sent this in `X-End-User`.
     */
    end_user?: string | null;
    /**
     * Only requests of these sources, with commas between them; all without it. A product call of a session counts as `key`.
     */
    source?: string | null;
    /**
     * Only requests that failed with this code.
     */
    error_code?: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'PAYMENT_DECLINED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'ACCOUNT_SUSPENDED' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT' | null;
    /**
     * For requests: whether rows say who has called and why a request failed.
     */
    extended?: boolean | null;
};

/**
 * The state of an export: queued, running, then completed or failed.
 *
 * - `queued`: It waits for a worker.
 * - `running`: A worker is writing the file.
 * - `completed`: The file can be fetched.
 * - `failed`: It was given up for the reason in `error`; it can be repeated.
 */
export type AuditExportStatus = 'queued' | 'running' | 'completed' | 'failed';

/**
 * The app that asks, as an owner sees it.
 */
export type AuthorizationClient = {
    /**
     * `app_…`
     */
    client_id: string;
    /**
     * The name that the app gives itself.
     */
    name: string;
    /**
     * The URL of its logo. The gateway does not load it.
     */
    logo_uri?: string;
    /**
     * The URL of its home page.
     */
    client_uri?: string;
    /**
     * The URL of its privacy policy.
     */
    policy_uri?: string;
    /**
     * The URL of its terms of service.
     */
    tos_uri?: string;
    /**
     * Whether the operator has verified the app; always false.
     */
    verified: boolean;
    /**
     * Where the answer goes: a host, or the scheme of an app on a device.
     */
    redirect_host: string;
    /**
     * How the app came here, if nobody registered it by hand.
     */
    origin?: AppOrigin;
    /**
     * The address of the document that describes the app.
     */
    document_url?: string;
    /**
     * The host of the document, as a browser writes it: all that is known of the app.
     */
    document_host?: string;
    /**
     * When an app without a document registered itself.
     */
    registered_at?: string;
    /**
     * The account that registered the app; shown only to a caller who is signed in.
     */
    owner_name?: string;
};

/**
 * Why nobody can be asked.
 */
export type AuthorizationError = {
    /**
     * The code of the error, for programs.
     */
    code: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'PAYMENT_DECLINED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'ACCOUNT_SUSPENDED' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT';
    /**
     * The same for people; its wording may change.
     */
    message: string;
    /**
     * The HTTP status.
     */
    status: number;
    /**
     * A page about this code.
     */
    documentation_url: string;
    /**
     * `req_…`, as in `X-Request-Id`.
     */
    request_id: string;
    /**
     * The page of the console with the usage-log entry of the request, for callers with `usage:read`.
     */
    request_log_url?: string;
    /**
     * Every offending field, up to a hundred.
     */
    details: Array<FieldError>;
    /**
     * The code that OAuth has for it.
     */
    oauth_error?: string;
    /**
     * Where the browser should go, where the app is known and may be told.
     */
    redirect_to?: string;
};

/**
 * The body of every failure.
 */
export type AuthorizationErrorEnvelope = {
    error: AuthorizationError;
};

/**
 * The contents of a consent screen.
 */
export type AuthorizationScreen = {
    /**
     * The app that asks.
     */
    client: AuthorizationClient;
    /**
     * The name of the account that is asked.
     */
    account_name?: string;
    /**
     * The scopes that it asks for.
     */
    requested_scope: Array<RequestedScope>;
    /**
     * The requested scopes that are unknown and left out.
     */
    ignored_scope: Array<string>;
    /**
     * The redirect URI.
     */
    redirect_uri: string;
    /**
     * The `state` of the request, unchanged.
     */
    state?: string;
    /**
     * Whether the caller must sign in: unknown, signed in too long ago, or not for this request.
     */
    login_required: boolean;
    /**
     * Whether the app asks for a scope that the owner has not granted before.
     */
    consent_required: boolean;
    /**
     * The redirect that reports the failure to the app, if `prompt=none` cannot be granted.
     */
    redirect_to?: string;
    /**
     * A token for a sign-in of its own, which the app demands (`prompt=login`, `select_account`, `max_age=0`). It is sent with the sign-in, and again with this request.
     */
    continue_token?: string;
    /**
     * The consent token, which a browser sends with its decision.
     */
    consent_token?: string;
    /**
     * When this answer and its tokens expire.
     */
    expires_at: string;
    /**
     * For an app that nobody has verified, whose approval needs a budget: the budgets that it has, which an approval cannot raise, or a suggestion.
     */
    budgets?: Array<ApprovalBudget>;
};

/**
 * Buys a package whenever the account runs low on credits.
 */
export type AutoRecharge = {
    /**
     * Whether automatic recharging is on.
     */
    enabled: boolean;
    /**
     * A package is bought when fewer credits than this are available.
     */
    threshold_credits: number | null;
    /**
     * The package that is bought: `pack_…`
     */
    package_id: string | null;
    /**
     * The most that it spends in a calendar month (UTC), in cents; null: there is no limit.
     */
    monthly_cap_cents: number | null;
    /**
     * The state of automatic recharging.
     */
    state: AutoRechargeState;
    /**
     * When a recharge last succeeded.
     */
    last_recharge_at: string | null;
    /**
     * The reason why the last recharge failed, as a sentence for people.
     */
    failure_reason: string | null;
    /**
     * What is missing before something can be bought; without it, recharging cannot be turned on. Empty: nothing is missing.
     */
    missing: Array<AutoRechargeNeed>;
};

/**
 * Recharging failed; it is tried again later.
 */
export type AutoRechargeFailedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'auto_recharge.failed';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `pay_…`; null where none was tried.
         */
        payment_id: string | null;
        /**
         * Why, in a sentence.
         */
        failure_reason: string;
    };
};

/**
 * Something without which nothing can be bought automatically.
 *
 * - `threshold_credits`: The threshold.
 * - `package_id`: The package.
 * - `payment_method`: A stored payment method that is the default; a paid checkout stores one.
 */
export type AutoRechargeNeed = 'threshold_credits' | 'package_id' | 'payment_method';

/**
 * The state of automatic recharging.
 *
 * - `idle`: No payment is in progress.
 * - `pending`: A payment is in progress.
 * - `action_required`: A payment waits until the holder of the card confirms it.
 * - `suspended`: Recharging has stopped, for the reason in `failure_reason`, until it is configured again.
 */
export type AutoRechargeState = 'idle' | 'pending' | 'action_required' | 'suspended';

/**
 * Credits were recharged.
 */
export type AutoRechargeSucceededEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'auto_recharge.succeeded';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `pay_…`
         */
        payment_id: string;
    };
};

/**
 * Recharging failed for good. Set it up again to resume it.
 */
export type AutoRechargeSuspendedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'auto_recharge.suspended';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `pay_…`; null where none was tried.
         */
        payment_id: string | null;
        /**
         * Why, in a sentence.
         */
        failure_reason: string;
    };
};

/**
 * What an account holder sees about money.
 */
export type Billing = {
    /**
     * The balance: the sum of the ledger.
     */
    current_balance: number;
    /**
     * The packages that can be bought.
     */
    credit_packages: Array<CreditPackage>;
    /**
     * The settings of automatic recharging.
     */
    auto_recharge: AutoRecharge;
    /**
     * The 20 newest entries of the ledger, newest first.
     */
    recent_ledger: Array<LedgerEntry>;
    /**
     * Always empty: `invoices` has them.
     */
    invoices: Array<Invoice>;
    /**
     * The usage of the caller since the month began, in UTC.
     */
    month_to_date: QueryMonthToDate;
};

/**
 * A postal address.
 */
export type BillingAddress = {
    /**
     * Street and number, or a post-office box.
     */
    line1: string;
    /**
     * The second line of the address.
     */
    line2: string | null;
    /**
     * The city.
     */
    city: string;
    /**
     * The postal code; empty for a country that has none.
     */
    postal_code: string;
    /**
     * State, province or region.
     */
    state: string | null;
};

/**
 * The recipient of invoices; null until it is given.
 */
export type BillingDetails = {
    /**
     * The name of the company or person.
     */
    name: string | null;
    /**
     * The postal address.
     */
    address: BillingAddress | null;
    /**
     * The country, by ISO 3166 alpha-2.
     */
    country: string | null;
    /**
     * The tax id; in the EU a VAT id of the country, without spaces.
     */
    tax_id: string | null;
    /**
     * A reference that is printed on invoices.
     */
    purchase_order: string | null;
};

/**
 * How much a spender may spend in a period, and what is left of it.
 */
export type Budget = {
    /**
     * The period in which the use is counted.
     */
    period: BudgetPeriod;
    /**
     * The most credits in each window, at least 1.
     */
    limit_credits: number;
    /**
     * The credits that were charged in the current window.
     */
    used_credits: number;
    /**
     * The credits that calls in progress may still cost.
     */
    held_credits: number;
    /**
     * The credits that are left in the current window; negative after the limit was lowered.
     */
    remaining_credits: number;
    /**
     * When the current window ends and the use starts at 0 again; null: never.
     */
    resets_at: string | null;
    /**
     * Whether a call that does not fit is refused. If not, the budget only reports its use.
     */
    enforce: boolean;
};

/**
 * A budget that does not cover the request.
 */
export type BudgetDetail = {
    /**
     * The layer of the budget.
     */
    of: 'key' | 'consent' | 'external_id' | 'account';
    /**
     * The calendar window in UTC in which use counts.
     */
    period: 'day' | 'week' | 'month' | 'total';
    /**
     * The most credits for each window.
     */
    limit_credits: number;
    /**
     * Credits charged in the current window.
     */
    used_credits: number;
    /**
     * Credits that calls in progress may still cost.
     */
    held_credits: number;
    /**
     * The credits that are left; below 0 after the limit was lowered.
     */
    remaining_credits: number;
    /**
     * The most that the request can cost.
     */
    needed_credits: number;
    /**
     * When the current window ends; null: never.
     */
    resets_at: string | null;
};

/**
 * The layer of a budget. A call must fit into the budgets of all layers.
 *
 * - `key`: The budgets of the API key, and of all keys of its chain of rotations.
 * - `consent`: The budgets of the consent to an OAuth app.
 * - `external_id`: The budgets of all keys with the same `external_id`.
 * - `account`: The budgets of the account.
 */
export type BudgetLayer = 'key' | 'consent' | 'external_id' | 'account';

/**
 * The period in which the use of a budget is counted.
 *
 * - `day`: A calendar day in UTC.
 * - `week`: A calendar week in UTC; it begins on Monday.
 * - `month`: A calendar month in UTC.
 * - `total`: All time: the use never starts again.
 */
export type BudgetPeriod = 'day' | 'week' | 'month' | 'total';

/**
 * A charge took the use of a budget to 50, 80 or 100 percent: once for each in a window. After the limit is changed, a percentage that the use has not reached yet comes again.
 */
export type BudgetThresholdEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'budget.threshold';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * The key whose call it was, for a budget of a key: `key_…`
         */
        key_id: string | null;
        /**
         * The app, for a budget of a consent: `app_…`
         */
        client_id: string | null;
        /**
         * For a budget that keys with this external id share.
         */
        external_id: string | null;
        /**
         * The period in which the use is counted.
         */
        period: 'day' | 'week' | 'month' | 'total';
        /**
         * 50, 80 or 100.
         */
        threshold_percent: number;
        /**
         * The most credits in each window.
         */
        limit_credits: number;
        /**
         * The use in the window, after the charge.
         */
        used_credits: number;
        /**
         * The end of the window; null: never.
         */
        resets_at: string | null;
    };
};

/**
 * The credits that are left at one time of the 1,000 futures.
 */
export type BurnDownPoint = {
    /**
     * The end of a day in UTC; the first one is now.
     */
    at: string;
    /**
     * A tenth of the futures have at most this.
     */
    low: number;
    /**
     * Half of the futures have at most this.
     */
    likely: number;
    /**
     * Nine tenths of the futures have at most this.
     */
    high: number;
};

/**
 * A customer. The environment of the call decides whether its live state or its sandbox state is shown.
 */
export type ChangeAccountBudgets = {
    /**
     * The budgets of the account, by period.
     */
    budgets: Array<Budget>;
};

/**
 * The body of the request: replace the budgets of the account.
 */
export type ChangeAccountBudgetsRequest = {
    /**
     * At most one budget of each period. They replace all earlier ones: a period that both contain keeps its use, and `[]` removes all.
     */
    budgets: Array<{
        /**
         * The calendar window in UTC in which use counts.
         */
        period: 'day' | 'week' | 'month' | 'total';
        /**
         * Credits for each window.
         */
        limit_credits: number;
        /**
         * False: nothing is refused, the events come all the same.
         */
        enforce?: boolean;
    }>;
};

/**
 * The body of the request: choose whether apps that nobody has verified may ask for approval.
 */
export type ChangeAgentSettingsRequest = {
    /**
     * False: only apps of accounts, and those that this account has approved before, may ask.
     */
    allow_unverified_apps: boolean;
};

/**
 * The body of the request: change an API key: its name, scopes, limits, budgets or notes.
 */
export type ChangeApiKeyRequest = {
    /**
     * 1 to 100 characters.
     */
    name?: string & string;
    /**
     * The scopes. The calling key must cover both the new and the present ones.
     */
    scopes?: Array<'*' | 'account:read' | 'account:write' | 'billing:read' | 'billing:write' | 'usage:read' | 'audit:read' | 'audit:write' | 'keys:read' | 'keys:write' | 'oauth:read' | 'oauth:write' | 'oauth:consent' | 'webhooks:read' | 'webhooks:write' | 'members:read' | 'contacts:read' | 'contacts:write' | 'promote:read' | 'promote:write' | 'seo:read' | 'seo:write' | 'markets:read' | 'markets:write' | 'campaigns:read' | 'campaigns:write' | 'cloud:read' | 'cloud:write' | 'reviews:read' | 'reviews:write' | 'who-is-searching:read' | 'who-is-searching:write'>;
    /**
     * Addresses and CIDR blocks, v4 and v6. The calling key must cover both the new and the present ones.
     */
    ip_allowlist?: Array<string>;
    /**
     * When the key expires, in the future; null: never. Neither the new nor the present expiry may be later than that of the calling key.
     */
    expires_at?: string | null;
    /**
     * At most 16 texts of at most 500 characters, with names of 1 to 40 characters. A change replaces all of them.
     */
    metadata?: {
        [key: string]: string;
    };
    /**
     * At most one budget of each period. A change replaces all of them: a period that both contain keeps its use, and `[]` removes all.
     */
    budgets?: Array<{
        /**
         * The calendar window in UTC in which use counts.
         */
        period: 'day' | 'week' | 'month' | 'total';
        /**
         * Credits for each window.
         */
        limit_credits: number;
        /**
         * False: nothing is refused, the events come all the same.
         */
        enforce?: boolean;
    }>;
    /**
     * The team, customer or agent that has the key: keys with the same one share budgets. No part of it between slashes is `.` or `..`, also not as `%2e`: in a path, that would lead elsewhere.
     */
    external_id?: string | null;
    /**
     * False: refused like a revoked key, until it is true.
     */
    enabled?: boolean;
};

/**
 * The body of the request: change an OAuth app: its name, redirect URIs, scopes or links.
 */
export type ChangeAppRequest = {
    /**
     * The name that account holders see. It has a visible character, and no line separator and no character that changes the direction of writing.
     */
    client_name?: string;
    /**
     * 1 to 20 absolute URIs.
     */
    redirect_uris?: Array<string>;
    /**
     * All scopes, separated by spaces.
     */
    scope?: string & string;
    /**
     * Its logo; null removes it.
     */
    logo_uri?: string | null;
    /**
     * Its home page; null removes it.
     */
    client_uri?: string | null;
    /**
     * Its privacy policy; null removes it.
     */
    policy_uri?: string | null;
    /**
     * Its terms of service; null removes it.
     */
    tos_uri?: string | null;
};

/**
 * The body of the request: change the recipient of invoices.
 */
export type ChangeBillingDetailsRequest = {
    /**
     * The company or person that invoices are made out to.
     */
    name: string;
    /**
     * The postal address.
     */
    address: {
        /**
         * Street and number, or a post-office box.
         */
        line1: string;
        /**
         * The second line of the address.
         */
        line2?: string | null;
        /**
         * The city.
         */
        city: string;
        /**
         * The postal code; empty for a country that has none.
         */
        postal_code: string;
        /**
         * State, province or region.
         */
        state?: string | null;
    };
    /**
     * ISO 3166 alpha-2.
     */
    country: 'AD' | 'AE' | 'AF' | 'AG' | 'AI' | 'AL' | 'AM' | 'AO' | 'AQ' | 'AR' | 'AS' | 'AT' | 'AU' | 'AW' | 'AX' | 'AZ' | 'BA' | 'BB' | 'BD' | 'BE' | 'BF' | 'BG' | 'BH' | 'BI' | 'BJ' | 'BL' | 'BM' | 'BN' | 'BO' | 'BQ' | 'BR' | 'BS' | 'BT' | 'BV' | 'BW' | 'BY' | 'BZ' | 'CA' | 'CC' | 'CD' | 'CF' | 'CG' | 'CH' | 'CI' | 'CK' | 'CL' | 'CM' | 'CN' | 'CO' | 'CR' | 'CU' | 'CV' | 'CW' | 'CX' | 'CY' | 'CZ' | 'DE' | 'DJ' | 'DK' | 'DM' | 'DO' | 'DZ' | 'EC' | 'EE' | 'EG' | 'EH' | 'ER' | 'ES' | 'ET' | 'FI' | 'FJ' | 'FK' | 'FM' | 'FO' | 'FR' | 'GA' | 'GB' | 'GD' | 'GE' | 'GF' | 'GG' | 'GH' | 'GI' | 'GL' | 'GM' | 'GN' | 'GP' | 'GQ' | 'GR' | 'GS' | 'GT' | 'GU' | 'GW' | 'GY' | 'HK' | 'HM' | 'HN' | 'HR' | 'HT' | 'HU' | 'ID' | 'IE' | 'IL' | 'IM' | 'IN' | 'IO' | 'IQ' | 'IR' | 'IS' | 'IT' | 'JE' | 'JM' | 'JO' | 'JP' | 'KE' | 'KG' | 'KH' | 'KI' | 'KM' | 'KN' | 'KP' | 'KR' | 'KW' | 'KY' | 'KZ' | 'LA' | 'LB' | 'LC' | 'LI' | 'LK' | 'LR' | 'LS' | 'LT' | 'LU' | 'LV' | 'LY' | 'MA' | 'MC' | 'MD' | 'ME' | 'MF' | 'MG' | 'MH' | 'MK' | 'ML' | 'MM' | 'MN' | 'MO' | 'MP' | 'MQ' | 'MR' | 'MS' | 'MT' | 'MU' | 'MV' | 'MW' | 'MX' | 'MY' | 'MZ' | 'NA' | 'NC' | 'NE' | 'NF' | 'NG' | 'NI' | 'NL' | 'NO' | 'NP' | 'NR' | 'NU' | 'NZ' | 'OM' | 'PA' | 'PE' | 'PF' | 'PG' | 'PH' | 'PK' | 'PL' | 'PM' | 'PN' | 'PR' | 'PS' | 'PT' | 'PW' | 'PY' | 'QA' | 'RE' | 'RO' | 'RS' | 'RU' | 'RW' | 'SA' | 'SB' | 'SC' | 'SD' | 'SE' | 'SG' | 'SH' | 'SI' | 'SJ' | 'SK' | 'SL' | 'SM' | 'SN' | 'SO' | 'SR' | 'SS' | 'ST' | 'SV' | 'SX' | 'SY' | 'SZ' | 'TC' | 'TD' | 'TF' | 'TG' | 'TH' | 'TJ' | 'TK' | 'TL' | 'TM' | 'TN' | 'TO' | 'TR' | 'TT' | 'TV' | 'TW' | 'TZ' | 'UA' | 'UG' | 'UM' | 'US' | 'UY' | 'UZ' | 'VA' | 'VC' | 'VE' | 'VG' | 'VI' | 'VN' | 'VU' | 'WF' | 'WS' | 'YE' | 'YT' | 'ZA' | 'ZM' | 'ZW';
    /**
     * The tax id; in the EU a VAT id of the country. Its check digit is not checked.
     */
    tax_id?: string | null;
    /**
     * Printed on invoices, for your bookkeeping.
     */
    purchase_order?: string | null;
};

/**
 * The body of the request: change what an OAuth app may spend.
 */
export type ChangeConsentRequest = {
    /**
     * At most one budget of each period. They replace all earlier ones: a period that both contain keeps its use, and `[]` removes all.
     */
    budgets?: Array<{
        /**
         * The calendar window in UTC in which use counts.
         */
        period: 'day' | 'week' | 'month' | 'total';
        /**
         * Credits for each window.
         */
        limit_credits: number;
        /**
         * False: nothing is refused, the events come all the same.
         */
        enforce?: boolean;
    }>;
};

/**
 * The body of the request: replace the budgets that all keys with an external id share.
 */
export type ChangeExternalIdBudgetsRequest = {
    /**
     * At most one budget of each period. They replace all earlier ones: a period that both contain keeps its use, and `[]` removes all.
     */
    budgets: Array<{
        /**
         * The calendar window in UTC in which use counts.
         */
        period: 'day' | 'week' | 'month' | 'total';
        /**
         * Credits for each window.
         */
        limit_credits: number;
        /**
         * False: nothing is refused, the events come all the same.
         */
        enforce?: boolean;
    }>;
};

/**
 * The body of the request: change the role of a member or an invitation.
 */
export type ChangeMemberRequest = {
    /**
     * What the member may do.
     */
    role: 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'BILLING' | 'VIEWER';
};

/**
 * The body of the request: change the own name or address.
 */
export type ChangeMyselfRequest = {
    name?: ((string | null) & (string | null)) | null;
    /**
     * The address to confirm. It is kept in lower case.
     */
    email?: string;
};

/**
 * The body of the request: choose which addresses get mails about which kinds of events.
 */
export type ChangeNotificationsRequest = {
    /**
     * At most five addresses, each once without regard to case. A new one gets a mail with a link to confirm.
     */
    emails: Array<string>;
    /**
     * The kinds of events that mails are sent for.
     */
    kinds: Array<'credits_low' | 'recharge_failed' | 'payment_action_required' | 'payment_refunded' | 'payment_disputed' | 'invoice_paid' | 'budget_threshold' | 'credits_expiring' | 'key_leaked' | 'webhook_disabled' | 'export_ready'>;
};

/**
 * The body of the request: start a subscription, or change its plan.
 */
export type ChangePlanRequest = {
    /**
     * The plan to change to.
     */
    tier: 'pro_sub' | 'business_sub' | 'enterprise_sub';
    /**
     * When it takes effect: now for a higher plan, with the period for a lower one.
     */
    when?: 'now' | 'period_end' | null;
    /**
     * The quote of a preview, for a start and for a higher plan.
     */
    quote_id?: string | null;
};

/**
 * The body of the request: decide how members sign in.
 */
export type ChangeSignInSettingRequest = {
    /**
     * Whether passkeys alone sign members in.
     */
    passkey_only: boolean;
};

/**
 * The body of the request: change, enable or disable a webhook endpoint.
 */
export type ChangeWebhookEndpointRequest = {
    /**
     * Where to: https, and a public address.
     */
    url?: string;
    /**
     * The types of events that are sent; all types if none is named.
     */
    events?: Array<'credits.low' | 'credits.expiring' | 'budget.threshold' | 'credits.exhausted' | 'credits.granted' | 'auto_recharge.succeeded' | 'auto_recharge.failed' | 'auto_recharge.suspended' | 'subscription.started' | 'subscription.changed' | 'subscription.change_scheduled' | 'subscription.change_failed' | 'subscription.cancel_scheduled' | 'subscription.resumed' | 'subscription.canceled' | 'subscription.renewed' | 'addon.cancel_scheduled' | 'addon.canceled' | 'invoice.created' | 'invoice.paid' | 'credit_note.created' | 'payment.refunded' | 'payment.disputed' | 'payment.dispute_closed' | 'payment.action_required' | 'key.created' | 'key.rotated' | 'key.revoked' | 'member.joined' | 'member.role_changed' | 'member.removed' | 'sandbox.reset' | 'oauth_app.created' | 'oauth_app.suspended' | 'consent.granted' | 'consent.revoked' | 'audit_export.completed' | 'audit_export.failed' | 'webhook_endpoint.disabled'>;
    /**
     * At most 200 characters; null: none.
     */
    description?: string | null;
    /**
     * Whether messages are sent. An endpoint that is enabled again counts as one that never failed.
     */
    status?: 'enabled' | 'disabled';
};

/**
 * A purchase of a credit package.
 */
export type Checkout = {
    /**
     * `pay_…`: also the id of the payment.
     */
    id: string;
    /**
     * The state of the purchase. Only the payment provider can make it paid; a payer who returns from its page does not.
     */
    status: CheckoutStatus;
    /**
     * `pack_…`
     */
    package_id: string;
    /**
     * The credits that are entered when it is paid.
     */
    credits: number;
    /**
     * The price without tax, in cents of the currency.
     */
    price_cents: number;
    /**
     * The tax, in cents of the currency.
     */
    tax_cents: number;
    /**
     * Price and tax, in cents of the currency.
     */
    total_cents: number;
    /**
     * The money that was paid back, in cents of the currency.
     */
    refunded_cents: number;
    /**
     * The currency, by ISO 4217.
     */
    currency: string;
    /**
     * The page of the provider where the payer pays or confirms.
     */
    action_url: string | null;
    /**
     * `inv_…`, from the payment on.
     */
    invoice_id: string | null;
    /**
     * The reason why the payment failed, as a sentence for people.
     */
    failure_reason: string | null;
    /**
     * A name that the caller gave the purchase.
     */
    client_reference_id: string | null;
    /**
     * When the page of the provider is closed; null without a page.
     */
    expires_at: string | null;
    /**
     * When it was requested.
     */
    created_at: string;
};

/**
 * A page of checkouts, newest first.
 */
export type CheckoutPage = {
    /**
     * The checkouts of this page.
     */
    items: Array<Checkout>;
    /**
     * The cursor of the next page; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * What a package costs the caller now.
 */
export type CheckoutPreview = {
    /**
     * `pack_…`
     */
    package_id: string;
    /**
     * The name of the package.
     */
    name: string;
    /**
     * The credits of the package.
     */
    credits: number;
    /**
     * The price without tax, in cents of the currency.
     */
    price_cents: number;
    /**
     * The tax, in cents of the currency.
     */
    tax_cents: number;
    /**
     * Price and tax, in cents of the currency.
     */
    total_cents: number;
    /**
     * The currency, by ISO 4217.
     */
    currency: string;
};

/**
 * The body of the request: buy a credit package.
 */
export type CheckoutRequest = {
    /**
     * `pack_…`
     */
    package_id: string;
    /**
     * The id of a stored payment method; without it, the payer chooses on a page of the provider.
     */
    payment_method?: string | null;
    /**
     * The address that the payer returns to, with `checkout_id`; by default a page of this gateway.
     */
    return_url?: string | null;
    /**
     * A name that the caller gave the purchase.
     */
    client_reference_id?: string | null;
};

/**
 * The state of a payment.
 *
 * - `requires_action`: The payer has to open `action_url`.
 * - `pending`: The provider has not decided yet.
 * - `paid`: The money is collected, and the credits are in the ledger.
 * - `failed`: The payment was refused or given up; there are no credits.
 * - `expired`: The page was closed before the payment; there are no credits.
 */
export type CheckoutStatus = 'requires_action' | 'pending' | 'paid' | 'failed' | 'expired';

/**
 * The body of the request: change how credits are bought when they run low.
 */
export type ConfigureAutoRechargeRequest = {
    /**
     * Whether automatic recharging is on.
     */
    enabled?: boolean;
    /**
     * The limit, at least 1 and at most the credits of the package.
     */
    threshold_credits?: number | null;
    /**
     * `pack_…`
     */
    package_id?: string | null;
    /**
     * The limit, at least the price of the package with its tax.
     */
    monthly_cap_cents?: number | null;
};

/**
 * The body of the request: confirm the own address by the link of its mail.
 */
export type ConfirmMyAddressRequest = {
    /**
     * The fragment of the link.
     */
    token: string;
};

/**
 * The account let an OAuth app act for it.
 */
export type ConsentGrantedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'consent.granted';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `app_…`
         */
        client_id: string;
        /**
         * The name that account holders see when they are asked.
         */
        client_name: string;
        /**
         * The granted scopes, separated by spaces.
         */
        scope: string;
    };
};

/**
 * The result of a decision.
 */
export type ConsentOutcome = {
    /**
     * `approved`, `denied`, `login_required` or `consent_required`
     */
    status: string;
    /**
     * The address that the front end opens next.
     */
    redirect_to?: string;
    /**
     * The authorization code, which works once.
     */
    code?: string;
    /**
     * The `state` of the request, unchanged.
     */
    state?: string;
    /**
     * The issuer (RFC 9207).
     */
    iss?: string;
    /**
     * The seconds until the code expires.
     */
    expires_in?: number;
    /**
     * The granted scopes, separated by spaces.
     */
    granted_scope?: string;
    /**
     * For a caller who is not signed in: the ways to sign in.
     */
    login?: LoginHint;
    /**
     * For a caller who is not signed in: the app that asks.
     */
    client?: ConsentOutcomeClient;
    /**
     * For a caller who is not signed in: the requested scopes.
     */
    requested_scope?: Array<RequestedScope>;
};

/**
 * The app that asks, as an owner sees it.
 */
export type ConsentOutcomeClient = {
    /**
     * `app_…`
     */
    client_id: string;
    /**
     * The name that the app gives itself.
     */
    name: string;
    /**
     * The URL of its logo. The gateway does not load it.
     */
    logo_uri?: string;
    /**
     * The URL of its home page.
     */
    client_uri?: string;
    /**
     * The URL of its privacy policy.
     */
    policy_uri?: string;
    /**
     * The URL of its terms of service.
     */
    tos_uri?: string;
    /**
     * Whether the operator has verified the app; always false.
     */
    verified: boolean;
    /**
     * Where the answer goes: a host, or the scheme of an app on a device.
     */
    redirect_host: string;
    /**
     * How the app came here, if nobody registered it by hand.
     */
    origin?: AppOrigin;
    /**
     * The address of the document that describes the app.
     */
    document_url?: string;
    /**
     * The host of the document, as a browser writes it: all that is known of the app.
     */
    document_host?: string;
    /**
     * When an app without a document registered itself.
     */
    registered_at?: string;
};

/**
 * The body of the request: approve or deny what an app asks; only this operation makes authorization codes.
 */
export type ConsentRequest = {
    /**
     * The budgets of the app: each a period (day, week, month or total) and credits, separated by commas. Without any, the budgets of the consent stay as they are. A denial ignores them.
     */
    budgets?: string;
    /**
     * The credits of the one budget that the consent page asks for.
     */
    budget_credits?: string;
    /**
     * The period of this budget.
     */
    budget_period?: 'day' | 'week' | 'month' | 'total' | '';
};

/**
 * An OAuth app may not act for the account any more. No event is sent for an account that is closed: all its consents end with it.
 */
export type ConsentRevokedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'consent.revoked';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `app_…`
         */
        client_id: string;
        /**
         * The name that account holders see when they are asked.
         */
        client_name: string;
        /**
         * The reason: the account withdrew the consent, the app was suspended, or it got a new redirect host or more scopes, so that it must ask again.
         */
        reason: 'withdrawn' | 'app_suspended' | 'app_changed';
    };
};

/**
 * The body of the request: Start an audit of a site.
 */
export type CreateAuditRequest = {
    /**
     * The domain, without scheme or path.
     */
    domain: string;
    /**
     * How many pages are looked at, at most.
     */
    max_pages?: number;
};

/**
 * Start an audit of a site.
 */
export type CreateAuditResponse = {
    /**
     * The audit: `aud_…`
     */
    audit_id: string;
    /**
     * The domain, without scheme or path.
     */
    domain: string;
    /**
     * How far it is.
     */
    status: 'queued';
};

/**
 * The body of the request: Draft a campaign for a goal.
 */
export type CreateDraftRequest = {
    /**
     * What the campaign should achieve.
     */
    goal: string;
    /**
     * Where it is to run.
     */
    channels: Array<'email' | 'social' | 'search' | 'display' | 'print'>;
    /**
     * The budget, in cents.
     */
    budget_cents?: number;
};

/**
 * Draft a campaign for a goal.
 */
export type CreateDraftResponse = {
    /**
     * The draft: `dft_…`
     */
    draft_id: string;
    /**
     * What the campaign is called.
     */
    title: string;
    /**
     * What is done, in order.
     */
    steps: Array<string>;
    /**
     * When it was made.
     */
    created_at: string;
};

/**
 * The body of the request: Store a small file.
 */
export type CreateFileRequest = {
    /**
     * The name of the file.
     */
    name: string;
    /**
     * Its content, in base64 (RFC 4648 §4).
     */
    content_base64: string;
};

/**
 * Store a small file.
 */
export type CreateFileResponse = {
    /**
     * The file: `fil_…`
     */
    file_id: string;
    /**
     * The name of the file.
     */
    name: string;
    /**
     * Its size in bytes.
     */
    size_bytes: number;
};

/**
 * The body of the request: register an OAuth app; its secret is shown this once.
 */
export type CreateOAuthAppRequest = {
    /**
     * The name that account holders see. It has a visible character, and no line separator and no character that changes the direction of writing.
     */
    client_name: string;
    /**
     * 1 to 20 absolute URIs.
     */
    redirect_uris: Array<string>;
    /**
     * The place where the app runs.
     */
    application_type?: 'web' | 'native' | 'spa';
    /**
     * How the app authenticates; by default none for native and spa, client_secret_basic for web.
     */
    token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post' | 'none';
    /**
     * The grants: authorization_code, and refresh_token if the app may use it.
     */
    grant_types?: Array<'authorization_code' | 'refresh_token'>;
    /**
     * `["code"]`, as when it is left out.
     */
    response_types?: [
        'code'
    ];
    /**
     * The scopes, separated by spaces; by default all that the calling key has.
     */
    scope?: string & string;
    /**
     * Whether it must use PKCE although it has a secret.
     */
    require_pkce?: boolean;
    /**
     * Its logo: an absolute https URL.
     */
    logo_uri?: string;
    /**
     * Its home page: an absolute https URL.
     */
    client_uri?: string;
    /**
     * Its privacy policy: an absolute https URL.
     */
    policy_uri?: string;
    /**
     * Its terms of service: an absolute https URL.
     */
    tos_uri?: string;
};

/**
 * The body of the request: Answer a review.
 */
export type CreateReplyRequest = {
    /**
     * The review: `rev_…`
     */
    review_id: string;
    /**
     * The text.
     */
    text: string;
};

/**
 * Answer a review.
 */
export type CreateReplyResponse = {
    /**
     * The reply: `rpl_…`
     */
    reply_id: string;
    /**
     * The review: `rev_…`
     */
    review_id: string;
    /**
     * The text.
     */
    text: string;
    /**
     * When it was published.
     */
    published_at: string;
};

/**
 * The body of the request: Order a market report.
 */
export type CreateReportRequest = {
    /**
     * The industry.
     */
    industry: string;
    /**
     * ISO 3166-1 alpha-2.
     */
    countries: Array<string>;
};

/**
 * Order a market report.
 */
export type CreateReportResponse = {
    /**
     * The report: `rep_…`
     */
    report_id: string;
    /**
     * The industry.
     */
    industry: string;
    /**
     * How far it is.
     */
    status: 'queued';
};

/**
 * The body of the request: Send a message to up to 1000 recipients.
 */
export type CreateSendRequest = {
    /**
     * The subject of the message.
     */
    subject: string;
    /**
     * The text of the message.
     */
    body: string;
    /**
     * The addresses that it goes to.
     */
    recipients: Array<string>;
};

/**
 * Send a message to up to 1000 recipients.
 */
export type CreateSendResponse = {
    /**
     * The send: `snd_…`
     */
    send_id: string;
    /**
     * How far it is.
     */
    status: 'queued';
    /**
     * The addresses that it goes to.
     */
    recipients: Array<string>;
    /**
     * When it was made.
     */
    created_at: string;
};

/**
 * The body of the request: create a webhook endpoint; the secret that signs its messages is shown only once.
 */
export type CreateWebhookEndpointRequest = {
    /**
     * Where to: https, and a public address.
     */
    url: string;
    /**
     * The types of events that are sent; all types if none is named.
     */
    events?: Array<'credits.low' | 'credits.expiring' | 'budget.threshold' | 'credits.exhausted' | 'credits.granted' | 'auto_recharge.succeeded' | 'auto_recharge.failed' | 'auto_recharge.suspended' | 'subscription.started' | 'subscription.changed' | 'subscription.change_scheduled' | 'subscription.change_failed' | 'subscription.cancel_scheduled' | 'subscription.resumed' | 'subscription.canceled' | 'subscription.renewed' | 'addon.cancel_scheduled' | 'addon.canceled' | 'invoice.created' | 'invoice.paid' | 'credit_note.created' | 'payment.refunded' | 'payment.disputed' | 'payment.dispute_closed' | 'payment.action_required' | 'key.created' | 'key.rotated' | 'key.revoked' | 'member.joined' | 'member.role_changed' | 'member.removed' | 'sandbox.reset' | 'oauth_app.created' | 'oauth_app.suspended' | 'consent.granted' | 'consent.revoked' | 'audit_export.completed' | 'audit_export.failed' | 'webhook_endpoint.disabled'>;
    /**
     * At most 200 characters.
     */
    description?: string | null;
};

/**
 * A code that leads the browser to the other listener.
 */
export type CreatedHandover = {
    /**
     * The URL. Its fragment contains the code, which is shown only here.
     */
    url: string;
    /**
     * When it expires.
     */
    expires_at: string;
};

/**
 * A new endpoint, with its secret, which is shown only here.
 */
export type CreatedWebhookEndpoint = {
    /**
     * `whe_…`
     */
    id: string;
    /**
     * The URL that messages are sent to.
     */
    url: string;
    /**
     * The types of events that are sent; all types if none is named.
     */
    events: Array<string>;
    /**
     * A description by the owner.
     */
    description: string | null;
    /**
     * Whether messages are sent to the endpoint.
     */
    status: WebhookEndpointStatus;
    /**
     * The time of the first failure since the last message that arrived; null if the last attempt succeeded.
     */
    failing_since: string | null;
    /**
     * The share of these deliveries that arrived, with any attempt, from 0 to 1; null: nothing was tried.
     */
    delivery_rate: number | null;
    /**
     * Its deliveries of today and the six days before, in UTC, oldest first; days without any are missing.
     */
    delivery_days: Array<WebhookDay>;
    /**
     * When it was created.
     */
    created_at: string;
    /**
     * `whsec_…`: the secret that signs the messages.
     */
    secret: string;
};

/**
 * Credits that were entered at one time, as far as they are left.
 */
export type CreditLot = {
    /**
     * `lot_…`
     */
    id: string;
    /**
     * The source of the credits.
     */
    source: LotSource;
    /**
     * How many credits were entered.
     */
    granted_credits: number;
    /**
     * How many credits are left, at least 1.
     */
    remaining_credits: number;
    /**
     * When the remaining credits expire; null: never.
     */
    expires_at: string | null;
    /**
     * `pay_…`: the payment that bought them.
     */
    payment_id: string | null;
    /**
     * When they were entered.
     */
    created_at: string;
};

/**
 * A page of lots, in the order in which they are used up.
 */
export type CreditLotPage = {
    /**
     * The lots of this page.
     */
    items: Array<CreditLot>;
    /**
     * The cursor of the next page; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * A credit note was made out for a refund. Its amounts are positive.
 */
export type CreditNoteCreatedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'credit_note.created';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `inv_…`
         */
        invoice_id: string;
        /**
         * As it is printed: `<8 characters of the account's own>-<year>-<000001>`; credit notes have `CN-` in front.
         */
        number: string;
        /**
         * The amount with tax, in cents.
         */
        total_cents: number;
        /**
         * The currency, by ISO 4217.
         */
        currency: string;
        /**
         * The credits that the refund is for.
         */
        credits: number;
        /**
         * The tax that the amount includes, in cents.
         */
        tax_cents: number;
        /**
         * The invoice that it corrects: `inv_…`
         */
        original_invoice_id: string;
        /**
         * `pay_…`
         */
        payment_id: string;
    };
};

/**
 * A package of credits that can be bought.
 */
export type CreditPackage = {
    /**
     * `pack_…`
     */
    id: string;
    /**
     * The tier that an account reaches with the purchase.
     */
    tier: Tier;
    /**
     * A short text for people.
     */
    name: string;
    /**
     * How many credits; they do not expire.
     */
    credits: number;
    /**
     * The price, in cents of the currency.
     */
    price_cents: number;
    /**
     * The currency, by ISO 4217.
     */
    currency: string;
};

/**
 * The credits at one instant.
 */
export type Credits = {
    /**
     * The balance: the sum of the ledger.
     */
    balance: number;
    /**
     * The credits that are held for requests in progress.
     */
    held: number;
    /**
     * The credits that a new request can spend: balance less held, less what has expired and has no entry yet.
     */
    available: number;
    /**
     * The instant, by the clock of the database.
     */
    as_of: string;
};

/**
 * No credits are left.
 */
export type CreditsExhaustedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'credits.exhausted';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * The balance at that moment, in credits.
         */
        balance: number;
    };
};

/**
 * Credits expire in 30 days, and again in 7, if they live longer than that and some are left.
 */
export type CreditsExpiringEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'credits.expiring';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `lot_…`
         */
        lot_id: string;
        /**
         * The credits that are left of the lot.
         */
        credits: number;
        /**
         * When they expire.
         */
        expires_at: string;
    };
};

/**
 * Credits were added: by a grant, a purchase, an allowance or a refund.
 */
export type CreditsGrantedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'credits.granted';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `led_…`
         */
        ledger_entry_id: string;
        /**
         * Why they were granted.
         */
        kind: 'grant' | 'purchase' | 'allowance' | 'refund' | 'adjustment' | 'reinstatement';
        /**
         * How many came.
         */
        credits: number;
        /**
         * The balance at that moment, in credits.
         */
        balance_after: number;
        /**
         * When what is left of them ends; null: never.
         */
        expires_at: string | null;
    };
};

/**
 * The balance fell below a threshold. Announced again once it was a fifth above.
 */
export type CreditsLowEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'credits.low';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * The balance at that moment, in credits.
         */
        balance: number;
        /**
         * The lowest threshold that was crossed.
         */
        threshold_credits: number;
    };
};

/**
 * The session that calls, and what its page needs to know.
 */
export type CurrentSession = {
    /**
     * `ses_…`
     */
    id: string;
    /**
     * The listener of the session.
     */
    environment: Environment;
    /**
     * Whether this is the session that calls.
     */
    is_current: boolean;
    /**
     * The key that signed in; null for a person.
     */
    key_id: string | null;
    /**
     * The name of the key; null without a key, or if the key is no longer accepted.
     */
    key_name: string | null;
    /**
     * The role of the person; null with a key.
     */
    role: string | null;
    /**
     * The person, as named in the audit trail; null with a key.
     */
    actor: string | null;
    /**
     * The address that the page leads back to.
     */
    return_url: string | null;
    /**
     * The session on the other listener from which this one was handed over. This one ends with it.
     */
    parent_id: string | null;
    /**
     * The address from which the newest proof came.
     */
    address: string | null;
    /**
     * When the browser signed in.
     */
    created_at: string;
    /**
     * When the caller last proved its identity; before `created_at` if the session was handed over.
     */
    proven_at: string;
    /**
     * The latest end of the session.
     */
    expires_at: string;
    /**
     * The account of the session: `acct_…`
     */
    account_id: string;
    /**
     * The name of the account.
     */
    account_name: string;
    /**
     * The scopes of the key or role.
     */
    scopes: Array<string>;
    /**
     * Until then changes need no new proof of identity; null: this session has had no proof.
     */
    step_up_until: string | null;
    /**
     * The address that the browser may open without a sign-in; null: there is none.
     */
    switch_to: Environment | null;
};

/**
 * The body of the request: pay, decline, confirm or let money come back at the simulated provider.
 */
export type DecideSimulatedPaymentRequest = {
    /**
     * The choice.
     */
    choice: 'pay' | 'decline' | 'confirm' | 'close' | 'refund' | 'refund_part' | 'dispute' | 'win' | 'lose';
    /**
     * The name of the card; without it, a card that pays.
     */
    card?: string;
};

/**
 * A delivery of an event, without its attempts.
 */
export type DeliveryOfEvent = {
    /**
     * `whd_…`
     */
    id: string;
    /**
     * `whe_…`
     */
    endpoint_id: string;
    /**
     * Whether the message has arrived.
     */
    status: WebhookDeliveryStatus;
};

/**
 * The device for which a search is made.
 *
 * - `desktop`: On a computer.
 * - `mobile`: On a phone.
 */
export type Device = 'desktop' | 'mobile';

/**
 * A budget that a key spends from.
 */
export type EffectiveBudget = {
    /**
     * The layer of the budget.
     */
    of: BudgetLayer;
    /**
     * The period in which the use is counted.
     */
    period: BudgetPeriod;
    /**
     * The most credits in each window, at least 1.
     */
    limit_credits: number;
    /**
     * The credits that were charged in the current window.
     */
    used_credits: number;
    /**
     * The credits that calls in progress may still cost.
     */
    held_credits: number;
    /**
     * The credits that are left in the current window; negative after the limit was lowered.
     */
    remaining_credits: number;
    /**
     * When the current window ends and the use starts at 0 again; null: never.
     */
    resets_at: string | null;
    /**
     * Whether a call that does not fit is refused. If not, the budget only reports its use.
     */
    enforce: boolean;
};

export type EndSessionAnswer = {
    [key: string]: never;
};

/**
 * The sessions that have ended.
 */
export type EndedSessions = {
    /**
     * How many sessions have ended, of this listener or handed over from it.
     */
    ended: number;
};

/**
 * The state of a subscription or an add-on.
 *
 * - `active`: It renews at the end of its period.
 * - `scheduled_to_cancel`: It works until its period ends.
 * - `canceled`: It has ended.
 */
export type EntitlementStatus = 'active' | 'scheduled_to_cancel' | 'canceled';

export type EntryPoint = {
    /**
     * The environment of this listener.
     */
    environment: 'live' | 'sandbox';
    /**
     * The address that all routes of the API begin with.
     */
    api_url: string;
    /**
     * The console for people; null: it is turned off.
     */
    console_url: string | null;
    /**
     * The documentation for people.
     */
    documentation_url: string;
    /**
     * The OpenAPI document.
     */
    openapi_url: string;
    /**
     * Whether the gateway lives.
     */
    health_url: string;
    /**
     * The metadata of the OpenID provider.
     */
    oauth_metadata_url: string;
};

/**
 * The two states of an account: live, and the sandbox.
 *
 * - `live`: The live state: calls are charged.
 * - `sandbox`: The sandbox: what happens there changes and costs nothing live.
 */
export type Environment = 'live' | 'sandbox';

/**
 * Why a request failed.
 */
export type Error = {
    /**
     * The code of the error, for programs.
     */
    code: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'PAYMENT_DECLINED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'ACCOUNT_SUSPENDED' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT';
    /**
     * The same for people; its wording may change.
     */
    message: string;
    /**
     * The HTTP status.
     */
    status: number;
    /**
     * A page about this code.
     */
    documentation_url: string;
    /**
     * `req_…`, as in `X-Request-Id`.
     */
    request_id: string;
    /**
     * The page of the console with the usage-log entry of the request, for callers with `usage:read`.
     */
    request_log_url?: string;
};

/**
 * The body of every failure.
 */
export type ErrorEnvelope = {
    error: Error;
};

/**
 * A team, customer or agent of an account. Its keys share its budgets.
 */
export type ExternalId = {
    /**
     * The external id of the keys.
     */
    external_id: string;
    /**
     * The number of its keys that are neither revoked nor expired.
     */
    keys: number;
    /**
     * When one of its keys was last accepted.
     */
    last_used_at: string | null;
    /**
     * The budgets that all its keys share.
     */
    budgets: Array<Budget>;
    /**
     * The credits that calls of its keys have cost since the month began, in UTC.
     */
    credits_this_month: number;
};

/**
 * A page of external ids, in the order of their characters.
 */
export type ExternalIdPage = {
    /**
     * The external ids of this page.
     */
    items: Array<ExternalId>;
    /**
     * The cursor of the next page, an opaque text; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * One offending field.
 */
export type FieldError = {
    /**
     * Its name, with dots between levels.
     */
    field: string;
    /**
     * The part of the request that it is in.
     */
    in: 'path' | 'query' | 'body' | 'header';
    /**
     * The problem with it.
     */
    message: string;
};

/**
 * When the credits of an account run out.
 */
export type Forecast = {
    /**
     * When the forecast was made. It is kept for ten minutes.
     */
    as_of: string;
    /**
     * The credits that calls could spend then.
     */
    available: number;
    /**
     * When the credits run out; null: not within 365 days, or the account is not a day old yet.
     */
    runs_out_at: RunOut | null;
    /**
     * The credits that are left from now on, at most 32 points; none while the account is not a day old.
     */
    burn_down: Array<BurnDownPoint>;
    /**
     * What the forecast was made from.
     */
    drivers: ForecastDrivers;
};

/**
 * Credits that come or expire.
 */
export type ForecastCredits = {
    /**
     * When they come or expire.
     */
    at: string;
    /**
     * How many credits these are.
     */
    credits: number;
};

/**
 * What a forecast was made from.
 */
export type ForecastDrivers = {
    /**
     * The number of whole days that were looked at, at most 30.
     */
    days: number;
    /**
     * The mean of the credits that these days cost.
     */
    credits_per_day: number;
    /**
     * How far the day of the week decides about the use: from 0, not at all, to 1; 0 below two weeks.
     */
    weekday_strength: number;
    /**
     * The credits that are expected of the next seven days in UTC, today first, as whole days; none without a history.
     */
    week_ahead: Array<number>;
    /**
     * Credits that expire within 365 days, at most 10, the first ones first.
     */
    expiring: Array<ForecastCredits>;
    /**
     * The next allowance of the subscription, which the forecast expects to be renewed; null: none comes.
     */
    renewal: ForecastCredits | null;
    /**
     * Automatic recharging, if it works; always null without `billing:read`.
     */
    auto_recharge: ForecastRecharge | null;
};

/**
 * How automatic recharging acts in a forecast.
 */
export type ForecastRecharge = {
    /**
     * A package is bought when fewer credits than this are left.
     */
    threshold_credits: number;
    /**
     * The credits of the package.
     */
    credits: number;
    /**
     * How many packages the monthly cap still permits this month; null: there is no cap.
     */
    left_this_month: number | null;
};

/**
 * A customer. The environment of the call decides whether its live state or its sandbox state is shown.
 */
export type GetAccountBudgets = {
    /**
     * The budgets of the account, by period.
     */
    budgets: Array<Budget>;
};

export type GetAttentionAnswer = {
    /**
     * At most 20, the critical ones first.
     */
    items: Array<{
        /**
         * What it is.
         */
        kind: 'payment_disputed' | 'payment_unconfirmed' | 'auto_recharge_failed' | 'auto_recharge_without_card' | 'credits_low' | 'webhook_failing' | 'budget_nearly_used' | 'key_expiring' | 'card_expiring' | 'app_suspended';
        /**
         * `critical`: something does not work already; `warning`: something will not work soon.
         */
        severity: 'critical' | 'warning';
        /**
         * A sentence for people.
         */
        title: string;
        /**
         * The key, card, payment, webhook endpoint, app or external id; null: it is about the account.
         */
        resource_id: string | null;
        /**
         * What the account holder can do about it.
         */
        action: {
            /**
             * The text of a button.
             */
            label: string;
            /**
             * The page of the console for it; null: this gateway has no console.
             */
            url: string | null;
        };
    }>;
};

/**
 * The state and findings of an audit.
 */
export type GetAuditResponse = {
    /**
     * The audit: `aud_…`
     */
    audit_id: string;
    /**
     * How far it is.
     */
    status: 'queued' | 'running' | 'completed';
    /**
     * How well the site does, from 0 to 100.
     */
    score: number;
    /**
     * What was found, by kind.
     */
    issues: Array<string>;
};

/**
 * Look up a company.
 */
export type GetCompanyResponse = {
    /**
     * The company: `cmp_…`
     */
    company_id: string;
    /**
     * The name of the company.
     */
    company_name: string;
    /**
     * The domain, without scheme or path.
     */
    domain: string;
    /**
     * How many people work there.
     */
    employees: number;
    /**
     * ISO 3166-1 alpha-2.
     */
    country: string;
};

/**
 * A contact that was revealed before.
 */
export type GetContactResponse = {
    /**
     * The contact: `con_…`
     */
    contact_id: string;
    /**
     * The name of the person.
     */
    full_name: string;
    /**
     * What the person does there.
     */
    job_title: string;
    /**
     * The name of the company.
     */
    company_name: string;
    /**
     * Email addresses, the likeliest first.
     */
    emails: Array<string>;
    /**
     * Telephone numbers, the likeliest first.
     */
    phones: Array<string>;
    /**
     * When that was last verified.
     */
    verified_at: string;
};

/**
 * An API key, with everything that can be read after its creation.
 */
export type GetCurrentApiKey = {
    /**
     * `key_…`
     */
    id: string;
    /**
     * The name that its owner gave it.
     */
    name: string;
    /**
     * The listener that accepts it.
     */
    environment: Environment;
    /**
     * The first characters of the secret, such as `svc_live_`.
     */
    prefix: string;
    /**
     * The last characters of the secret.
     */
    last4: string;
    /**
     * The scopes of the key; `*` stands for all of them.
     */
    scopes: Array<string>;
    /**
     * The addresses and CIDR blocks from which the key works; empty means from anywhere.
     */
    ip_allowlist: Array<string>;
    /**
     * The state of the key.
     */
    status: ApiKeyStatus;
    /**
     * When it expires.
     */
    expires_at: string | null;
    /**
     * When the key was last accepted.
     */
    last_used_at: string | null;
    /**
     * When the key was issued.
     */
    created_at: string;
    /**
     * When the key was revoked.
     */
    revoked_at: string | null;
    /**
     * The key that replaced it: `key_…`
     */
    replaced_by: string | null;
    /**
     * Whether the owner has enabled the key. A disabled key is refused like a revoked one.
     */
    enabled: boolean;
    /**
     * The owner's name for the team, customer or agent that uses the key.
     */
    external_id: string | null;
    /**
     * Notes of the owner: pairs of a name and a text.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * The issuer: a key, `session:` and a person, or `internal:` and the token of a tool.
     */
    created_by: string;
    /**
     * The budgets of the key itself, by period.
     */
    budgets: Array<Budget>;
    /**
     * All budgets that a call with the key must fit into.
     */
    effective_budgets: Array<EffectiveBudget>;
};

/**
 * One draft.
 */
export type GetDraftResponse = {
    /**
     * The draft: `dft_…`
     */
    draft_id: string;
    /**
     * What the campaign is called.
     */
    title: string;
    /**
     * What is done, in order.
     */
    steps: Array<string>;
    /**
     * When it was made.
     */
    created_at: string;
};

/**
 * How a send is going.
 */
export type GetSendResponse = {
    /**
     * The send: `snd_…`
     */
    send_id: string;
    /**
     * How far it is.
     */
    status: 'queued' | 'sending' | 'sent';
    /**
     * Messages that arrived.
     */
    delivered: number;
    /**
     * Messages that came back.
     */
    bounced: number;
};

/**
 * The body of the request: say whom a portal link, a handover or an invitation would sign in.
 */
export type GetSignInPreviewRequest = {
    /**
     * The fragment of a portal link. It works once.
     */
    portal_token?: string;
    /**
     * The fragment of the address of a handover. It works once.
     */
    handover_code?: string;
    /**
     * The fragment of the link of an invitation. It works once.
     */
    invitation_token?: string;
};

/**
 * The consent of an account to an app.
 */
export type GrantedConsent = {
    /**
     * The app: `app_…`
     */
    client_id: string;
    /**
     * The name that the app gives itself.
     */
    client_name: string;
    /**
     * How the app came here, if nobody registered it by hand: nobody has verified it.
     */
    origin?: AppOrigin;
    /**
     * The host of the document that describes the app: all that is known of the app.
     */
    document_host?: string;
    /**
     * The granted scopes, separated by spaces.
     */
    scope: string;
    /**
     * The state of the consent.
     */
    status: GrantedConsentStatus;
    /**
     * When the consent was last given.
     */
    granted_at: string;
    /**
     * When the consent was withdrawn.
     */
    revoked_at?: string;
    /**
     * The budgets of the app, by period.
     */
    budgets: Array<GrantedConsentBudgets>;
};

/**
 * How much a spender may spend in a period, and what is left of it.
 */
export type GrantedConsentBudgets = {
    /**
     * The period in which the use is counted.
     */
    period: BudgetPeriod;
    /**
     * The most credits in each window, at least 1.
     */
    limit_credits: number;
    /**
     * The credits that were charged in the current window.
     */
    used_credits: number;
    /**
     * The credits that calls in progress may still cost.
     */
    held_credits: number;
    /**
     * The credits that are left in the current window; negative after the limit was lowered.
     */
    remaining_credits: number;
    /**
     * When the current window ends and the use starts at 0 again; left out: never.
     */
    resets_at?: string;
    /**
     * Whether a call that does not fit is refused. If not, the budget only reports its use.
     */
    enforce: boolean;
};

/**
 * A page of consents, newest first.
 */
export type GrantedConsentPage = {
    /**
     * The consents of this page.
     */
    items: Array<GrantedConsent>;
    /**
     * The cursor of the next page; left out on the last page.
     */
    next_cursor: string | null;
};

/**
 * The state of the consent.
 *
 * - `active`: The app may act within its scopes.
 * - `revoked`: The consent was withdrawn, and its tokens are refused.
 */
export type GrantedConsentStatus = 'active' | 'revoked';

/**
 * That the process lives and, where asked, how the services are.
 */
export type Health = {
    /**
     * Degraded: a service that was asked is not up.
     */
    status: 'ok' | 'degraded';
    /**
     * The version of the gateway.
     */
    version: string;
    /**
     * How long this process has been running.
     */
    uptime_seconds: number;
    /**
     * Only where they were asked for.
     */
    backends?: Array<{
        /**
         * The service.
         */
        module: string;
        /**
         * How it answered.
         */
        status: 'up' | 'down' | 'timeout';
        /**
         * Null when there was no answer to time.
         */
        latency_ms: number | null;
    }>;
};

/**
 * The body of the request: show whether a token of the app is valid (RFC 7662).
 */
export type IntrospectRequest = {
    /**
     * An access token or a refresh token.
     */
    token: string;
    /**
     * The app, where the header does not name it.
     */
    client_id?: string;
    /**
     * The secret of a confidential app that does not use the header.
     */
    client_secret?: string;
};

/**
 * Whether a token is valid, with its claims (RFC 7662 §2.2).
 */
export type Introspection = {
    /**
     * Whether the token is accepted; if not, all other fields are left out.
     */
    active: boolean;
    /**
     * Its scopes, separated by spaces.
     */
    scope?: string;
    /**
     * The app that has the token: `app_…`
     */
    client_id?: string;
    /**
     * Bearer, for an access token.
     */
    token_type?: string;
    /**
     * When the token expires: Unix seconds.
     */
    exp?: number;
    /**
     * When the token was issued: Unix seconds.
     */
    iat?: number;
    /**
     * The account that granted the token: `acct_…`
     */
    sub?: string;
    /**
     * The audience: `{base_url}/mcp` for the tools of agents, else the app.
     */
    aud?: string;
    /**
     * The issuer.
     */
    iss?: string;
};

/**
 * The body of the request: invite a person to the account.
 */
export type InviteMemberRequest = {
    /**
     * The mail address. It is kept in lower case.
     */
    email: string;
    /**
     * What the member may do.
     */
    role: 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'BILLING' | 'VIEWER';
};

/**
 * A member who has just been invited.
 */
export type InvitedMember = {
    /**
     * `mem_…`
     */
    id: string;
    /**
     * The mail address, in lower case.
     */
    email: string;
    /**
     * The name, as the member has set it.
     */
    name: string | null;
    /**
     * The role.
     */
    role: PortalRole;
    /**
     * How far the member has come.
     */
    state: MemberState;
    /**
     * Who invited the member, as the audit trail names them; null: an operator.
     */
    invited_by: string | null;
    /**
     * The end of the invitation; null once it was accepted.
     */
    expires_at: string | null;
    /**
     * When the member was invited first.
     */
    created_at: string;
    /**
     * The number of passkeys of the member.
     */
    passkeys: number;
    /**
     * The link of the invitation, where no mail can be sent. It is shown only here. Null: a mail has it.
     */
    link?: string;
};

/**
 * An item of an invoice or a credit note.
 */
export type Invoice = {
    /**
     * `inv_…`
     */
    id: string;
    /**
     * The printed number: 8 characters that identify the account, the year (UTC) and a number that counts up without gaps. Credit notes have `CN-` in front, those of the sandbox `TEST-`. Older numbers are `INV-` and a number.
     */
    number: string;
    /**
     * An invoice, or a credit note that corrects one.
     */
    type: InvoiceType;
    /**
     * Where it stands.
     */
    status: InvoiceStatus;
    /**
     * The amount with tax, in cents of the currency.
     */
    total_cents: number;
    /**
     * The tax that the amount includes, in cents of the currency.
     */
    tax_cents: number;
    /**
     * The currency, by ISO 4217.
     */
    currency: string;
    /**
     * The credits that the invoice is for; of a credit note, the credits of the refund.
     */
    credits: number;
    /**
     * A short text for people.
     */
    description: string;
    /**
     * The URL of the PDF, for a key that may read the invoice.
     */
    pdf_url: string;
    /**
     * The invoice that a credit note corrects: `inv_…`.
     */
    original_invoice_id: string | null;
    /**
     * When the invoice was issued.
     */
    created_at: string;
};

/**
 * An invoice was made out.
 */
export type InvoiceCreatedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'invoice.created';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `inv_…`
         */
        invoice_id: string;
        /**
         * As it is printed: `<8 characters of the account's own>-<year>-<000001>`; credit notes have `CN-` in front.
         */
        number: string;
        /**
         * The amount with tax, in cents.
         */
        total_cents: number;
        /**
         * The currency, by ISO 4217.
         */
        currency: string;
        /**
         * The credits that were bought.
         */
        credits: number;
        /**
         * Where it stands.
         */
        status: 'paid' | 'open';
        /**
         * The tax that the amount includes, in cents.
         */
        tax_cents: number;
    };
};

/**
 * A page of invoices, newest first.
 */
export type InvoicePage = {
    /**
     * The invoices of this page.
     */
    items: Array<Invoice>;
    /**
     * The cursor of the next page; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * An invoice was paid.
 */
export type InvoicePaidEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'invoice.paid';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `inv_…`
         */
        invoice_id: string;
        /**
         * As it is printed: `<8 characters of the account's own>-<year>-<000001>`; credit notes have `CN-` in front.
         */
        number: string;
        /**
         * The amount with tax, in cents.
         */
        total_cents: number;
        /**
         * The currency, by ISO 4217.
         */
        currency: string;
        /**
         * The credits that were bought.
         */
        credits: number;
    };
};

/**
 * The state of an invoice.
 *
 * - `paid`: The money has been collected.
 * - `open`: The money has not been collected yet.
 * - `void`: The money will not be collected.
 */
export type InvoiceStatus = 'paid' | 'open' | 'void';

/**
 * The kind of the document.
 *
 * - `invoice`: An invoice, which says what is to be paid.
 * - `credit_note`: A credit note, which says what was returned. Its amounts are positive.
 */
export type InvoiceType = 'invoice' | 'credit_note';

/**
 * A new key, with its secret, which is shown only here.
 */
export type IssuedApiKey = {
    /**
     * `key_…`
     */
    id: string;
    /**
     * The name that its owner gave it.
     */
    name: string;
    /**
     * The listener that accepts it.
     */
    environment: Environment;
    /**
     * The first characters of the secret, such as `svc_live_`.
     */
    prefix: string;
    /**
     * The last characters of the secret.
     */
    last4: string;
    /**
     * The scopes of the key; `*` stands for all of them.
     */
    scopes: Array<string>;
    /**
     * The addresses and CIDR blocks from which the key works; empty means from anywhere.
     */
    ip_allowlist: Array<string>;
    /**
     * The state of the key.
     */
    status: ApiKeyStatus;
    /**
     * When it expires.
     */
    expires_at: string | null;
    /**
     * When the key was last accepted.
     */
    last_used_at: string | null;
    /**
     * When the key was issued.
     */
    created_at: string;
    /**
     * When the key was revoked.
     */
    revoked_at: string | null;
    /**
     * The key that replaced it: `key_…`
     */
    replaced_by: string | null;
    /**
     * Whether the owner has enabled the key. A disabled key is refused like a revoked one.
     */
    enabled: boolean;
    /**
     * The owner's name for the team, customer or agent that uses the key.
     */
    external_id: string | null;
    /**
     * Notes of the owner: pairs of a name and a text.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * The issuer: a key, `session:` and a person, or `internal:` and the token of a tool.
     */
    created_by: string;
    /**
     * The budgets of the key itself, by period.
     */
    budgets: Array<Budget>;
    /**
     * The secret, which is shown only here.
     */
    plaintext: string;
};

/**
 * A public signing key (RFC 7517).
 */
export type Jwk = {
    /**
     * Key type: RSA.
     */
    kty: string;
    /**
     * Intended use: sig.
     */
    use: string;
    /**
     * Algorithm: RS256.
     */
    alg: string;
    /**
     * Key id: the RFC 7638 thumbprint.
     */
    kid: string;
    /**
     * Modulus, base64url.
     */
    n: string;
    /**
     * Exponent, base64url.
     */
    e: string;
};

/**
 * The signing keys of the provider (RFC 7517 §5).
 */
export type Jwks = {
    /**
     * Every key with which a token in use may be signed.
     */
    keys: Array<Jwk>;
};

/**
 * The body of the request: issue an API key; its plaintext is shown this once.
 */
export type KeyCreateRequest = {
    /**
     * 1 to 100 characters.
     */
    name: string & string;
    /**
     * The scopes. The calling key must cover them; by default they are the same.
     */
    scopes?: Array<'*' | 'account:read' | 'account:write' | 'billing:read' | 'billing:write' | 'usage:read' | 'audit:read' | 'audit:write' | 'keys:read' | 'keys:write' | 'oauth:read' | 'oauth:write' | 'oauth:consent' | 'webhooks:read' | 'webhooks:write' | 'members:read' | 'contacts:read' | 'contacts:write' | 'promote:read' | 'promote:write' | 'seo:read' | 'seo:write' | 'markets:read' | 'markets:write' | 'campaigns:read' | 'campaigns:write' | 'cloud:read' | 'cloud:write' | 'reviews:read' | 'reviews:write' | 'who-is-searching:read' | 'who-is-searching:write'>;
    /**
     * Addresses and CIDR blocks, v4 and v6. If the calling key has some, each must lie in one of them; by default they are the same.
     */
    ip_allowlist?: Array<string>;
    /**
     * When the key expires, in the future, and not later than the calling key; by default with the calling key.
     */
    expires_at?: string | null;
    /**
     * At most 16 texts of at most 500 characters, with names of 1 to 40 characters. A change replaces all of them.
     */
    metadata?: {
        [key: string]: string;
    };
    /**
     * At most one budget of each period. A change replaces all of them: a period that both contain keeps its use, and `[]` removes all.
     */
    budgets?: Array<{
        /**
         * The calendar window in UTC in which use counts.
         */
        period: 'day' | 'week' | 'month' | 'total';
        /**
         * Credits for each window.
         */
        limit_credits: number;
        /**
         * False: nothing is refused, the events come all the same.
         */
        enforce?: boolean;
    }>;
    /**
     * The team, customer or agent that has the key: keys with the same one share budgets. No part of it between slashes is `.` or `..`, also not as `%2e`: in a path, that would lead elsewhere.
     */
    external_id?: string;
};

/**
 * An API key was issued.
 */
export type KeyCreatedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'key.created';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `key_…`
         */
        key_id: string;
        /**
         * The name that its owner gave it.
         */
        name: string;
        /**
         * How it begins.
         */
        prefix: string;
        /**
         * How it ends.
         */
        last4: string;
        /**
         * The scopes of the key.
         */
        scopes: Array<'*' | 'account:read' | 'account:write' | 'billing:read' | 'billing:write' | 'usage:read' | 'audit:read' | 'audit:write' | 'keys:read' | 'keys:write' | 'oauth:read' | 'oauth:write' | 'oauth:consent' | 'webhooks:read' | 'webhooks:write' | 'members:read' | 'contacts:read' | 'contacts:write' | 'promote:read' | 'promote:write' | 'seo:read' | 'seo:write' | 'markets:read' | 'markets:write' | 'campaigns:read' | 'campaigns:write' | 'cloud:read' | 'cloud:write' | 'reviews:read' | 'reviews:write' | 'who-is-searching:read' | 'who-is-searching:write'>;
        /**
         * ISO 8601, UTC.
         */
        expires_at: string | null;
    };
};

/**
 * An API key was revoked.
 */
export type KeyRevokedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'key.revoked';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `key_…`
         */
        key_id: string;
        /**
         * The name that its owner gave it.
         */
        name: string;
    };
};

/**
 * An API key was replaced by another.
 */
export type KeyRotatedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'key.rotated';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `key_…`: the one that was replaced.
         */
        key_id: string;
        /**
         * `key_…`
         */
        replaced_by: string;
        /**
         * From then on the old one is refused.
         */
        valid_until: string;
    };
};

/**
 * One change of a balance. It is never changed afterwards.
 */
export type LedgerEntry = {
    /**
     * `led_…`
     */
    id: string;
    /**
     * Why credits came or went.
     */
    kind: LedgerEntryKind;
    /**
     * The change in credits; what was taken is negative.
     */
    credits: number;
    /**
     * The balance after this entry.
     */
    balance_after: number;
    /**
     * A short text for people.
     */
    description: string;
    /**
     * The request that was charged.
     */
    request_id: string | null;
    /**
     * When the entry was made.
     */
    created_at: string;
};

/**
 * Why credits came or went.
 *
 * - `grant`: A grant by an operator, or the starting balance.
 * - `purchase`: A credit package was paid.
 * - `allowance`: The allowance of a period of the subscription.
 * - `charge`: The price of a request.
 * - `refund`: A refund of a charge.
 * - `expiry`: The credits that were left when they expired.
 * - `adjustment`: A correction by an operator, up or down.
 * - `clawback`: The credits of a payment whose money was returned.
 * - `reinstatement`: Credits of a clawback that were returned together with the money.
 */
export type LedgerEntryKind = 'grant' | 'purchase' | 'allowance' | 'charge' | 'refund' | 'expiry' | 'adjustment' | 'clawback' | 'reinstatement';

/**
 * A page of the ledger, newest first.
 */
export type LedgerEntryPage = {
    /**
     * The entries of this page.
     */
    items: Array<LedgerEntry>;
    /**
     * The cursor of the next page; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * The files that are stored.
 */
export type ListFilesResponse = {
    /**
     * What was found.
     */
    items: Array<{
        /**
         * The file: `fil_…`
         */
        file_id: string;
        /**
         * The name of the file.
         */
        name: string;
        /**
         * Its size in bytes.
         */
        size_bytes: number;
    }>;
};

/**
 * Search volume and difficulty of keywords around a topic.
 */
export type ListKeywordsResponse = {
    /**
     * What was found.
     */
    items: Array<{
        /**
         * The search term.
         */
        keyword: string;
        /**
         * How often it is searched for in a month.
         */
        monthly_searches: number;
        /**
         * How hard it is to rank for, from 0 to 100.
         */
        difficulty: number;
    }>;
};

/**
 * Reviews of a business.
 */
export type ListReviewsResponse = {
    /**
     * What was found.
     */
    items: Array<{
        /**
         * The review: `rev_…`
         */
        review_id: string;
        /**
         * Stars, from 1 to 5.
         */
        rating: number;
        /**
         * The text.
         */
        text: string;
        /**
         * When it was written.
         */
        written_at: string;
    }>;
};

/**
 * Segments of a market with size and growth.
 */
export type ListSegmentsResponse = {
    /**
     * What was found.
     */
    items: Array<{
        /**
         * The name of the segment.
         */
        segment: string;
        /**
         * How many companies are in it.
         */
        companies: number;
        /**
         * How much it grew within a year, in per cent.
         */
        growth_percent: number;
    }>;
};

/**
 * Companies that visited a site lately.
 */
export type ListVisitorsResponse = {
    /**
     * What was found.
     */
    items: Array<{
        /**
         * The company: `cmp_…`
         */
        company_id: string;
        /**
         * The name of the company.
         */
        company_name: string;
        /**
         * How many pages were looked at.
         */
        pages_viewed: number;
        /**
         * When somebody of the company was last there.
         */
        last_seen_at: string;
    }>;
};

/**
 * The ways in which an owner can sign in.
 */
export type LoginHint = {
    /**
     * `api_key_bearer`, `session`
     */
    methods: Array<string>;
    /**
     * The address where a browser signs in.
     */
    session_endpoint: string;
};

/**
 * The source of the credits of a lot.
 *
 * - `purchase`: A credit package was paid.
 * - `allowance`: The allowance of a period of the subscription.
 * - `grant`: A grant by an operator, or the starting balance.
 * - `refund`: A refund of a charge whose own lots are unknown or have expired.
 * - `adjustment`: A correction by an operator.
 * - `reinstatement`: Credits that were taken back with a payment, and returned after their own lots had expired.
 */
export type LotSource = 'purchase' | 'allowance' | 'grant' | 'refund' | 'adjustment' | 'reinstatement';

/**
 * A sign-in by mail.
 */
export type MailSignIn = {
    /**
     * The session; null: the person has to choose an account first.
     */
    session: OpenedSession | null;
    /**
     * The accounts to choose from; none with a session.
     */
    accounts: Array<SignInAccount>;
};

/**
 * Whether a member can sign in by mail; otherwise why not.
 *
 * - `possible`: The member can sign in by mail.
 * - `off`: The gateway sends no mails.
 * - `unconfirmed`: The address of the member is not confirmed.
 * - `passkeys_only`: The account takes passkeys alone.
 */
export type MailSignInState = 'possible' | 'off' | 'unconfirmed' | 'passkeys_only';

/**
 * The Mass Mail add-on.
 */
export type MassMail = {
    /**
     * Whether the add-on works at present.
     */
    active: boolean;
    /**
     * Where it stands.
     */
    status: AddonStatus;
    /**
     * When its period ends; null without the add-on.
     */
    current_period_end: string | null;
    /**
     * Whether it ends with its period.
     */
    cancel_at_period_end: boolean;
    /**
     * The recipients that a period is meant for, for comparison with the use. Nothing is refused beyond it, and each recipient costs its credit.
     */
    monthly_quota: number;
    /**
     * The recipients that Promote has charged for in the current period, without refunded charges.
     */
    used_this_period: number;
};

/**
 * A person who belongs to an account, or is invited to.
 */
export type Member = {
    /**
     * `mem_…`
     */
    id: string;
    /**
     * The mail address, in lower case.
     */
    email: string;
    /**
     * The name, as the member has set it.
     */
    name: string | null;
    /**
     * The role.
     */
    role: PortalRole;
    /**
     * How far the member has come.
     */
    state: MemberState;
    /**
     * Who invited the member, as the audit trail names them; null: an operator.
     */
    invited_by: string | null;
    /**
     * The end of the invitation; null once it was accepted.
     */
    expires_at: string | null;
    /**
     * When the member was invited first.
     */
    created_at: string;
    /**
     * The number of passkeys of the member.
     */
    passkeys: number;
};

/**
 * A person accepted an invitation, and is a member of the account.
 */
export type MemberJoinedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'member.joined';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `mem_…`
         */
        member_id: string;
        /**
         * The mail address.
         */
        email: string;
        /**
         * The role of a member.
         */
        role: 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'BILLING' | 'VIEWER';
    };
};

/**
 * A page of members, newest first.
 */
export type MemberPage = {
    /**
     * The members of this page.
     */
    items: Array<Member>;
    /**
     * The cursor of the next page; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * A member was removed, and is signed out everywhere.
 */
export type MemberRemovedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'member.removed';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `mem_…`
         */
        member_id: string;
        /**
         * The mail address.
         */
        email: string;
        /**
         * The role of a member.
         */
        role: 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'BILLING' | 'VIEWER';
    };
};

/**
 * A member got another role.
 */
export type MemberRoleChangedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'member.role_changed';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `mem_…`
         */
        member_id: string;
        /**
         * The mail address.
         */
        email: string;
        /**
         * The role of a member.
         */
        role: 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'BILLING' | 'VIEWER';
        /**
         * The role of a member.
         */
        previous_role: 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'BILLING' | 'VIEWER';
    };
};

/**
 * How far a member has come.
 *
 * - `invited`: Nobody has accepted the invitation.
 * - `unconfirmed`: The invitation was accepted by a link that no mail had brought to the address.
 * - `active`: The invitation was accepted by a link from a mail to the address.
 */
export type MemberState = 'invited' | 'unconfirmed' | 'active';

/**
 * What automatic recharging would do next.
 */
export type NextRecharge = {
    /**
     * Why nothing would be bought; null: a package would be bought.
     */
    obstacle: RechargeObstacle | null;
    /**
     * The package is bought when fewer credits than this are available.
     */
    below_credits: number | null;
    /**
     * The package: `pack_…`
     */
    package_id: string | null;
    /**
     * The credits of the package.
     */
    credits: number | null;
    /**
     * Its price without tax, in cents of the currency.
     */
    price_cents: number | null;
    /**
     * The tax, in cents of the currency.
     */
    tax_cents: number | null;
    /**
     * Price and tax, in cents of the currency.
     */
    total_cents: number | null;
    /**
     * The currency, by ISO 4217.
     */
    currency: string;
    /**
     * What recharging has spent in this calendar month (UTC), in cents of the currency.
     */
    spent_cents: number;
    /**
     * The most that it spends in a month, in cents; null: there is no limit.
     */
    monthly_cap_cents: number | null;
    /**
     * Nothing is bought before this time, after a decline or at the cap; null: at once.
     */
    earliest_at: string | null;
};

/**
 * An address that gets mails about an account.
 */
export type NotificationEmail = {
    /**
     * The address, as it was first written.
     */
    address: string;
    /**
     * Whether its holder has confirmed it with the link. Until then it gets no other mail.
     */
    confirmed: boolean;
};

/**
 * A kind of news that people get by mail.
 *
 * - `credits_low`: Credits are low, or none are left.
 * - `recharge_failed`: Automatic recharging failed, or was suspended.
 * - `payment_action_required`: A payment needs a confirmation by its payer.
 * - `payment_refunded`: A payment was refunded.
 * - `payment_disputed`: A payment is disputed, or the dispute has ended.
 * - `invoice_paid`: An invoice was paid.
 * - `budget_threshold`: A budget has been used to a half, to four fifths, or completely.
 * - `credits_expiring`: Credits are about to expire.
 * - `key_leaked`: An API key was found in public. No event of this kind is sent yet.
 * - `webhook_disabled`: A webhook endpoint was disabled, because it had failed for days or answered 410 Gone.
 * - `export_ready`: An audit export was completed, or failed.
 */
export type NotificationKind = 'credits_low' | 'recharge_failed' | 'payment_action_required' | 'payment_refunded' | 'payment_disputed' | 'invoice_paid' | 'budget_threshold' | 'credits_expiring' | 'key_leaked' | 'webhook_disabled' | 'export_ready';

/**
 * The addresses that get mails, and the kinds of events that mails are sent for.
 */
export type NotificationSettings = {
    /**
     * The addresses, at most five.
     */
    emails: Array<NotificationEmail>;
    /**
     * The kinds of events that mails are sent for.
     */
    kinds: Array<NotificationKind>;
};

/**
 * A registered OAuth app, with everything that can be read after its registration.
 */
export type OAuthApp = {
    /**
     * `app_…`
     */
    client_id: string;
    /**
     * When it was registered, in Unix seconds.
     */
    client_id_issued_at: number;
    /**
     * The name that account holders see when they are asked.
     */
    client_name: string;
    /**
     * The redirect URIs, as they were registered.
     */
    redirect_uris: Array<string>;
    /**
     * The place where the app runs.
     */
    application_type: ApplicationType;
    /**
     * How the app authenticates.
     */
    token_endpoint_auth_method: TokenEndpointAuthMethod;
    /**
     * The kinds of grants that it may exchange for tokens.
     */
    grant_types: Array<string>;
    /**
     * Always `code`.
     */
    response_types: Array<string>;
    /**
     * The scopes that the app may ask for, separated by spaces.
     */
    scope: string;
    /**
     * Whether the app must use PKCE; a public app always must.
     */
    require_pkce: boolean;
    /**
     * The URL of its logo.
     */
    logo_uri?: string;
    /**
     * The URL of its home page.
     */
    client_uri?: string;
    /**
     * The URL of its privacy policy.
     */
    policy_uri?: string;
    /**
     * The URL of its terms of service.
     */
    tos_uri?: string;
    /**
     * The state of the app.
     */
    status: OAuthAppStatus;
    /**
     * Until when the secret before the newest is accepted too; left out: only the newest secret is.
     */
    previous_secret_expires_at?: string;
    /**
     * Who registered it: a key, or `session:` and a person. Null if nobody did by hand.
     */
    created_by?: string;
    /**
     * When it was registered.
     */
    created_at: string;
};

/**
 * A page of OAuth apps, newest first.
 */
export type OAuthAppPage = {
    /**
     * The apps of this page.
     */
    items: Array<OAuthApp>;
    /**
     * The cursor of the next page; left out on the last page.
     */
    next_cursor: string | null;
};

/**
 * The state of an app. A suspended app counts as unknown.
 *
 * - `active`: The app may be used.
 * - `suspended`: The owner has deleted the app. It and its tokens are refused everywhere.
 */
export type OAuthAppStatus = 'active' | 'suspended';

/**
 * A protocol error of OAuth (RFC 6749 §5.2).
 */
export type OAuthError = {
    /**
     * The code of the error, for programs.
     */
    error: string;
    /**
     * The same for people.
     */
    error_description: string;
    /**
     * A page about it.
     */
    error_uri: string;
};

/**
 * An OAuth app of the account was registered.
 */
export type OauthAppCreatedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'oauth_app.created';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `app_…`
         */
        client_id: string;
        /**
         * The name that account holders see when they are asked.
         */
        client_name: string;
        /**
         * The place where the app runs.
         */
        application_type: 'web' | 'native' | 'spa';
        /**
         * The scopes that the app may ask for, separated by spaces.
         */
        scope: string;
    };
};

/**
 * An OAuth app of the account was suspended, with all that was granted to it.
 */
export type OauthAppSuspendedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'oauth_app.suspended';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `app_…`
         */
        client_id: string;
        /**
         * The name that account holders see when they are asked.
         */
        client_name: string;
    };
};

/**
 * An OpenAPI 3.1 document.
 */
export type OpenApiDocument = {
    /**
     * The version of OpenAPI.
     */
    openapi: string;
    /**
     * Title, version and description of this API.
     */
    info: {
        [key: string]: unknown;
    };
    /**
     * Every operation, by path and method.
     */
    paths: {
        [key: string]: unknown;
    };
    [key: string]: unknown;
};

/**
 * The body of the request: sign a browser in with a portal link, a handover or an invitation.
 */
export type OpenProvenSessionRequest = {
    /**
     * The fragment of a portal link. It works once.
     */
    portal_token?: string;
    /**
     * The fragment of the address of a handover. It works once.
     */
    handover_code?: string;
    /**
     * The fragment of the link of an invitation. It works once.
     */
    invitation_token?: string;
};

/**
 * The body of the request: sign a browser in with an API key.
 */
export type OpenSessionRequest = {
    /**
     * The token of the answer before this request, if the app has asked for a sign-in of its own.
     */
    continue_token?: string | null;
};

/**
 * A browser that has just signed in.
 */
export type OpenedSession = {
    /**
     * `ses_…`
     */
    id: string;
    /**
     * The account that is signed in: `acct_…`
     */
    account_id: string;
    /**
     * When the browser signed in.
     */
    auth_time: string;
    /**
     * The latest end of the session.
     */
    expires_at: string;
};

/**
 * The abilities of the provider (OpenID Connect Discovery §3, RFC 8414 §2).
 */
export type OpenidConfiguration = {
    /**
     * `{base_url}/v1`
     */
    issuer: string;
    /**
     * The address where consent is asked for.
     */
    authorization_endpoint: string;
    /**
     * The address where codes and refresh tokens are exchanged.
     */
    token_endpoint: string;
    /**
     * The address where claims about the account holder are read.
     */
    userinfo_endpoint: string;
    /**
     * The address where tokens are revoked (RFC 7009).
     */
    revocation_endpoint: string;
    /**
     * The address where tokens are examined (RFC 7662).
     */
    introspection_endpoint: string;
    /**
     * The address where apps register themselves (RFC 7591), if they may.
     */
    registration_endpoint?: string;
    /**
     * True where a client id may be the address of a document; else left out.
     */
    client_id_metadata_document_supported?: boolean;
    /**
     * The address of the signing keys.
     */
    jwks_uri: string;
    /**
     * The address of the documentation.
     */
    service_documentation: string;
    /**
     * The scopes that an app can ask for.
     */
    scopes_supported: Array<string>;
    /**
     * Only `code`: the authorization code flow.
     */
    response_types_supported: Array<string>;
    /**
     * Only `query`.
     */
    response_modes_supported: Array<string>;
    /**
     * The grants of the token endpoint.
     */
    grant_types_supported: Array<string>;
    /**
     * Only `public`: an account has the same subject for all apps.
     */
    subject_types_supported: Array<string>;
    /**
     * Only RS256.
     */
    id_token_signing_alg_values_supported: Array<string>;
    /**
     * The ways in which apps authenticate.
     */
    token_endpoint_auth_methods_supported: Array<string>;
    /**
     * The ways in which apps authenticate when they revoke a token.
     */
    revocation_endpoint_auth_methods_supported: Array<string>;
    /**
     * The ways in which apps authenticate when they introspect a token.
     */
    introspection_endpoint_auth_methods_supported: Array<string>;
    /**
     * PKCE: only S256 (RFC 7636).
     */
    code_challenge_methods_supported: Array<string>;
    /**
     * The claims that userinfo and id tokens may contain.
     */
    claims_supported: Array<string>;
    /**
     * Only `0`: an API key reaches no level of ISO 29115.
     */
    acr_values_supported: Array<string>;
    /**
     * Always true (RFC 9207).
     */
    authorization_response_iss_parameter_supported: boolean;
    /**
     * False; it is named because the default is true.
     */
    request_uri_parameter_supported: boolean;
    /**
     * False: request objects are not supported.
     */
    request_parameter_supported: boolean;
    /**
     * False: the claims parameter is not supported.
     */
    claims_parameter_supported: boolean;
};

/**
 * Reads; they change nothing.
 */
export type Overview = {
    /**
     * Returns the account that calls.
     */
    account: Account;
    /**
     * The use of the caller.
     */
    usage: UsageSummary;
    /**
     * The caller's subscription; null when there never was one.
     */
    subscription: Subscription | null;
    /**
     * Returns the caller's add-ons.
     */
    addons: Addons;
    /**
     * Figures about the caller's webhooks.
     */
    webhooks: WebhookSummary;
};

/**
 * The card that has paid, as people know it.
 */
export type PaidCard = {
    /**
     * The brand, such as `visa`.
     */
    brand: string;
    /**
     * The last four digits.
     */
    last4: string;
};

/**
 * A passkey of the person who calls.
 */
export type Passkey = {
    /**
     * `psk_…`
     */
    id: string;
    /**
     * The name that the person has given it.
     */
    name: string;
    /**
     * When it was added.
     */
    created_at: string;
    /**
     * When it was used last; null: never.
     */
    last_used_at: string | null;
    /**
     * When it was disabled, because somebody may have a copy of it; null: it works.
     */
    disabled_at: string | null;
};

/**
 * The passkeys of the person who calls.
 */
export type PasskeyList = {
    /**
     * The passkeys, in the order in which they were added.
     */
    items: Array<Passkey>;
    /**
     * From then on a session without a proof may remove passkeys; null: nobody has asked.
     */
    removable_from: string | null;
    /**
     * Until then it may; null: nobody has asked.
     */
    removable_until: string | null;
    /**
     * Why no passkeys can be added or used here; null: they can.
     */
    unavailable: string | null;
    /**
     * Whether the person can sign in to this account by mail; otherwise why not. Who cannot needs a passkey to come back.
     */
    mail_sign_in: MailSignInState;
};

/**
 * What the browser passes to WebAuthn, as JSON.
 */
export type PasskeyRequest = {
    /**
     * `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` of WebAuthn Level 3. It can be answered once, within 5 minutes.
     */
    options: {
        [key: string]: unknown;
    };
};

/**
 * A sign-in by passkey.
 */
export type PasskeySignIn = {
    /**
     * The session; null: the person has to choose an account first.
     */
    session: OpenedSession | null;
    /**
     * The accounts to choose from; none with a session.
     */
    accounts: Array<SignInAccount>;
};

/**
 * A payment of the account, whatever it is for.
 */
export type PastPayment = {
    /**
     * `pay_…`
     */
    id: string;
    /**
     * What it is for.
     */
    source: PaymentSource;
    /**
     * Where it stands.
     */
    status: CheckoutStatus;
    /**
     * What was bought, for people.
     */
    description: string;
    /**
     * The credits that come with it.
     */
    credits: number;
    /**
     * The price without tax, in cents of the currency.
     */
    price_cents: number;
    /**
     * The tax, in cents of the currency.
     */
    tax_cents: number;
    /**
     * Price and tax, in cents of the currency.
     */
    total_cents: number;
    /**
     * The money that was paid back, in cents of the currency.
     */
    refunded_cents: number;
    /**
     * Whether the bank of the payer asks for the money, and has not decided yet.
     */
    disputed: boolean;
    /**
     * The currency, by ISO 4217.
     */
    currency: string;
    /**
     * The card that has paid; null: nobody has paid, or the card is not known.
     */
    card: PaidCard | null;
    /**
     * The page of the provider where the payer pays or confirms.
     */
    action_url: string | null;
    /**
     * The reason why the payment failed, as a sentence for people.
     */
    failure_reason: string | null;
    /**
     * `inv_…`, once there is an invoice.
     */
    invoice_id: string | null;
    /**
     * When it was asked for.
     */
    created_at: string;
    /**
     * When it was decided; null: it is not yet.
     */
    settled_at: string | null;
};

/**
 * A page of payments, newest first.
 */
export type PastPaymentPage = {
    /**
     * The payments of this page.
     */
    items: Array<PastPayment>;
    /**
     * The cursor of the next page; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * A recharge or a renewal waits until the holder of the card confirms it. Nothing else is tried meanwhile.
 */
export type PaymentActionRequiredEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'payment.action_required';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `pay_…`
         */
        payment_id: string;
        /**
         * Where the holder confirms it.
         */
        action_url: string;
        /**
         * From then on it counts as declined.
         */
        expires_at: string;
    };
};

/**
 * A dispute of a payment is decided.
 */
export type PaymentDisputeClosedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'payment.dispute_closed';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `pay_…`
         */
        payment_id: string;
        /**
         * `dsp_…`
         */
        dispute_id: string;
        /**
         * How much is disputed, in cents.
         */
        amount_cents: number;
        /**
         * The currency, by ISO 4217.
         */
        currency: string;
        /**
         * Won: the money is back, and so are the credits.
         */
        outcome: 'won' | 'lost';
    };
};

/**
 * The bank of the buyer asks for the money of a payment. Recharging is suspended, and the card is barred.
 */
export type PaymentDisputedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'payment.disputed';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `pay_…`
         */
        payment_id: string;
        /**
         * `dsp_…`
         */
        dispute_id: string;
        /**
         * How much is disputed, in cents.
         */
        amount_cents: number;
        /**
         * The currency, by ISO 4217.
         */
        currency: string;
    };
};

/**
 * Why a request is not paid for.
 */
export type PaymentError = {
    /**
     * The code of the error, for programs.
     */
    code: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'PAYMENT_DECLINED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'ACCOUNT_SUSPENDED' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT';
    /**
     * The same for people; its wording may change.
     */
    message: string;
    /**
     * The HTTP status.
     */
    status: number;
    /**
     * A page about this code.
     */
    documentation_url: string;
    /**
     * `req_…`, as in `X-Request-Id`.
     */
    request_id: string;
    /**
     * The page of the console with the usage-log entry of the request, for callers with `usage:read`.
     */
    request_log_url?: string;
    /**
     * With BUDGET_EXCEEDED: every budget that refuses.
     */
    details?: Array<BudgetDetail>;
    remedy?: Remedy;
};

/**
 * The body of every failure.
 */
export type PaymentErrorEnvelope = {
    error: PaymentError;
};

/**
 * A card that is stored at the payment provider.
 */
export type PaymentMethod = {
    /**
     * `pm_…`
     */
    id: string;
    /**
     * The brand of the card, such as `visa`.
     */
    brand: string;
    /**
     * The last four digits of its number.
     */
    last4: string;
    /**
     * The month in which it expires: 1 to 12.
     */
    exp_month: number;
    /**
     * The year in which it expires.
     */
    exp_year: number;
    /**
     * Whether recharges and renewals use this card.
     */
    default: boolean;
    /**
     * When the card was stored.
     */
    created_at: string;
};

/**
 * A page of payment methods, newest first.
 */
export type PaymentMethodPage = {
    /**
     * The payment methods of this page.
     */
    items: Array<PaymentMethod>;
    /**
     * The cursor of the next page; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * A confirmation that the notification came from its provider and was stored.
 */
export type PaymentNotificationReceipt = {
    /**
     * Always true.
     */
    received: boolean;
};

/**
 * Money of a payment went back to the buyer, and its credits were taken back.
 */
export type PaymentRefundedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'payment.refunded';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `pay_…`
         */
        payment_id: string;
        /**
         * `rfd_…`
         */
        refund_id: string;
        /**
         * The amount of this refund, in cents.
         */
        amount_cents: number;
        /**
         * The amount of all refunds of the payment so far, in cents.
         */
        refunded_cents: number;
        /**
         * The currency, by ISO 4217.
         */
        currency: string;
        /**
         * Credits to take back for it.
         */
        credits: number;
    };
};

/**
 * What a payment is for.
 *
 * - `checkout`: A package that somebody has bought.
 * - `recharge`: A package that automatic recharging has bought.
 * - `renewal`: A period of the subscription.
 * - `plan`: The start of a subscription, or a higher plan.
 */
export type PaymentSource = 'checkout' | 'recharge' | 'renewal' | 'plan';

/**
 * A change of the plan that has not taken effect yet.
 */
export type PendingPlanChange = {
    /**
     * What it waits for.
     */
    status: PlanChangeStatus;
    /**
     * The tier that it leads to.
     */
    tier: SubscriptionTier;
    /**
     * When it takes effect; null: once it is paid.
     */
    effective_at: string | null;
    /**
     * `pay_…`, if it waits for a payment.
     */
    payment_id: string | null;
    /**
     * The page of the provider where the payer pays or confirms.
     */
    action_url: string | null;
};

/**
 * A plan that an account can subscribe to.
 */
export type Plan = {
    /**
     * The tier that the plan gives.
     */
    tier: SubscriptionTier;
    /**
     * A short text for people.
     */
    name: string;
    /**
     * The price of a period without tax, in cents of the currency.
     */
    price_cents: number;
    /**
     * The credits of a period; they expire with the period.
     */
    monthly_credits: number;
    /**
     * Requests per second.
     */
    rate_limit_rps: number;
};

/**
 * A change of the plan, and where it stands.
 */
export type PlanChange = {
    /**
     * Where it stands.
     */
    status: PlanChangeStatus;
    /**
     * What it does.
     */
    kind: PlanChangeKind;
    /**
     * The tier that it leads to.
     */
    tier: SubscriptionTier;
    /**
     * The tier before; null: there was none.
     */
    from_tier: SubscriptionTier | null;
    /**
     * When it takes effect; null: once it is paid.
     */
    effective_at: string | null;
    /**
     * `pay_…`; null: nothing is paid.
     */
    payment_id: string | null;
    /**
     * The page of the provider where the payer pays or confirms.
     */
    action_url: string | null;
    /**
     * The price without tax, in cents of the currency.
     */
    due_cents: number;
    /**
     * The tax, in cents of the currency.
     */
    tax_cents: number;
    /**
     * Price and tax, in cents of the currency.
     */
    total_cents: number;
    /**
     * The currency, by ISO 4217.
     */
    currency: string;
    /**
     * The credits that come with the payment.
     */
    granted_credits: number;
    /**
     * The subscription as it is now; null while the first one waits for its payment.
     */
    subscription: Subscription | null;
};

/**
 * What a change does to the plan.
 *
 * - `start`: A subscription begins.
 * - `upgrade`: A higher plan begins now, for the rest of the period.
 * - `downgrade`: A lower plan begins with the next period.
 * - `keep`: The plan stays: a change for the next period is withdrawn.
 */
export type PlanChangeKind = 'start' | 'upgrade' | 'downgrade' | 'keep';

/**
 * Where a change of the plan stands.
 *
 * - `applied`: The new plan has begun.
 * - `scheduled`: It takes effect with the next period.
 * - `pending_payment`: It takes effect once its payment is settled.
 */
export type PlanChangeStatus = 'applied' | 'scheduled' | 'pending_payment';

/**
 * When a change of the plan takes effect.
 *
 * - `now`: At once, or once it is paid.
 * - `period_end`: With the next period.
 */
export type PlanChangeTime = 'now' | 'period_end';

/**
 * The plans on sale, and the plan of the caller.
 */
export type PlanList = {
    /**
     * The currency of all prices, by ISO 4217.
     */
    currency: string;
    /**
     * The plans, the cheapest first.
     */
    plans: Array<Plan>;
    /**
     * The caller's subscription; null when there never was one.
     */
    subscription: Subscription | null;
    /**
     * The change that has not taken effect yet; null: there is none.
     */
    pending_change: PendingPlanChange | null;
    /**
     * Where to ask for another plan; null: plans are changed here.
     */
    contact_url: string | null;
};

/**
 * What a change of the plan would do, and cost.
 */
export type PlanPreview = {
    /**
     * What the change does.
     */
    kind: PlanChangeKind;
    /**
     * The tier that it leads to.
     */
    tier: SubscriptionTier;
    /**
     * The tier of the present plan; null: there is none.
     */
    from_tier: SubscriptionTier | null;
    /**
     * When it takes effect.
     */
    when: PlanChangeTime;
    /**
     * The instant at which it takes effect: now, if there is nothing to pay; null: once it is paid.
     */
    effective_at: string | null;
    /**
     * The instant for which the amounts are computed: a whole second.
     */
    as_of: string;
    /**
     * The whole seconds that are left of the period.
     */
    seconds_left: number;
    /**
     * The whole seconds of the period.
     */
    period_seconds: number;
    /**
     * What is due now without tax, in cents of the currency. 0 if it is less than the payment provider collects: then nothing is granted either, until the next period.
     */
    due_cents: number;
    /**
     * The tax on it, in cents of the currency.
     */
    tax_cents: number;
    /**
     * What is due with tax, in cents of the currency.
     */
    total_cents: number;
    /**
     * The currency, by ISO 4217.
     */
    currency: string;
    /**
     * The credits that come with the payment; they expire with the period.
     */
    granted_credits: number;
    /**
     * The price of the next period without tax, in cents of the currency.
     */
    renewal_cents: number;
    /**
     * When the next period begins.
     */
    renews_at: string;
    /**
     * The credits of each period.
     */
    monthly_credits: number;
    /**
     * Requests per second of the plan.
     */
    rate_limit_rps: number;
    /**
     * Send it with the change: for ten minutes it has these amounts. Null: the change needs none.
     */
    quote_id: string | null;
    /**
     * When the quote ends.
     */
    quote_expires_at: string | null;
};

/**
 * The role of a person in the console.
 *
 * - `OWNER`: All rights.
 * - `ADMIN`: All but payments, approvals of apps, and what concerns an OWNER.
 * - `DEVELOPER`: Keys, apps, webhooks and the audit trail; product calls only in the sandbox.
 * - `BILLING`: Credits, payments and invoices.
 * - `VIEWER`: Reading alone.
 */
export type PortalRole = 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'BILLING' | 'VIEWER';

/**
 * The body of the request: show what another plan would cost.
 */
export type PreviewPlanRequest = {
    /**
     * The plan to change to.
     */
    tier: 'pro_sub' | 'business_sub' | 'enterprise_sub';
    /**
     * When it takes effect: now for a higher plan, with the period for a lower one.
     */
    when?: 'now' | 'period_end' | null;
};

/**
 * Describes the tools of agents to their clients (RFC 9728 §2).
 */
export type ProtectedResource = {
    /**
     * `{base_url}/mcp`
     */
    resource: string;
    /**
     * The issuer of its tokens.
     */
    authorization_servers: Array<string>;
    /**
     * The scopes that its tools need.
     */
    scopes_supported: Array<string>;
    /**
     * Only `header` (RFC 6750 §2.1).
     */
    bearer_methods_supported: Array<string>;
    /**
     * Its name for people.
     */
    resource_name: string;
    /**
     * The address of the guide for agents.
     */
    resource_documentation: string;
};

/**
 * The body of the request: prove the session with a passkey.
 */
export type ProveWithPasskeyRequest = {
    /**
     * The signature, as `toJSON()` of the browser writes it. Further members are read over.
     */
    credential: {
        /**
         * The id of the credential, in base64url.
         */
        id: string;
        /**
         * The id of the credential, in base64url.
         */
        rawId: string;
        /**
         * Always `public-key`.
         */
        type: 'public-key';
        /**
         * What the authenticator has signed.
         */
        response: {
            /**
             * What the browser says about the request, in base64url.
             */
            clientDataJSON: string;
            /**
             * What the authenticator says, in base64url.
             */
            authenticatorData: string;
            /**
             * The signature, in base64url.
             */
            signature: string;
            /**
             * The person, in base64url.
             */
            userHandle?: string;
        };
    };
};

/**
 * The requests of a span of time.
 */
export type QueryMonthToDate = {
    /**
     * The number of authenticated requests.
     */
    requests: number;
    /**
     * The credits that they cost.
     */
    credits: number;
    /**
     * The use of each service, in order of their names.
     */
    by_service: Array<ServiceUsage>;
};

/**
 * The cost of calls, and whether they would succeed.
 */
export type QuoteCallsAnswer = {
    /**
     * One for each call, in the order of the calls.
     */
    items: Array<{
        /**
         * As it was sent.
         */
        method: string;
        /**
         * As it was sent.
         */
        path: string;
        /**
         * The least that a success costs; a failure costs nothing.
         */
        min_credits: number;
        /**
         * The most that the call can cost: so much is held for it.
         */
        max_credits: number;
        /**
         * The list in the answer whose items are paid for; null where the price is fixed.
         */
        unit: string | null;
        /**
         * The name of one such item, such as `result`; null where the price is fixed.
         */
        unit_name: string | null;
        /**
         * Whether the gateway would send this call alone to its product now.
         */
        would_succeed: boolean;
        /**
         * Why not; null: nothing speaks against the call.
         */
        refusal: {
            /**
             * The error code that the call would get.
             */
            code: 'FORBIDDEN' | 'NOT_FOUND' | 'INVALID_REQUEST' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED';
            /**
             * The same for people; its wording may change.
             */
            message: string;
            /**
             * Every offending field of INVALID_REQUEST, every budget of BUDGET_EXCEEDED; null for others, and where the refusals of a quote together would name too many.
             */
            details: Array<{
                /**
                 * Its name, with dots between levels.
                 */
                field: string;
                /**
                 * The part of the request that it is in.
                 */
                in: 'path' | 'query' | 'body' | 'header';
                /**
                 * The problem with it.
                 */
                message: string;
            } | {
                /**
                 * The layer of the budget.
                 */
                of: 'key' | 'consent' | 'external_id' | 'account';
                /**
                 * The calendar window in UTC in which use counts.
                 */
                period: 'day' | 'week' | 'month' | 'total';
                /**
                 * The most credits for each window.
                 */
                limit_credits: number;
                /**
                 * Credits charged in the current window.
                 */
                used_credits: number;
                /**
                 * Credits that calls in progress may still cost.
                 */
                held_credits: number;
                /**
                 * The credits that are left; below 0 after the limit was lowered.
                 */
                remaining_credits: number;
                /**
                 * The most that the request can cost.
                 */
                needed_credits: number;
                /**
                 * When the current window ends; null: never.
                 */
                resets_at: string | null;
            }> | null;
            /**
             * What would pay for the call; only where credits do not cover it.
             */
            remedy?: {
                /**
                 * The most that the request can cost.
                 */
                needed: number;
                /**
                 * The credits that a request of this caller may cost now: those available, or the rest of a budget if that is less. Only for callers with `account:read`.
                 */
                spendable?: number;
                /**
                 * The largest bound of the request (`limit`, the number of recipients) that would pass; null where the price is fixed. Only for callers with `account:read`.
                 */
                affordable_units?: number | null;
                /**
                 * A page to buy credits on, if the balance does not cover the request.
                 */
                top_up_url?: string;
                /**
                 * The cheapest package with the credits that are lacking, or else the largest, if the balance does not cover the request.
                 */
                package?: {
                    /**
                     * `pack_…`
                     */
                    id: string;
                    /**
                     * How many credits it has.
                     */
                    credits: number;
                    /**
                     * Its price without tax. Only for callers with `billing:read`.
                     */
                    price_cents?: number;
                    /**
                     * The currency, by ISO 4217. Only for callers with `billing:read`.
                     */
                    currency?: string;
                };
                /**
                 * The budget with the least left, of those that do not cover the request.
                 */
                budget?: {
                    /**
                     * The layer of the budget.
                     */
                    of: 'key' | 'consent' | 'external_id' | 'account';
                    /**
                     * The calendar window in UTC in which use counts.
                     */
                    period: 'day' | 'week' | 'month' | 'total';
                    /**
                     * The most credits for each window.
                     */
                    limit_credits: number;
                    /**
                     * Credits charged in the current window.
                     */
                    used_credits: number;
                    /**
                     * Credits that calls in progress may still cost.
                     */
                    held_credits: number;
                    /**
                     * The credits that are left; below 0 after the limit was lowered.
                     */
                    remaining_credits: number;
                    /**
                     * The most that the request can cost.
                     */
                    needed_credits: number;
                    /**
                     * When the current window ends; null: never.
                     */
                    resets_at: string | null;
                };
            };
        } | null;
    }>;
    /**
     * The sum of `max_credits`.
     */
    total_max_credits: number;
    /**
     * The balance less open holds and expired credits; null for callers with neither `account:read` nor the scope of one of the calls.
     */
    available: number | null;
    /**
     * The rest of the tightest budget that counts for the caller, negative after a limit was lowered; null without one, and where `available` is null.
     */
    budget_remaining: number | null;
    /**
     * A hash of all prices: `info.x-price-version` of the OpenAPI document. It changes with any price.
     */
    price_version: string;
    /**
     * When the credits were read.
     */
    as_of: string;
};

/**
 * The body of the request: show what calls would cost, and whether they would succeed.
 */
export type QuoteCallsRequest = {
    /**
     * The calls, each judged on its own.
     */
    calls: Array<{
        /**
         * The method of the call.
         */
        method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
        /**
         * The path of the call from `/v1` on. It may end in a query.
         */
        path: string;
        /**
         * Parameters of the query, added to those in the path. A list repeats its parameter.
         */
        query?: {
            [key: string]: string | number | boolean | Array<string | number | boolean>;
        };
        /**
         * The JSON body of the call; absent: none.
         */
        body?: unknown;
    }>;
};

/**
 * The Rank Tracking add-on.
 */
export type RankTracking = {
    /**
     * Whether the add-on works at present.
     */
    active: boolean;
    /**
     * Where it stands.
     */
    status: AddonStatus;
    /**
     * How many keywords may be tracked.
     */
    keyword_limit: number;
    /**
     * How many keywords are tracked.
     */
    keywords_used: number;
};

/**
 * That the process lives.
 */
export type Readiness = {
    /**
     * Degraded: a service that was asked is not up.
     */
    status: 'ok' | 'degraded';
    /**
     * The version of the gateway.
     */
    version: string;
    /**
     * How long this process has been running.
     */
    uptime_seconds: number;
};

/**
 * The reason why recharging would buy nothing now.
 *
 * - `off`: It is turned off.
 * - `under_way`: A payment is in progress.
 * - `suspended`: It has stopped until it is configured again.
 * - `negative_balance`: The balance is negative, because credits were taken back: nothing is bought until credits come otherwise.
 * - `payment_method`: No stored payment method is the default.
 * - `package_id`: The package is not on sale any more.
 * - `monthly_cap`: The price would exceed the cap of this month.
 */
export type RechargeObstacle = 'off' | 'under_way' | 'suspended' | 'negative_balance' | 'payment_method' | 'package_id' | 'monthly_cap';

/**
 * A registered OAuth app, with everything that can be read after its registration.
 */
export type RegisterItself = {
    /**
     * `app_…`
     */
    client_id: string;
    /**
     * When it was registered, in Unix seconds.
     */
    client_id_issued_at: number;
    /**
     * The name that account holders see when they are asked.
     */
    client_name: string;
    /**
     * The redirect URIs, as they were registered.
     */
    redirect_uris: Array<string>;
    /**
     * The place where the app runs.
     */
    application_type: ApplicationType;
    /**
     * How the app authenticates.
     */
    token_endpoint_auth_method: TokenEndpointAuthMethod;
    /**
     * The kinds of grants that it may exchange for tokens.
     */
    grant_types: Array<string>;
    /**
     * Always `code`.
     */
    response_types: Array<string>;
    /**
     * The scopes that the app may ask for, separated by spaces.
     */
    scope: string;
};

/**
 * The body of the request: register an app that describes itself (RFC 7591).
 */
export type RegisterItselfRequest = {
    /**
     * By default all that agents may have. Scopes beyond these are left out.
     */
    client_name?: string | null;
    /**
     * By default `code`.
     */
    redirect_uris?: Array<string> | null;
    /**
     * By default `code`.
     */
    grant_types?: Array<string> | null;
    /**
     * By default `code`.
     */
    response_types?: Array<string> | null;
    /**
     * By default all that agents may have. Scopes beyond these are left out.
     */
    scope?: string | null;
};

/**
 * A new app, with its secret, which is shown only here.
 */
export type RegisteredOAuthApp = {
    /**
     * `app_…`
     */
    client_id: string;
    /**
     * The secret, which is shown only here; left out for a public app, which has none.
     */
    client_secret?: string;
    /**
     * 0: the secret does not expire (RFC 7591).
     */
    client_secret_expires_at?: number;
    /**
     * When it was registered, in Unix seconds.
     */
    client_id_issued_at: number;
    /**
     * The name that account holders see when they are asked.
     */
    client_name: string;
    /**
     * The redirect URIs, as they were registered.
     */
    redirect_uris: Array<string>;
    /**
     * The place where the app runs.
     */
    application_type: ApplicationType;
    /**
     * How the app authenticates.
     */
    token_endpoint_auth_method: TokenEndpointAuthMethod;
    /**
     * The kinds of grants that it may exchange for tokens.
     */
    grant_types: Array<string>;
    /**
     * Always `code`.
     */
    response_types: Array<string>;
    /**
     * The scopes that the app may ask for, separated by spaces.
     */
    scope: string;
    /**
     * Whether the app must use PKCE; a public app always must.
     */
    require_pkce: boolean;
    /**
     * The URL of its logo.
     */
    logo_uri?: string;
    /**
     * The URL of its home page.
     */
    client_uri?: string;
    /**
     * The URL of its privacy policy.
     */
    policy_uri?: string;
    /**
     * The URL of its terms of service.
     */
    tos_uri?: string;
    /**
     * The state of the app.
     */
    status: OAuthAppStatus;
    /**
     * When it was registered.
     */
    created_at: string;
};

/**
 * What would pay for the request.
 */
export type Remedy = {
    /**
     * The most that the request can cost.
     */
    needed: number;
    /**
     * The credits that a request of this caller may cost now: those available, or the rest of a budget if that is less. Only for callers with `account:read`.
     */
    spendable?: number;
    /**
     * The largest bound of the request (`limit`, the number of recipients) that would pass; null where the price is fixed. Only for callers with `account:read`.
     */
    affordable_units?: number | null;
    /**
     * A page to buy credits on, if the balance does not cover the request.
     */
    top_up_url?: string;
    /**
     * The cheapest package with the credits that are lacking, or else the largest, if the balance does not cover the request.
     */
    package?: {
        /**
         * `pack_…`
         */
        id: string;
        /**
         * How many credits it has.
         */
        credits: number;
        /**
         * Its price without tax. Only for callers with `billing:read`.
         */
        price_cents?: number;
        /**
         * The currency, by ISO 4217. Only for callers with `billing:read`.
         */
        currency?: string;
    };
    /**
     * The budget with the least left, of those that do not cover the request.
     */
    budget?: {
        /**
         * The layer of the budget.
         */
        of: 'key' | 'consent' | 'external_id' | 'account';
        /**
         * The calendar window in UTC in which use counts.
         */
        period: 'day' | 'week' | 'month' | 'total';
        /**
         * The most credits for each window.
         */
        limit_credits: number;
        /**
         * Credits charged in the current window.
         */
        used_credits: number;
        /**
         * Credits that calls in progress may still cost.
         */
        held_credits: number;
        /**
         * The credits that are left; below 0 after the limit was lowered.
         */
        remaining_credits: number;
        /**
         * The most that the request can cost.
         */
        needed_credits: number;
        /**
         * When the current window ends; null: never.
         */
        resets_at: string | null;
    };
};

/**
 * A passkey that was removed, or that is to be removed later.
 */
export type RemovedPasskey = {
    /**
     * `psk_…`
     */
    id: string;
    /**
     * The name that the person has given it.
     */
    name: string;
    /**
     * When it was added.
     */
    created_at: string;
    /**
     * When it was used last; null: never.
     */
    last_used_at: string | null;
    /**
     * When it was disabled, because somebody may have a copy of it; null: it works.
     */
    disabled_at: string | null;
    /**
     * It is still there: from then on the session may remove it. Null: it was removed.
     */
    removable_from: string | null;
    /**
     * Until then the session may remove it. Null: it was removed.
     */
    removable_until: string | null;
};

/**
 * A scope that the app asks for.
 */
export type RequestedScope = {
    /**
     * The scope.
     */
    name: string;
    /**
     * The rights that the scope gives the app, as a sentence.
     */
    description: string;
    /**
     * Whether the owner has granted the scope to the app before.
     */
    already_granted: boolean;
};

/**
 * The body of the request: send the events of a span of time to a webhook endpoint again.
 */
export type ResendWebhookDeliveriesRequest = {
    /**
     * Only deliveries that were queued at this instant or later.
     */
    from: string;
    /**
     * Only deliveries that were queued before this instant.
     */
    to: string;
    /**
     * Only deliveries in this state; without it, all.
     */
    status?: 'pending' | 'succeeded' | 'failed';
};

/**
 * The deliveries that are sent again.
 */
export type ResentWebhookDeliveries = {
    /**
     * The number of deliveries that match at this moment. All of them are sent again, soon after the answer.
     */
    deliveries: number;
};

/**
 * The state of a payment, without its other details.
 */
export type ReturnStatus = {
    /**
     * Where it stands.
     */
    status: CheckoutStatus;
};

/**
 * The body of the request: Reveal how to reach a contact.
 */
export type RevealContactRequest = {
    /**
     * The contact: `con_…`
     */
    contact_id: string;
};

/**
 * Reveal how to reach a contact.
 */
export type RevealContactResponse = {
    /**
     * The contact: `con_…`
     */
    contact_id: string;
    /**
     * The name of the person.
     */
    full_name: string;
    /**
     * What the person does there.
     */
    job_title: string;
    /**
     * The name of the company.
     */
    company_name: string;
    /**
     * Email addresses, the likeliest first.
     */
    emails: Array<string>;
    /**
     * Telephone numbers, the likeliest first.
     */
    phones: Array<string>;
    /**
     * When that was last verified.
     */
    verified_at: string;
};

export type RevokeAnswer = {
    [key: string]: never;
};

/**
 * The body of the request: end a token of the app (RFC 7009).
 */
export type RevokeRequest = {
    /**
     * An access token or a refresh token.
     */
    token: string;
    /**
     * The app, where the header does not name it.
     */
    client_id?: string;
    /**
     * The secret of a confidential app that does not use the header.
     */
    client_secret?: string;
};

/**
 * The body of the request: replace an API key; the plaintext of the new one is shown this once.
 */
export type RotateApiKeyRequest = {
    /**
     * For so many seconds the former key works, too.
     */
    grace_seconds?: number;
};

/**
 * The body of the request: replace the secret of an OAuth app; the new one is shown this once.
 */
export type RotateAppSecretRequest = {
    /**
     * The time for which the secret before is accepted too: at most 604800.
     */
    overlap_seconds?: number;
};

/**
 * The body of the request: replace the secret of a webhook endpoint; the new one is shown only once.
 */
export type RotateWebhookSecretRequest = {
    /**
     * For so many seconds the previous secret signs messages, too; at most 7 days.
     */
    overlap_seconds?: number;
};

/**
 * An app, with its new secret, which is shown only here.
 */
export type RotatedOAuthApp = {
    /**
     * `app_…`
     */
    client_id: string;
    /**
     * The secret, which is shown only here.
     */
    client_secret: string;
    /**
     * 0: the secret does not expire (RFC 7591).
     */
    client_secret_expires_at: number;
    /**
     * When it was registered, in Unix seconds.
     */
    client_id_issued_at: number;
    /**
     * The name that account holders see when they are asked.
     */
    client_name: string;
    /**
     * The redirect URIs, as they were registered.
     */
    redirect_uris: Array<string>;
    /**
     * The place where the app runs.
     */
    application_type: ApplicationType;
    /**
     * How the app authenticates.
     */
    token_endpoint_auth_method: TokenEndpointAuthMethod;
    /**
     * The kinds of grants that it may exchange for tokens.
     */
    grant_types: Array<string>;
    /**
     * Always `code`.
     */
    response_types: Array<string>;
    /**
     * The scopes that the app may ask for, separated by spaces.
     */
    scope: string;
    /**
     * Whether the app must use PKCE; a public app always must.
     */
    require_pkce: boolean;
    /**
     * The URL of its logo.
     */
    logo_uri?: string;
    /**
     * The URL of its home page.
     */
    client_uri?: string;
    /**
     * The URL of its privacy policy.
     */
    policy_uri?: string;
    /**
     * The URL of its terms of service.
     */
    tos_uri?: string;
    /**
     * The state of the app.
     */
    status: OAuthAppStatus;
    /**
     * Until when the secret before the newest is accepted too; left out: only the newest secret is.
     */
    previous_secret_expires_at?: string;
    /**
     * When it was registered.
     */
    created_at: string;
};

/**
 * An endpoint, with its new secret, which is shown only here.
 */
export type RotatedWebhookEndpoint = {
    /**
     * `whe_…`
     */
    id: string;
    /**
     * The URL that messages are sent to.
     */
    url: string;
    /**
     * The types of events that are sent; all types if none is named.
     */
    events: Array<string>;
    /**
     * A description by the owner.
     */
    description: string | null;
    /**
     * Whether messages are sent to the endpoint.
     */
    status: WebhookEndpointStatus;
    /**
     * The time of the first failure since the last message that arrived; null if the last attempt succeeded.
     */
    failing_since: string | null;
    /**
     * The share of these deliveries that arrived, with any attempt, from 0 to 1; null: nothing was tried.
     */
    delivery_rate: number | null;
    /**
     * Its deliveries of today and the six days before, in UTC, oldest first; days without any are missing.
     */
    delivery_days: Array<WebhookDay>;
    /**
     * When it was created.
     */
    created_at: string;
    /**
     * `whsec_…`: the secret that signs the messages.
     */
    secret: string;
    /**
     * Until when messages are also signed with the previous secret; null: only the new secret signs.
     */
    previous_secret_expires_at: string | null;
};

/**
 * When the credits run out: in a tenth, in half and in nine tenths of 1,000 futures they have run out by then.
 */
export type RunOut = {
    /**
     * The early end of the range; null: not within 365 days.
     */
    early: string | null;
    /**
     * The middle of the range; null: not within 365 days.
     */
    likely: string | null;
    /**
     * The late end of the range; null: not within 365 days.
     */
    late: string | null;
};

/**
 * A sandbox with a new key, whose secret is shown only here.
 */
export type SandboxReset = {
    /**
     * The sandbox, as it is now.
     */
    state: SandboxState;
    /**
     * The secret of its only key, which is shown only here.
     */
    plaintext: string;
};

/**
 * All sandbox keys were revoked, and another was issued. Sandbox endpoints are told, and live ones too when a live key asked for it, each by an event of its own.
 */
export type SandboxResetEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'sandbox.reset';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `key_…`: the new one.
         */
        key_id: string;
        /**
         * How it begins.
         */
        key_prefix: string;
        /**
         * How it ends.
         */
        key_last4: string;
        /**
         * How many were accepted until then.
         */
        keys_revoked: number;
    };
};

/**
 * The sandbox of an account: its key and its use. Null without an active key.
 */
export type SandboxState = {
    /**
     * The first characters of its newest active key.
     */
    key_prefix: string | null;
    /**
     * The last characters of that key.
     */
    key_last4: string | null;
    /**
     * When that key was issued.
     */
    created_at: string | null;
    /**
     * The number of authenticated requests since the day began.
     */
    requests_today: number;
    /**
     * The number of authenticated requests since the month began.
     */
    requests_this_month: number;
    /**
     * The share of this month's requests that were answered with a status below 400, from 0 to 1; 1 without requests.
     */
    success_rate: number;
};

/**
 * The body of the request: Find contacts by company, role and place.
 */
export type SearchContactsRequest = {
    /**
     * What to look for, in words.
     */
    query: string;
    /**
     * The domain of the company.
     */
    company_domain?: string;
    /**
     * ISO 3166-1 alpha-2.
     */
    country?: string;
    /**
     * How many, at most.
     */
    limit?: number;
};

/**
 * Find contacts by company, role and place.
 */
export type SearchContactsResponse = {
    /**
     * What was found.
     */
    items: Array<{
        /**
         * The contact: `con_…`
         */
        contact_id: string;
        /**
         * The name of the person.
         */
        full_name: string;
        /**
         * What the person does there.
         */
        job_title: string;
        /**
         * The name of the company.
         */
        company_name: string;
        /**
         * The domain of the company.
         */
        company_domain: string;
        /**
         * ISO 3166-1 alpha-2.
         */
        country: string;
        /**
         * Whether revealing shows an email address.
         */
        has_email: boolean;
        /**
         * Whether revealing shows a telephone number.
         */
        has_phone: boolean;
    }>;
    /**
     * How many there are in all.
     */
    total: number;
};

/**
 * The requests to one service.
 */
export type ServiceUsage = {
    /**
     * The service, as the usage log names it.
     */
    service: string;
    /**
     * The number of authenticated requests.
     */
    requests: number;
    /**
     * The credits that they cost.
     */
    credits: number;
};

/**
 * A browser that is signed in.
 */
export type Session = {
    /**
     * `ses_…`
     */
    id: string;
    /**
     * The listener of the session.
     */
    environment: Environment;
    /**
     * Whether this is the session that calls.
     */
    is_current: boolean;
    /**
     * The key that signed in; null for a person.
     */
    key_id: string | null;
    /**
     * The name of the key; null without a key, or if the key is no longer accepted.
     */
    key_name: string | null;
    /**
     * The role of the person; null with a key.
     */
    role: string | null;
    /**
     * The person, as named in the audit trail; null with a key.
     */
    actor: string | null;
    /**
     * The address that the page leads back to.
     */
    return_url: string | null;
    /**
     * The session on the other listener from which this one was handed over. This one ends with it.
     */
    parent_id: string | null;
    /**
     * The address from which the newest proof came.
     */
    address: string | null;
    /**
     * When the browser signed in.
     */
    created_at: string;
    /**
     * When the caller last proved its identity; before `created_at` if the session was handed over.
     */
    proven_at: string;
    /**
     * The latest end of the session.
     */
    expires_at: string;
};

/**
 * Why a session may not do this.
 */
export type SessionError = {
    /**
     * The code of the error, for programs.
     */
    code: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'PAYMENT_DECLINED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'ACCOUNT_SUSPENDED' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT';
    /**
     * The same for people; its wording may change.
     */
    message: string;
    /**
     * The HTTP status.
     */
    status: number;
    /**
     * A page about this code.
     */
    documentation_url: string;
    /**
     * `req_…`, as in `X-Request-Id`.
     */
    request_id: string;
    /**
     * The page of the console with the usage-log entry of the request, for callers with `usage:read`.
     */
    request_log_url?: string;
    /**
     * With STEP_UP_REQUIRED: what counts as a proof. With ACCOUNT_SUSPENDED: whom to ask.
     */
    details?: StepUpDetail | SuspensionDetail;
};

/**
 * The body of every failure.
 */
export type SessionErrorEnvelope = {
    error: SessionError;
};

/**
 * A page of sessions, newest first.
 */
export type SessionPage = {
    /**
     * The sessions of this page.
     */
    items: Array<Session>;
    /**
     * The cursor of the next page; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * An account that a person may sign in to.
 */
export type SignInAccount = {
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The name of the account.
     */
    account_name: string;
    /**
     * The role of the person there.
     */
    role: PortalRole;
};

/**
 * The body of the request: sign a browser in with the link or the code of a mail.
 */
export type SignInByMailRequest = {
    /**
     * The fragment of the link of the mail.
     */
    mail_token?: string;
    /**
     * The code of the mail: 8 digits.
     */
    mail_code?: string;
    /**
     * The account, for a person who is a member of several.
     */
    account_id?: string;
};

/**
 * A preview of a sign-in. It changes nothing.
 */
export type SignInPreview = {
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The name of the account.
     */
    account_name: string;
    /**
     * The environment of the sign-in.
     */
    environment: Environment;
    /**
     * The role of the person; null if a key has signed in.
     */
    role: string | null;
    /**
     * The person, as the audit trail will name it.
     */
    actor: string | null;
    /**
     * Who invited the person; left out without an invitation, and if an operator has.
     */
    invited_by?: string;
    /**
     * The address that the console leads back to.
     */
    return_url: string | null;
    /**
     * When the link or code expires.
     */
    expires_at: string;
    /**
     * Another account that the browser is signed in as, with an invitation any; the sign-in ends that session.
     */
    signed_in_as: SignInPreviewSignedInAs | null;
};

/**
 * A customer. The environment of the call decides whether its live state or its sandbox state is shown.
 */
export type SignInPreviewSignedInAs = {
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * Display name.
     */
    account_name: string;
};

/**
 * How members may sign in to the account.
 */
export type SignInSetting = {
    /**
     * Whether members sign in by passkey alone. Keys and portal links go on.
     */
    passkey_only: boolean;
};

/**
 * The body of the request: sign a browser in with a passkey.
 */
export type SignInWithPasskeyRequest = {
    /**
     * The signature, as `toJSON()` of the browser writes it. Further members are read over.
     */
    credential?: {
        /**
         * The id of the credential, in base64url.
         */
        id: string;
        /**
         * The id of the credential, in base64url.
         */
        rawId: string;
        /**
         * Always `public-key`.
         */
        type: 'public-key';
        /**
         * What the authenticator has signed.
         */
        response: {
            /**
             * What the browser says about the request, in base64url.
             */
            clientDataJSON: string;
            /**
             * What the authenticator says, in base64url.
             */
            authenticatorData: string;
            /**
             * The signature, in base64url.
             */
            signature: string;
            /**
             * The person, in base64url.
             */
            userHandle?: string;
        };
    };
    /**
     * The account to sign in to; without it, the only one.
     */
    account_id?: string;
};

export type Status = {
    /**
     * Degraded: the API, or at least one service, is degraded.
     */
    status: 'live' | 'degraded';
    /**
     * The environment of this listener.
     */
    environment: 'live' | 'sandbox';
    /**
     * The API itself, then every product.
     */
    services: Array<{
        /**
         * The part of the path that calls of it begin with; `api`: the API itself.
         */
        service: string;
        /**
         * Its name, for people.
         */
        name: string;
        /**
         * Live: it answers. Degraded: it does not, or calls may fail.
         */
        status: 'live' | 'degraded';
    }>;
    /**
     * When this was found out; for ten seconds it is not asked again.
     */
    checked_at: string;
};

/**
 * How the session can be proven again.
 */
export type StepUpDetail = {
    /**
     * The proofs that count: the same API key, a new portal link for the same person, or a passkey of the member, and the code of a mail to a member who has none.
     */
    methods: Array<'api_key' | 'portal_link' | 'mail_code' | 'passkey'>;
    /**
     * Where a person gets a new portal link; null: not known.
     */
    return_url: string | null;
};

/**
 * A hybrid subscription: a rate limit and a monthly allowance.
 */
export type Subscription = {
    /**
     * The tier that was subscribed to.
     */
    tier: SubscriptionTier;
    /**
     * Whether it renews, ends or has ended.
     */
    status: EntitlementStatus;
    /**
     * When the current period began, or the last one.
     */
    current_period_start: string;
    /**
     * When the period ends; a scheduled cancellation takes effect then, too.
     */
    current_period_end: string;
    /**
     * Whether it ends with its period.
     */
    cancel_at_period_end: boolean;
    /**
     * When the cancellation was asked for; null while it renews.
     */
    canceled_at: string | null;
    /**
     * The credits of each period. They come with the payment for it.
     */
    monthly_credits: number;
};

/**
 * The subscription ends with its period, unless it is resumed.
 */
export type SubscriptionCancelScheduledEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'subscription.cancel_scheduled';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * Its tier, such as `pro_sub`.
         */
        tier: string;
        /**
         * Where it stands now.
         */
        status: 'active' | 'scheduled_to_cancel' | 'canceled';
        /**
         * ISO 8601, UTC.
         */
        current_period_start: string;
        /**
         * ISO 8601, UTC.
         */
        current_period_end: string;
        /**
         * The reason why its period was not paid for; null: the account holder ended it.
         */
        failure_reason: string | null;
    };
};

/**
 * The subscription has ended.
 */
export type SubscriptionCanceledEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'subscription.canceled';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * Its tier, such as `pro_sub`.
         */
        tier: string;
        /**
         * Where it stands now.
         */
        status: 'active' | 'scheduled_to_cancel' | 'canceled';
        /**
         * ISO 8601, UTC.
         */
        current_period_start: string;
        /**
         * ISO 8601, UTC.
         */
        current_period_end: string;
    };
};

/**
 * A plan was not paid for, so that nothing has changed.
 */
export type SubscriptionChangeFailedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'subscription.change_failed';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `pay_…`
         */
        payment_id: string;
        /**
         * The tier that was asked for.
         */
        tier: string;
        /**
         * Why, in a sentence.
         */
        failure_reason: string;
    };
};

/**
 * The subscription gets another plan with its next period, or keeps its plan after all.
 */
export type SubscriptionChangeScheduledEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'subscription.change_scheduled';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * Its tier, such as `pro_sub`.
         */
        tier: string;
        /**
         * Where it stands now.
         */
        status: 'active' | 'scheduled_to_cancel' | 'canceled';
        /**
         * ISO 8601, UTC.
         */
        current_period_start: string;
        /**
         * ISO 8601, UTC.
         */
        current_period_end: string;
        /**
         * The tier of the next period; null: the tier stays.
         */
        next_tier: string | null;
    };
};

/**
 * The subscription has another plan from now on.
 */
export type SubscriptionChangedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'subscription.changed';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * Its tier, such as `pro_sub`.
         */
        tier: string;
        /**
         * Where it stands now.
         */
        status: 'active' | 'scheduled_to_cancel' | 'canceled';
        /**
         * ISO 8601, UTC.
         */
        current_period_start: string;
        /**
         * ISO 8601, UTC.
         */
        current_period_end: string;
        /**
         * The tier that it had before.
         */
        previous_tier: string;
    };
};

/**
 * A new period of the subscription has begun.
 */
export type SubscriptionRenewedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'subscription.renewed';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * Its tier, such as `pro_sub`.
         */
        tier: string;
        /**
         * Where it stands now.
         */
        status: 'active' | 'scheduled_to_cancel' | 'canceled';
        /**
         * ISO 8601, UTC.
         */
        current_period_start: string;
        /**
         * ISO 8601, UTC.
         */
        current_period_end: string;
    };
};

/**
 * The subscription does not end with its period after all.
 */
export type SubscriptionResumedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'subscription.resumed';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * Its tier, such as `pro_sub`.
         */
        tier: string;
        /**
         * Where it stands now.
         */
        status: 'active' | 'scheduled_to_cancel' | 'canceled';
        /**
         * ISO 8601, UTC.
         */
        current_period_start: string;
        /**
         * ISO 8601, UTC.
         */
        current_period_end: string;
    };
};

/**
 * A subscription was bought, and its first period has begun.
 */
export type SubscriptionStartedEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'subscription.started';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * Its tier, such as `pro_sub`.
         */
        tier: string;
        /**
         * Where it stands now.
         */
        status: 'active' | 'scheduled_to_cancel' | 'canceled';
        /**
         * ISO 8601, UTC.
         */
        current_period_start: string;
        /**
         * ISO 8601, UTC.
         */
        current_period_end: string;
    };
};

/**
 * A hybrid subscription tier.
 *
 * - `pro_sub`: Allows 25 requests per second.
 * - `business_sub`: Allows 50 requests per second.
 * - `enterprise_sub`: Allows 100 requests per second.
 */
export type SubscriptionTier = 'pro_sub' | 'business_sub' | 'enterprise_sub';

/**
 * Who can be asked about the suspension.
 */
export type SuspensionDetail = {
    /**
     * A mail address or a web page of the provider of this API; null: none is configured.
     */
    contact: string | null;
};

/**
 * A credit-pack tier.
 *
 * - `STARTER`: Allows 10 requests per second.
 * - `GROWTH`: Allows 10 requests per second.
 * - `PROFESSIONAL`: Allows 25 requests per second.
 * - `BUSINESS`: Allows 25 requests per second.
 * - `ENTERPRISE`: Allows 50 requests per second.
 * - `SCALE`: Allows 50 requests per second.
 */
export type Tier = 'STARTER' | 'GROWTH' | 'PROFESSIONAL' | 'BUSINESS' | 'ENTERPRISE' | 'SCALE';

/**
 * How an app authenticates. A public app cannot keep a secret and uses none.
 *
 * - `client_secret_basic`: The secret in the header Authorization: Basic (RFC 6749 §2.3.1).
 * - `client_secret_post`: The secret in the form (RFC 6749 §2.3.1).
 * - `none`: No secret: PKCE protects the exchange (RFC 7636).
 */
export type TokenEndpointAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none';

/**
 * The body of the request: exchange a code or a refresh token for tokens.
 */
export type TokenRequest = {
    /**
     * `authorization_code` or `refresh_token`
     */
    grant_type: string;
    /**
     * With the grant type `authorization_code`: the code that the app was given.
     */
    code?: string;
    /**
     * The redirect URI, exactly as in the authorization request.
     */
    redirect_uri?: string;
    /**
     * RFC 7636 §4.1.
     */
    code_verifier?: string;
    /**
     * With the grant type `refresh_token`: the newest refresh token of the grant.
     */
    refresh_token?: string;
    /**
     * The scopes, none beyond those that were granted.
     */
    scope?: string;
    /**
     * RFC 8707: the identifier of this API; no other is accepted.
     */
    resource?: string;
    /**
     * The app, where the header does not name it.
     */
    client_id?: string;
    /**
     * The secret of a confidential app that does not use the header.
     */
    client_secret?: string;
};

/**
 * The issued tokens (RFC 6749 §5.1).
 */
export type TokenResponse = {
    /**
     * The token, an opaque text, which is shown only here.
     */
    access_token: string;
    /**
     * Bearer.
     */
    token_type: string;
    /**
     * The seconds until the access token expires.
     */
    expires_in: number;
    /**
     * The scopes of the access token, separated by spaces.
     */
    scope: string;
    /**
     * The refresh token, an opaque text, which works once.
     */
    refresh_token?: string;
    /**
     * The id token, a JWT, if the scope `openid` was granted.
     */
    id_token?: string;
};

/**
 * The body of the request: track a keyword.
 */
export type TrackKeywordRequest = {
    /**
     * The search term, 1 to 100 characters.
     */
    keyword: string & string;
    /**
     * A domain name, without scheme or path.
     */
    domain: string;
    /**
     * ISO 3166-1 alpha-2.
     */
    country?: string;
    /**
     * The device for which the search is made.
     */
    device?: 'desktop' | 'mobile';
};

/**
 * A search term whose rank is watched for a domain.
 */
export type TrackedKeyword = {
    /**
     * `kw_…`
     */
    id: string;
    /**
     * The search term, in lower case.
     */
    keyword: string;
    /**
     * The domain whose rank is watched, in lower case.
     */
    domain: string;
    /**
     * ISO 3166-1 alpha-2, in upper case.
     */
    country: string;
    /**
     * The device for which the search is made.
     */
    device: Device;
    /**
     * When the tracking began.
     */
    created_at: string;
};

/**
 * A page of tracked keywords, newest first.
 */
export type TrackedKeywordPage = {
    /**
     * The keywords of this page.
     */
    items: Array<TrackedKeyword>;
    /**
     * The cursor of the next page; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * What the log keeps of a failure beside its code: no value, and no text of a service.
 */
export type UsageErrorDetails = {
    /**
     * Who refused: `balance`, the layer of a budget (`key`, `consent`, `external_id` or `account`), `max_credits` of the call of a tool, or `module`; null where the code says it.
     */
    layer: string | null;
    /**
     * The limit of the budget that refused, or `max_credits`, in credits.
     */
    limit: number | null;
    /**
     * The scope that the caller lacked.
     */
    scope: string | null;
    /**
     * The fields that did not fit, as many as there is room for.
     */
    fields: Array<UsageErrorField>;
};

/**
 * A field that a request failed by, without any word of the request.
 */
export type UsageErrorField = {
    /**
     * Its name in the schema of the operation, with dots between levels; `?` if the schema has no such name.
     */
    name: string;
    /**
     * The keyword of JSON Schema that it failed by, such as `required`; `custom` for any other rule.
     */
    rule: string;
};

/**
 * Failed requests to one endpoint with one status.
 */
export type UsageErrorGroup = {
    /**
     * The service group.
     */
    service: string;
    /**
     * Method and path, with placeholders instead of ids: `GET /v1/contacts/{contact_id}`.
     */
    endpoint: string;
    /**
     * HTTP status.
     */
    status: number;
    /**
     * The code of their error; null for status 499, and where codes are not told apart.
     */
    error_code?: string | null;
    /**
     * What went wrong, in a sentence that is made from the code; null without one.
     */
    error_message?: string | null;
    /**
     * The number of requests.
     */
    requests: number;
    /**
     * When the oldest of them arrived.
     */
    first_at: string;
    /**
     * When the newest of them arrived.
     */
    last_at: string;
    /**
     * `req_…` of the newest.
     */
    last_request_id: string;
};

/**
 * The failed requests of a span of time, in groups.
 */
export type UsageErrors = {
    /**
     * The span of time begins at this instant.
     */
    from: string;
    /**
     * The span of time ends before this instant.
     */
    to: string;
    /**
     * Whether all requests were counted; if not, only the newest 10,000 were.
     */
    is_complete: boolean;
    /**
     * The groups, the largest first.
     */
    items: Array<UsageErrorGroup>;
};

/**
 * The property by which the requests of an interval are grouped.
 *
 * - `service`: The service group.
 * - `endpoint`: Method and path, with placeholders instead of ids.
 * - `key`: The API key.
 * - `client`: The app whose access token was used.
 * - `external_id`: The external id that the key had at the time.
 */
export type UsageGroup = 'service' | 'endpoint' | 'key' | 'client' | 'external_id';

/**
 * The length of an interval. Days are those of UTC.
 *
 * - `hour`: A series has at most 31 days of them.
 * - `day`: A series has at most 400 of them.
 */
export type UsageInterval = 'hour' | 'day';

/**
 * One authenticated request.
 */
export type UsageLogEntry = {
    /**
     * `req_…`, as in `X-Request-Id`.
     */
    request_id: string;
    /**
     * When the request arrived.
     */
    ts: string;
    /**
     * HTTP method.
     */
    method: string;
    /**
     * Request path, without its query.
     */
    endpoint: string;
    /**
     * Service group, such as `contacts` or `account`.
     */
    service: string;
    /**
     * The HTTP status; 499: the client hung up before anything was done for it.
     */
    status: number;
    /**
     * The credits that were charged.
     */
    credits: number;
    /**
     * The time from the arrival of the request to its answer.
     */
    latency_ms: number;
    /**
     * The W3C trace id.
     */
    trace_id: string;
    /**
     * What handled the request: a service, or a part of the gateway.
     */
    backend_module: string;
    /**
     * `key_…`: the key that was used, or that has opened the session; null for an app and a person.
     */
    key_id?: string | null;
    /**
     * `app_…`: the app whose access token was used; null for a key.
     */
    client_id?: string | null;
    /**
     * The external id of the key at the time of the request; null without one.
     */
    external_id?: string | null;
    /**
     * The `X-End-User` of the request; null without one.
     */
    end_user?: string | null;
    /**
     * How the caller authenticated.
     */
    source?: UsageSource;
    /**
     * The code of the error; null for a success, and for status 499.
     */
    error_code?: string | null;
    /**
     * What went wrong, in a sentence that is made from the code; null without one.
     */
    error_message?: string | null;
    /**
     * What is known of the failure beside its code; null where that is nothing.
     */
    error_details?: UsageErrorDetails | null;
};

/**
 * A page of the usage log, newest first.
 */
export type UsageLogPage = {
    /**
     * The entries of this page.
     */
    items: Array<UsageLogEntry>;
    /**
     * The cursor of the next page, an opaque text; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * The requests of one group in one interval.
 */
export type UsagePoint = {
    /**
     * When the interval began.
     */
    start: string;
    /**
     * The service, as the usage log names it; null in a series that is grouped by caller.
     */
    service: string | null;
    /**
     * The endpoint, such as `GET /v1/contacts/{contact_id}`; null unless the series is grouped by endpoint.
     */
    endpoint: string | null;
    /**
     * By key: `key_…`; null without one; `other` for all but the 50 largest.
     */
    key_id?: string | null;
    /**
     * By client: `app_…`; null without one; `other` for all but the 50 largest.
     */
    client_id?: string | null;
    /**
     * By external id: null without one; `other` for all but the 50 largest.
     */
    external_id?: string | null;
    /**
     * The number of authenticated requests.
     */
    requests: number;
    /**
     * The credits that they cost.
     */
    credits: number;
    /**
     * The share of the requests that were answered with a status below 400, from 0 to 1; 1 without requests.
     */
    success_rate: number;
    /**
     * The median of the time, at most a tenth off; null if the series is grouped by caller.
     */
    latency_p50_ms: number | null;
    /**
     * The 95th percentile of the time, at most a tenth off; null if the series is grouped by caller.
     */
    latency_p95_ms: number | null;
};

/**
 * Usage over time. Each group that has requests has one item for each interval.
 */
export type UsageSeries = {
    /**
     * The length of an interval.
     */
    interval: UsageInterval;
    /**
     * The property by which the requests of an interval are grouped.
     */
    group_by: UsageGroup;
    /**
     * The beginning of the first interval.
     */
    from: string;
    /**
     * The end of the last interval.
     */
    to: string;
    /**
     * The items in order of time, then of the groups.
     */
    items: Array<UsagePoint>;
};

/**
 * How a caller authenticated.
 *
 * - `key`: By an API key.
 * - `token`: By an access token of an app.
 * - `session`: By the session of a browser, for calls that are no product calls. Product calls of a session count as calls of a key.
 */
export type UsageSource = 'key' | 'token' | 'session';

/**
 * The use of the API. Days and months are those of UTC.
 */
export type UsageSummary = {
    /**
     * The use since the month began.
     */
    month_to_date: UsageTotals;
    /**
     * The use since the day began.
     */
    today: UsageSummaryToday;
};

/**
 * The requests of a span of time.
 */
export type UsageSummaryToday = {
    /**
     * The number of authenticated requests.
     */
    requests: number;
    /**
     * The credits that they cost.
     */
    credits: number;
    /**
     * The share of the requests that were answered with a status below 400, from 0 to 1; 1 without requests.
     */
    success_rate: number;
};

/**
 * The requests of a span of time.
 */
export type UsageTotals = {
    /**
     * The number of authenticated requests.
     */
    requests: number;
    /**
     * The credits that they cost.
     */
    credits: number;
    /**
     * The share of the requests that were answered with a status below 400, from 0 to 1; 1 without requests.
     */
    success_rate: number;
    /**
     * The use of each service, in order of their names.
     */
    by_service: Array<ServiceUsage>;
};

/**
 * Claims about the account holder. A claim is null unless a scope covers it.
 */
export type Userinfo = {
    /**
     * `acct_…`
     */
    sub: string;
    /**
     * With the scope `profile`: the display name.
     */
    name?: string;
    /**
     * With the scope `profile`: when it last changed, in seconds since 1970.
     */
    updated_at?: number;
    /**
     * With the scope `email`: the email address of the account holder.
     */
    email?: string;
    /**
     * With the scope `email`: whether the address was verified.
     */
    email_verified?: boolean;
    /**
     * With the scope `account:read`: `acct_…`
     */
    account_id?: string;
    /**
     * With the scope `account:read`: the credit-pack tier.
     */
    tier?: Tier;
    /**
     * With the scope `account:read`: the tier of the hybrid subscription, if there is one.
     */
    subscription_tier?: SubscriptionTier;
};

/**
 * Why a request is not valid.
 */
export type ValidationError = {
    /**
     * The code of the error, for programs.
     */
    code: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'PAYMENT_DECLINED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'ACCOUNT_SUSPENDED' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT';
    /**
     * The same for people; its wording may change.
     */
    message: string;
    /**
     * The HTTP status.
     */
    status: number;
    /**
     * A page about this code.
     */
    documentation_url: string;
    /**
     * `req_…`, as in `X-Request-Id`.
     */
    request_id: string;
    /**
     * The page of the console with the usage-log entry of the request, for callers with `usage:read`.
     */
    request_log_url?: string;
    /**
     * Every offending field, up to a hundred.
     */
    details: Array<FieldError>;
};

/**
 * The body of every failure.
 */
export type ValidationErrorEnvelope = {
    error: ValidationError;
};

/**
 * One attempt to deliver an event.
 */
export type WebhookAttempt = {
    /**
     * When it began.
     */
    attempted_at: string;
    /**
     * The HTTP status of the receiver; null: it did not answer.
     */
    status_code: number | null;
    /**
     * The duration of the attempt.
     */
    latency_ms: number;
    /**
     * The reason of the failure, such as `http 503` or `timeout`; null: the message arrived.
     */
    failure: string | null;
    /**
     * The headers of the request, without its signature; null: no connection was there to send them on.
     */
    request_headers: {
        [key: string]: unknown;
    } | null;
    /**
     * The first KiB of the answer as text, without control characters; null: there was none, it came from this machine or more than 7 days ago, or the caller lacks `webhooks:write`.
     */
    response_text: string | null;
};

/**
 * The deliveries of an endpoint that were queued on one day.
 */
export type WebhookDay = {
    /**
     * The day in UTC: `2026-11-29`.
     */
    day: string;
    /**
     * The number of deliveries that were tried.
     */
    tried: number;
    /**
     * The number of them that arrived, with any attempt.
     */
    arrived: number;
};

/**
 * The delivery of an event to one endpoint.
 */
export type WebhookDelivery = {
    /**
     * `whd_…`
     */
    id: string;
    /**
     * `evt_…`: the `webhook-id` of every attempt.
     */
    event_id: string;
    /**
     * What happened, such as `credits.low`.
     */
    event_type: string;
    /**
     * Whether the message has arrived.
     */
    status: WebhookDeliveryStatus;
    /**
     * The number of attempts.
     */
    attempt_count: number;
    /**
     * The newest 20 attempts, newest first.
     */
    attempts: Array<WebhookAttempt>;
    /**
     * When the next attempt is made; null: none is planned, or the endpoint is disabled.
     */
    next_attempt_at: string | null;
    /**
     * When the delivery was queued.
     */
    created_at: string;
    /**
     * The body that every attempt sends; null once the event is deleted.
     */
    payload: {
        [key: string]: unknown;
    } | null;
};

/**
 * A page of deliveries, newest first.
 */
export type WebhookDeliveryPage = {
    /**
     * The deliveries of this page.
     */
    items: Array<WebhookDelivery>;
    /**
     * The cursor of the next page; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * The state of a delivery. Attempts are made until the message arrives or the schedule ends.
 *
 * - `pending`: The message has not arrived yet; further attempts follow.
 * - `succeeded`: The receiver answered with 2xx.
 * - `failed`: All attempts of the schedule failed; it can be sent again.
 */
export type WebhookDeliveryStatus = 'pending' | 'succeeded' | 'failed';

/**
 * An endpoint that events are sent to.
 */
export type WebhookEndpoint = {
    /**
     * `whe_…`
     */
    id: string;
    /**
     * The URL that messages are sent to.
     */
    url: string;
    /**
     * The types of events that are sent; all types if none is named.
     */
    events: Array<string>;
    /**
     * A description by the owner.
     */
    description: string | null;
    /**
     * Whether messages are sent to the endpoint.
     */
    status: WebhookEndpointStatus;
    /**
     * The time of the first failure since the last message that arrived; null if the last attempt succeeded.
     */
    failing_since: string | null;
    /**
     * The share of these deliveries that arrived, with any attempt, from 0 to 1; null: nothing was tried.
     */
    delivery_rate: number | null;
    /**
     * Its deliveries of today and the six days before, in UTC, oldest first; days without any are missing.
     */
    delivery_days: Array<WebhookDay>;
    /**
     * When it was created.
     */
    created_at: string;
};

/**
 * An endpoint of the account has failed for days, or answered 410 Gone, and gets nothing any more. Others are told.
 */
export type WebhookEndpointDisabledEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'webhook_endpoint.disabled';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `whe_…`
         */
        endpoint_id: string;
        /**
         * Where it is, without its path.
         */
        origin: string;
        /**
         * Since then nothing has arrived.
         */
        failing_since: string;
        /**
         * It has failed for days, or it answered 410 Gone.
         */
        reason: 'failing' | 'gone';
    };
};

/**
 * A page of webhook endpoints, newest first.
 */
export type WebhookEndpointPage = {
    /**
     * The endpoints of this page.
     */
    items: Array<WebhookEndpoint>;
    /**
     * The cursor of the next page; null on the last page.
     */
    next_cursor: string | null;
};

/**
 * Whether events are sent to an endpoint.
 *
 * - `enabled`: Events are sent.
 * - `disabled`: Nothing is sent, and nothing is kept to be sent later.
 */
export type WebhookEndpointStatus = 'enabled' | 'disabled';

/**
 * Something that happened, and the endpoints that are told of it.
 */
export type WebhookEvent = {
    /**
     * `evt_…`: the `webhook-id` of every attempt.
     */
    id: string;
    /**
     * What happened, such as `credits.low`.
     */
    type: string;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * At most 20, newest first.
     */
    deliveries: Array<DeliveryOfEvent>;
};

/**
 * A type of event that webhooks send.
 */
export type WebhookEventTypeDescription = {
    /**
     * Its name, such as `credits.low`.
     */
    type: string;
    /**
     * The occasion on which it is sent.
     */
    description: string;
    /**
     * The version of `data`.
     */
    version: number;
    /**
     * A complete message, as a receiver gets it.
     */
    example_payload: {
        [key: string]: unknown;
    };
};

/**
 * All types of events that webhooks send.
 */
export type WebhookEventTypeList = {
    /**
     * The types, in the order of the documentation.
     */
    items: Array<WebhookEventTypeDescription>;
};

/**
 * Figures about webhooks.
 */
export type WebhookSummary = {
    /**
     * The number of registered endpoints.
     */
    endpoints: number;
    /**
     * The number of disabled endpoints; nothing is sent to them.
     */
    disabled: number;
    /**
     * The share of the deliveries of the last seven days that arrived, from 0 to 1; null without deliveries.
     */
    delivery_rate: number | null;
};

/**
 * Somebody asked for a test. Only the endpoint that it is for gets it.
 */
export type WebhookTestEvent = {
    /**
     * `evt_…`: the same however often it is sent.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'webhook.test';
    /**
     * When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.
     */
    timestamp: string;
    /**
     * The same time, under the name of this API.
     */
    created_at: string;
    /**
     * `acct_…`
     */
    account_id: string;
    /**
     * The details of the event.
     */
    data: {
        /**
         * `whe_…`
         */
        endpoint_id: string;
    };
};

/**
 * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
 */
export type EndUser = string;

/**
 * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
 */
export type IdempotencyKey = string;

/**
 * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
 */
export type IdempotencyKeyAlias = string;

/**
 * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
 */
export type SandboxScenario = string;

/**
 * Names the event: the same however often it is sent.
 */
export type WebhookId = string;

/**
 * Signatures of id, timestamp and body, with spaces between them: `v1,…`.
 */
export type WebhookSignature = string;

/**
 * When this attempt was made, in Unix seconds.
 */
export type WebhookTimestamp = string;

export type CreateDraftData = {
    /**
     * A JSON object with `goal` and `channels`, which may have `budget_cents`.
     */
    body: CreateDraftRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/campaigns/drafts';
};

export type CreateDraftResponses = {
    /**
     * Draft a campaign for a goal.
     */
    201: CreateDraftResponse;
};

export type CreateDraftAnswer = CreateDraftResponses[keyof CreateDraftResponses];

export type GetDraftData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path: {
        /**
         * The draft: `dft_…`
         */
        draft_id: string;
    };
    query?: never;
    url: '/v1/campaigns/drafts/{draft_id}';
};

export type GetDraftResponses = {
    /**
     * One draft.
     */
    200: GetDraftResponse;
};

export type GetDraftAnswer = GetDraftResponses[keyof GetDraftResponses];

export type ListFilesData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path?: never;
    query?: {
        /**
         * How many, at most.
         */
        limit?: number;
    };
    url: '/v1/cloud/files';
};

export type ListFilesResponses = {
    /**
     * The files that are stored.
     */
    200: ListFilesResponse;
};

export type ListFilesAnswer = ListFilesResponses[keyof ListFilesResponses];

export type CreateFileData = {
    /**
     * A JSON object with `name` and `content_base64`.
     */
    body: CreateFileRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/cloud/files';
};

export type CreateFileResponses = {
    /**
     * Store a small file.
     */
    201: CreateFileResponse;
};

export type CreateFileAnswer = CreateFileResponses[keyof CreateFileResponses];

export type SearchContactsData = {
    /**
     * A JSON object with `query`, which may have `company_domain`, `country` and `limit`.
     */
    body: SearchContactsRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/contacts/search';
};

export type SearchContactsResponses = {
    /**
     * Find contacts by company, role and place.
     */
    200: SearchContactsResponse;
};

export type SearchContactsAnswer = SearchContactsResponses[keyof SearchContactsResponses];

export type RevealContactData = {
    /**
     * A JSON object with `contact_id`.
     */
    body: RevealContactRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/contacts/reveal';
};

export type RevealContactResponses = {
    /**
     * Reveal how to reach a contact.
     */
    200: RevealContactResponse;
};

export type RevealContactAnswer = RevealContactResponses[keyof RevealContactResponses];

export type GetContactData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path: {
        /**
         * The contact: `con_…`
         */
        contact_id: string;
    };
    query?: never;
    url: '/v1/contacts/{contact_id}';
};

export type GetContactResponses = {
    /**
     * A contact that was revealed before.
     */
    200: GetContactResponse;
};

export type GetContactAnswer = GetContactResponses[keyof GetContactResponses];

export type ListSegmentsData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path?: never;
    query: {
        /**
         * The industry.
         */
        industry: string;
        /**
         * ISO 3166-1 alpha-2.
         */
        country?: string;
    };
    url: '/v1/markets/segments';
};

export type ListSegmentsResponses = {
    /**
     * Segments of a market with size and growth.
     */
    200: ListSegmentsResponse;
};

export type ListSegmentsAnswer = ListSegmentsResponses[keyof ListSegmentsResponses];

export type CreateReportData = {
    /**
     * A JSON object with `industry` and `countries`.
     */
    body: CreateReportRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/markets/reports';
};

export type CreateReportResponses = {
    /**
     * Order a market report.
     */
    202: CreateReportResponse;
};

export type CreateReportAnswer = CreateReportResponses[keyof CreateReportResponses];

export type CreateSendData = {
    /**
     * A JSON object with `subject`, `body` and `recipients`.
     */
    body: CreateSendRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/promote/sends';
};

export type CreateSendResponses = {
    /**
     * Send a message to up to 1000 recipients.
     */
    202: CreateSendResponse;
};

export type CreateSendAnswer = CreateSendResponses[keyof CreateSendResponses];

export type GetSendData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path: {
        /**
         * The send: `snd_…`
         */
        send_id: string;
    };
    query?: never;
    url: '/v1/promote/sends/{send_id}';
};

export type GetSendResponses = {
    /**
     * How a send is going.
     */
    200: GetSendResponse;
};

export type GetSendAnswer = GetSendResponses[keyof GetSendResponses];

export type ListReviewsData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path?: never;
    query: {
        /**
         * Whose reviews.
         */
        business: string;
        /**
         * Only reviews with so many stars or more.
         */
        min_rating?: number;
        /**
         * How many, at most.
         */
        limit?: number;
    };
    url: '/v1/reviews/items';
};

export type ListReviewsResponses = {
    /**
     * Reviews of a business.
     */
    200: ListReviewsResponse;
};

export type ListReviewsAnswer = ListReviewsResponses[keyof ListReviewsResponses];

export type CreateReplyData = {
    /**
     * A JSON object with `review_id` and `text`.
     */
    body: CreateReplyRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/reviews/replies';
};

export type CreateReplyResponses = {
    /**
     * Answer a review.
     */
    201: CreateReplyResponse;
};

export type CreateReplyAnswer = CreateReplyResponses[keyof CreateReplyResponses];

export type ListKeywordsData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path?: never;
    query: {
        /**
         * What the keywords are about.
         */
        topic: string;
        /**
         * ISO 3166-1 alpha-2.
         */
        country?: string;
        /**
         * How many, at most.
         */
        limit?: number;
    };
    url: '/v1/seo/keywords';
};

export type ListKeywordsResponses = {
    /**
     * Search volume and difficulty of keywords around a topic.
     */
    200: ListKeywordsResponse;
};

export type ListKeywordsAnswer = ListKeywordsResponses[keyof ListKeywordsResponses];

export type CreateAuditData = {
    /**
     * A JSON object with `domain`, which may have `max_pages`.
     */
    body: CreateAuditRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/seo/audits';
};

export type CreateAuditResponses = {
    /**
     * Start an audit of a site.
     */
    202: CreateAuditResponse;
};

export type CreateAuditAnswer = CreateAuditResponses[keyof CreateAuditResponses];

export type GetAuditData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path: {
        /**
         * The audit: `aud_…`
         */
        audit_id: string;
    };
    query?: never;
    url: '/v1/seo/audits/{audit_id}';
};

export type GetAuditResponses = {
    /**
     * The state and findings of an audit.
     */
    200: GetAuditResponse;
};

export type GetAuditAnswer = GetAuditResponses[keyof GetAuditResponses];

export type ListVisitorsData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path?: never;
    query: {
        /**
         * The domain, without scheme or path.
         */
        domain: string;
        /**
         * How many, at most.
         */
        limit?: number;
    };
    url: '/v1/who-is-searching/visitors';
};

export type ListVisitorsResponses = {
    /**
     * Companies that visited a site lately.
     */
    200: ListVisitorsResponse;
};

export type ListVisitorsAnswer = ListVisitorsResponses[keyof ListVisitorsResponses];

export type GetCompanyData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what happens to the call. One of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up.
         */
        'X-Sandbox-Scenario'?: string;
    };
    path: {
        /**
         * The company: `cmp_…`
         */
        company_id: string;
    };
    query?: never;
    url: '/v1/who-is-searching/companies/{company_id}';
};

export type GetCompanyResponses = {
    /**
     * Look up a company.
     */
    200: GetCompanyResponse;
};

export type GetCompanyAnswer = GetCompanyResponses[keyof GetCompanyResponses];

export type GetAccountData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account';
};

export type GetAccountResponses = {
    /**
     * Account info and balance.
     */
    200: Account;
};

export type GetAccountAnswer = GetAccountResponses[keyof GetAccountResponses];

export type GetOverviewData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/overview';
};

export type GetOverviewResponses = {
    /**
     * Account, usage, subscription and add-ons at a glance.
     */
    200: Overview;
};

export type GetOverviewAnswer = GetOverviewResponses[keyof GetOverviewResponses];

export type GetForecastData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/forecast';
};

export type GetForecastResponses = {
    /**
     * When the credits run out.
     */
    200: Forecast;
};

export type GetForecastAnswer = GetForecastResponses[keyof GetForecastResponses];

export type GetAttentionData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/attention';
};

export type GetAttentionResponses = {
    /**
     * What needs attention now.
     */
    200: GetAttentionAnswer;
};

export type GetAttentionAnswer2 = GetAttentionResponses[keyof GetAttentionResponses];

export type GetCreditsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/credits';
};

export type GetCreditsResponses = {
    /**
     * Current credit balance.
     */
    200: Credits;
};

export type GetCreditsAnswer = GetCreditsResponses[keyof GetCreditsResponses];

export type ListCreditLotsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
    };
    url: '/v1/account/credits/lots';
};

export type ListCreditLotsResponses = {
    /**
     * Credits by expiry.
     */
    200: CreditLotPage;
};

export type ListCreditLotsAnswer = ListCreditLotsResponses[keyof ListCreditLotsResponses];

export type ListLedgerEntriesData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
        /**
         * The range begins at this instant.
         */
        from?: string;
        /**
         * The range ends before this instant.
         */
        to?: string;
        /**
         * Only entries of this kind.
         */
        kind?: 'grant' | 'purchase' | 'allowance' | 'charge' | 'refund' | 'expiry' | 'adjustment' | 'clawback' | 'reinstatement';
        /**
         * Only the charge of this request, and its refund.
         */
        request_id?: string;
    };
    url: '/v1/account/credits/ledger';
};

export type ListLedgerEntriesResponses = {
    /**
     * Ledger of the account, newest entry first.
     */
    200: LedgerEntryPage;
};

export type ListLedgerEntriesAnswer = ListLedgerEntriesResponses[keyof ListLedgerEntriesResponses];

export type GetAccountBudgetsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/budgets';
};

export type GetAccountBudgetsResponses = {
    /**
     * Budgets of the account: what all its calls together may spend.
     */
    200: GetAccountBudgets;
};

export type GetAccountBudgetsAnswer = GetAccountBudgetsResponses[keyof GetAccountBudgetsResponses];

export type ChangeAccountBudgetsData = {
    /**
     * A JSON object with `budgets`.
     */
    body: ChangeAccountBudgetsRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/budgets';
};

export type ChangeAccountBudgetsResponses = {
    /**
     * Replace the budgets of the account.
     */
    200: ChangeAccountBudgets;
};

export type ChangeAccountBudgetsAnswer = ChangeAccountBudgetsResponses[keyof ChangeAccountBudgetsResponses];

export type ListExternalIdsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
        /**
         * A part of the external id, whatever its case.
         */
        q?: string;
    };
    url: '/v1/account/external-ids';
};

export type ListExternalIdsResponses = {
    /**
     * External ids of the keys of the account, with the budgets that such keys share.
     */
    200: ExternalIdPage;
};

export type ListExternalIdsAnswer = ListExternalIdsResponses[keyof ListExternalIdsResponses];

export type GetExternalIdData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * The team, customer or agent that has the key: keys with the same one share budgets. No part of it between slashes is `.` or `..`, also not as `%2e`: in a path, that would lead elsewhere.
         */
        external_id: string;
    };
    query?: never;
    url: '/v1/account/external-ids/{external_id}';
};

export type GetExternalIdResponses = {
    /**
     * One external id, with its keys, budgets and credits of this month.
     */
    200: ExternalId;
};

export type GetExternalIdAnswer = GetExternalIdResponses[keyof GetExternalIdResponses];

export type ChangeExternalIdBudgetsData = {
    /**
     * A JSON object with `budgets`.
     */
    body: ChangeExternalIdBudgetsRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * The team, customer or agent that has the key: keys with the same one share budgets. No part of it between slashes is `.` or `..`, also not as `%2e`: in a path, that would lead elsewhere.
         */
        external_id: string;
    };
    query?: never;
    url: '/v1/account/external-ids/{external_id}/budgets';
};

export type ChangeExternalIdBudgetsResponses = {
    /**
     * Replace the budgets that all keys with an external id share.
     */
    200: ExternalId;
};

export type ChangeExternalIdBudgetsAnswer = ChangeExternalIdBudgetsResponses[keyof ChangeExternalIdBudgetsResponses];

export type ResetKeyBudgetData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `key_…`
         */
        key_id: string;
        /**
         * The period of the budget.
         */
        period: 'day' | 'week' | 'month' | 'total';
    };
    query?: never;
    url: '/v1/account/keys/{key_id}/budgets/{period}/reset';
};

export type ResetKeyBudgetResponses = {
    /**
     * Reset a key's budget.
     */
    200: ApiKey;
};

export type ResetKeyBudgetAnswer = ResetKeyBudgetResponses[keyof ResetKeyBudgetResponses];

export type ListPlansData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/billing/plans';
};

export type ListPlansResponses = {
    /**
     * Plans on sale, and the plan of the account.
     */
    200: PlanList;
};

export type ListPlansAnswer = ListPlansResponses[keyof ListPlansResponses];

export type PreviewPlanData = {
    /**
     * A JSON object with `tier`, which may have `when`.
     */
    body: PreviewPlanRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/subscription/preview';
};

export type PreviewPlanResponses = {
    /**
     * Show what another plan would cost.
     */
    200: PlanPreview;
};

export type PreviewPlanAnswer = PreviewPlanResponses[keyof PreviewPlanResponses];

export type ChangePlanData = {
    /**
     * A JSON object with `tier`, which may have `when` and `quote_id`.
     */
    body: ChangePlanRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/subscription';
};

export type ChangePlanResponses = {
    /**
     * Start a subscription, or change its plan.
     */
    200: PlanChange;
};

export type ChangePlanAnswer = ChangePlanResponses[keyof ChangePlanResponses];

export type CancelSubscriptionData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/subscription/cancel';
};

export type CancelSubscriptionResponses = {
    /**
     * Cancel the subscription at the end of its period.
     */
    200: Subscription;
};

export type CancelSubscriptionAnswer = CancelSubscriptionResponses[keyof CancelSubscriptionResponses];

export type ResumeSubscriptionData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/subscription/resume';
};

export type ResumeSubscriptionResponses = {
    /**
     * Resume a subscription that is scheduled to be cancelled.
     */
    200: Subscription;
};

export type ResumeSubscriptionAnswer = ResumeSubscriptionResponses[keyof ResumeSubscriptionResponses];

export type GetAddonsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/addons';
};

export type GetAddonsResponses = {
    /**
     * Mass Mail and Rank Tracking entitlements.
     */
    200: Addons;
};

export type GetAddonsAnswer = GetAddonsResponses[keyof GetAddonsResponses];

export type CancelMassMailData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/addons/mass-mail/cancel';
};

export type CancelMassMailResponses = {
    /**
     * Cancel Mass Mail at the end of its period.
     */
    200: Addons;
};

export type CancelMassMailAnswer = CancelMassMailResponses[keyof CancelMassMailResponses];

export type ListTrackedKeywordsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
    };
    url: '/v1/account/addons/rank-tracking/keywords';
};

export type ListTrackedKeywordsResponses = {
    /**
     * Tracked keywords, newest first.
     */
    200: TrackedKeywordPage;
};

export type ListTrackedKeywordsAnswer = ListTrackedKeywordsResponses[keyof ListTrackedKeywordsResponses];

export type TrackKeywordData = {
    /**
     * A JSON object with `keyword` and `domain`, which may have `country` and `device`.
     */
    body: TrackKeywordRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/addons/rank-tracking/keywords';
};

export type TrackKeywordResponses = {
    /**
     * Track a keyword.
     */
    201: TrackedKeyword;
};

export type TrackKeywordAnswer = TrackKeywordResponses[keyof TrackKeywordResponses];

export type UntrackKeywordData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `kw_…`
         */
        keyword_id: string;
    };
    query?: never;
    url: '/v1/account/addons/rank-tracking/keywords/{keyword_id}';
};

export type UntrackKeywordResponses = {
    /**
     * Stop tracking a keyword.
     */
    200: TrackedKeyword;
};

export type UntrackKeywordAnswer = UntrackKeywordResponses[keyof UntrackKeywordResponses];

export type QuoteCallsData = {
    /**
     * A JSON object with `calls`.
     */
    body: QuoteCallsRequest;
    path?: never;
    query?: never;
    url: '/v1/quotes';
};

export type QuoteCallsResponses = {
    /**
     * Show what calls would cost, and whether they would succeed.
     */
    200: QuoteCallsAnswer;
};

export type QuoteCallsAnswer2 = QuoteCallsResponses[keyof QuoteCallsResponses];

export type GetBillingData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/billing';
};

export type GetBillingResponses = {
    /**
     * Balance, usage, packages, auto-recharge and recent ledger entries.
     */
    200: Billing;
};

export type GetBillingAnswer = GetBillingResponses[keyof GetBillingResponses];

export type ConfigureAutoRechargeData = {
    /**
     * A JSON object, which may have `enabled`, `threshold_credits`, `package_id` and `monthly_cap_cents`.
     */
    body: ConfigureAutoRechargeRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/auto-recharge';
};

export type ConfigureAutoRechargeResponses = {
    /**
     * Change how credits are bought when they run low.
     */
    200: AutoRecharge;
};

export type ConfigureAutoRechargeAnswer = ConfigureAutoRechargeResponses[keyof ConfigureAutoRechargeResponses];

export type ReceivePaymentNotificationData = {
    /**
     * The message that the provider has signed, byte for byte.
     */
    body: {
        [key: string]: unknown;
    };
    headers?: {
        /**
         * The signature of the provider that the path names: `<provider>-Signature`.
         */
        'Stripe-Signature'?: string;
    };
    path: {
        /**
         * The name of the provider.
         */
        provider: string;
    };
    query?: never;
    url: '/v1/billing/notifications/{provider}';
};

export type ReceivePaymentNotificationResponses = {
    /**
     * Receive a notification of a payment provider.
     */
    200: PaymentNotificationReceipt;
};

export type ReceivePaymentNotificationAnswer = ReceivePaymentNotificationResponses[keyof ReceivePaymentNotificationResponses];

export type ListInvoicesData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
    };
    url: '/v1/billing/invoices';
};

export type ListInvoicesResponses = {
    /**
     * Invoices of the account, newest first.
     */
    200: InvoicePage;
};

export type ListInvoicesAnswer = ListInvoicesResponses[keyof ListInvoicesResponses];

export type GetInvoiceData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `inv_…`
         */
        invoice_id: string;
    };
    query?: never;
    url: '/v1/billing/invoices/{invoice_id}';
};

export type GetInvoiceResponses = {
    /**
     * One invoice.
     */
    200: Invoice;
};

export type GetInvoiceAnswer = GetInvoiceResponses[keyof GetInvoiceResponses];

export type GetInvoicePdfData = {
    body?: never;
    path: {
        /**
         * `inv_…`
         */
        invoice_id: string;
    };
    query?: never;
    url: '/v1/billing/invoices/{invoice_id}.pdf';
};

export type GetInvoicePdfResponses = {
    /**
     * One invoice as a PDF.
     */
    200: Blob | File;
};

export type GetInvoicePdfAnswer = GetInvoicePdfResponses[keyof GetInvoicePdfResponses];

export type GetBillingDetailsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/billing/details';
};

export type GetBillingDetailsResponses = {
    /**
     * The recipient of invoices.
     */
    200: BillingDetails;
};

export type GetBillingDetailsAnswer = GetBillingDetailsResponses[keyof GetBillingDetailsResponses];

export type ChangeBillingDetailsData = {
    /**
     * A JSON object with `name`, `address` and `country`, which may have `tax_id` and `purchase_order`.
     */
    body: ChangeBillingDetailsRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/billing/details';
};

export type ChangeBillingDetailsResponses = {
    /**
     * Change the recipient of invoices.
     */
    200: BillingDetails;
};

export type ChangeBillingDetailsAnswer = ChangeBillingDetailsResponses[keyof ChangeBillingDetailsResponses];

export type CheckoutData = {
    /**
     * A JSON object with `package_id`, which may have `payment_method`, `return_url` and `client_reference_id`.
     */
    body: CheckoutRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/billing/checkout';
};

export type CheckoutResponses = {
    /**
     * Buy a credit package.
     */
    201: Checkout;
};

export type CheckoutAnswer = CheckoutResponses[keyof CheckoutResponses];

export type PreviewCheckoutData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query: {
        /**
         * `pack_…`
         */
        package_id: string;
    };
    url: '/v1/billing/checkout/preview';
};

export type PreviewCheckoutResponses = {
    /**
     * What a package costs, with tax.
     */
    200: CheckoutPreview;
};

export type PreviewCheckoutAnswer = PreviewCheckoutResponses[keyof PreviewCheckoutResponses];

export type ListPaymentsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
    };
    url: '/v1/billing/payments';
};

export type ListPaymentsResponses = {
    /**
     * Payments of the account, newest first.
     */
    200: PastPaymentPage;
};

export type ListPaymentsAnswer = ListPaymentsResponses[keyof ListPaymentsResponses];

export type GetPaymentData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `pay_…`
         */
        payment_id: string;
    };
    query?: never;
    url: '/v1/billing/payments/{payment_id}';
};

export type GetPaymentResponses = {
    /**
     * One payment.
     */
    200: PastPayment;
};

export type GetPaymentAnswer = GetPaymentResponses[keyof GetPaymentResponses];

export type GetNextRechargeData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/billing/next-recharge';
};

export type GetNextRechargeResponses = {
    /**
     * What auto-recharge would do next.
     */
    200: NextRecharge;
};

export type GetNextRechargeAnswer = GetNextRechargeResponses[keyof GetNextRechargeResponses];

export type ListCheckoutsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
    };
    url: '/v1/billing/checkouts';
};

export type ListCheckoutsResponses = {
    /**
     * Checkouts of the account, newest first.
     */
    200: CheckoutPage;
};

export type ListCheckoutsAnswer = ListCheckoutsResponses[keyof ListCheckoutsResponses];

export type GetCheckoutData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `pay_…`
         */
        checkout_id: string;
    };
    query?: never;
    url: '/v1/billing/checkouts/{checkout_id}';
};

export type GetCheckoutResponses = {
    /**
     * One checkout.
     */
    200: Checkout;
};

export type GetCheckoutAnswer = GetCheckoutResponses[keyof GetCheckoutResponses];

export type ListPaymentMethodsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
    };
    url: '/v1/billing/payment-methods';
};

export type ListPaymentMethodsResponses = {
    /**
     * Stored payment methods, newest first.
     */
    200: PaymentMethodPage;
};

export type ListPaymentMethodsAnswer = ListPaymentMethodsResponses[keyof ListPaymentMethodsResponses];

export type DeletePaymentMethodData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `pm_…`
         */
        payment_method_id: string;
    };
    query?: never;
    url: '/v1/billing/payment-methods/{payment_method_id}';
};

export type DeletePaymentMethodResponses = {
    /**
     * Remove a stored payment method.
     */
    200: PaymentMethod;
};

export type DeletePaymentMethodAnswer = DeletePaymentMethodResponses[keyof DeletePaymentMethodResponses];

export type GetPaymentMethodData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `pm_…`
         */
        payment_method_id: string;
    };
    query?: never;
    url: '/v1/billing/payment-methods/{payment_method_id}';
};

export type GetPaymentMethodResponses = {
    /**
     * One stored payment method.
     */
    200: PaymentMethod;
};

export type GetPaymentMethodAnswer = GetPaymentMethodResponses[keyof GetPaymentMethodResponses];

export type SetDefaultPaymentMethodData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `pm_…`
         */
        payment_method_id: string;
    };
    query?: never;
    url: '/v1/billing/payment-methods/{payment_method_id}/default';
};

export type SetDefaultPaymentMethodResponses = {
    /**
     * Use a payment method for recharges and renewals.
     */
    200: PaymentMethod;
};

export type SetDefaultPaymentMethodAnswer = SetDefaultPaymentMethodResponses[keyof SetDefaultPaymentMethodResponses];

export type FollowReturnLinkData = {
    body?: never;
    path?: never;
    query: {
        /**
         * `pay_…`
         */
        checkout_id: string;
        /**
         * The end of the link: Unix seconds.
         */
        expires: string;
        /**
         * The gateway's signature over the other two values.
         */
        signature: string;
    };
    url: '/billing/return';
};

export type FollowReturnLinkResponses = {
    /**
     * The page to which a payer comes back.
     */
    200: string;
};

export type FollowReturnLinkAnswer = FollowReturnLinkResponses[keyof FollowReturnLinkResponses];

export type GetReturnStatusData = {
    body?: never;
    path?: never;
    query: {
        /**
         * `pay_…`
         */
        checkout_id: string;
        /**
         * The end of the link: Unix seconds.
         */
        expires: string;
        /**
         * The gateway's signature over the other two values.
         */
        signature: string;
    };
    url: '/billing/return/status';
};

export type GetReturnStatusResponses = {
    /**
     * The state of the payment that a return link is about.
     */
    200: ReturnStatus;
};

export type GetReturnStatusAnswer = GetReturnStatusResponses[keyof GetReturnStatusResponses];

export type ShowSimulatedPaymentData = {
    body?: never;
    path?: never;
    query: {
        /**
         * `pay_…`
         */
        payment_id: string;
        /**
         * The signature in the address of the page.
         */
        signature: string;
    };
    url: '/billing/simulated';
};

export type ShowSimulatedPaymentResponses = {
    /**
     * The page of a payment at the simulated provider.
     */
    200: string;
};

export type ShowSimulatedPaymentAnswer = ShowSimulatedPaymentResponses[keyof ShowSimulatedPaymentResponses];

export type DecideSimulatedPaymentData = {
    /**
     * A form with `choice`, which may have `card`.
     */
    body: DecideSimulatedPaymentRequest;
    path?: never;
    query: {
        /**
         * `pay_…`
         */
        payment_id: string;
        /**
         * The signature in the address of the page.
         */
        signature: string;
    };
    url: '/billing/simulated';
};

export type DecideSimulatedPaymentResponses = {
    /**
     * Pay, decline, confirm or let money come back at the simulated provider.
     */
    200: string;
};

export type DecideSimulatedPaymentAnswer = DecideSimulatedPaymentResponses[keyof DecideSimulatedPaymentResponses];

export type ListApiKeysData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
        /**
         * A part of the name, the prefix or the last four characters, whatever its case.
         */
        q?: string;
        /**
         * Each key is in exactly one of these: `active` keys are accepted, `disabled` ones would be if they were enabled.
         */
        status?: 'active' | 'disabled' | 'revoked' | 'expired';
        /**
         * The team, customer or agent that has the key: keys with the same one share budgets. No part of it between slashes is `.` or `..`, also not as `%2e`: in a path, that would lead elsewhere.
         */
        external_id?: string;
    };
    url: '/v1/account/keys';
};

export type ListApiKeysResponses = {
    /**
     * API keys of the account, newest first.
     */
    200: ApiKeyPage;
};

export type ListApiKeysAnswer = ListApiKeysResponses[keyof ListApiKeysResponses];

export type IssueApiKeyData = {
    /**
     * A JSON object with `name`, which may have `scopes`, `ip_allowlist`, `expires_at`, `metadata`, `budgets` and `external_id`.
     */
    body: KeyCreateRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/keys';
};

export type IssueApiKeyResponses = {
    /**
     * Issue an API key; its plaintext is shown this once.
     */
    201: IssuedApiKey;
};

export type IssueApiKeyAnswer = IssueApiKeyResponses[keyof IssueApiKeyResponses];

export type GetCurrentApiKeyData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/keys/current';
};

export type GetCurrentApiKeyResponses = {
    /**
     * The calling API key itself, and all budgets that its calls must fit into.
     */
    200: GetCurrentApiKey;
};

export type GetCurrentApiKeyAnswer = GetCurrentApiKeyResponses[keyof GetCurrentApiKeyResponses];

export type RevokeOwnApiKeyData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `key_…`
         */
        key_id: string;
    };
    query?: never;
    url: '/v1/account/keys/{key_id}';
};

export type RevokeOwnApiKeyResponses = {
    /**
     * Revoke an API key.
     */
    200: ApiKey;
};

export type RevokeOwnApiKeyAnswer = RevokeOwnApiKeyResponses[keyof RevokeOwnApiKeyResponses];

export type GetApiKeyData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `key_…`
         */
        key_id: string;
    };
    query?: never;
    url: '/v1/account/keys/{key_id}';
};

export type GetApiKeyResponses = {
    /**
     * One API key.
     */
    200: ApiKey;
};

export type GetApiKeyAnswer = GetApiKeyResponses[keyof GetApiKeyResponses];

export type ChangeApiKeyData = {
    /**
     * A JSON object, which may have `name`, `scopes`, `ip_allowlist`, `expires_at`, `metadata`, `budgets`, `external_id` and `enabled`. Without a body it is `{}`.
     */
    body?: ChangeApiKeyRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `key_…`
         */
        key_id: string;
    };
    query?: never;
    url: '/v1/account/keys/{key_id}';
};

export type ChangeApiKeyResponses = {
    /**
     * Change an API key: its name, scopes, limits, budgets or notes.
     */
    200: ApiKey;
};

export type ChangeApiKeyAnswer = ChangeApiKeyResponses[keyof ChangeApiKeyResponses];

export type UndoDisableApiKeyData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `key_…`
         */
        key_id: string;
    };
    query?: never;
    url: '/v1/account/keys/{key_id}/undo-disable';
};

export type UndoDisableApiKeyResponses = {
    /**
     * Enable a key again that this session has just disabled.
     */
    200: ApiKey;
};

export type UndoDisableApiKeyAnswer = UndoDisableApiKeyResponses[keyof UndoDisableApiKeyResponses];

export type RotateApiKeyData = {
    /**
     * A JSON object, which may have `grace_seconds`. Without a body it is `{}`.
     */
    body?: RotateApiKeyRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * The former key: `key_…`
         */
        key_id: string;
    };
    query?: never;
    url: '/v1/account/keys/{key_id}/rotate';
};

export type RotateApiKeyResponses = {
    /**
     * Replace an API key; the plaintext of the new one is shown this once.
     */
    201: IssuedApiKey;
};

export type RotateApiKeyAnswer = RotateApiKeyResponses[keyof RotateApiKeyResponses];

export type GetSandboxData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/sandbox';
};

export type GetSandboxResponses = {
    /**
     * The sandbox key, and how the sandbox is used.
     */
    200: SandboxState;
};

export type GetSandboxAnswer = GetSandboxResponses[keyof GetSandboxResponses];

export type ResetSandboxData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/sandbox/reset';
};

export type ResetSandboxResponses = {
    /**
     * Revoke all sandbox keys and issue one; its plaintext is shown this once.
     */
    200: SandboxReset;
};

export type ResetSandboxAnswer = ResetSandboxResponses[keyof ResetSandboxResponses];

export type EndOtherSessionsData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/sessions';
};

export type EndOtherSessionsResponses = {
    /**
     * Sign other browsers out.
     */
    200: EndedSessions;
};

export type EndOtherSessionsAnswer = EndOtherSessionsResponses[keyof EndOtherSessionsResponses];

export type ListSessionsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
    };
    url: '/v1/account/sessions';
};

export type ListSessionsResponses = {
    /**
     * Browsers that are signed in, newest first.
     */
    200: SessionPage;
};

export type ListSessionsAnswer = ListSessionsResponses[keyof ListSessionsResponses];

export type OpenProvenSessionData = {
    /**
     * A JSON object, which may have `portal_token`, `handover_code` and `invitation_token`.
     */
    body: OpenProvenSessionRequest;
    path?: never;
    query?: never;
    url: '/v1/account/sessions';
};

export type OpenProvenSessionResponses = {
    /**
     * Sign a browser in with a portal link, a handover or an invitation.
     */
    201: OpenedSession;
};

export type OpenProvenSessionAnswer = OpenProvenSessionResponses[keyof OpenProvenSessionResponses];

export type GetCurrentSessionData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/sessions/current';
};

export type GetCurrentSessionResponses = {
    /**
     * The calling session itself.
     */
    200: CurrentSession;
};

export type GetCurrentSessionAnswer = GetCurrentSessionResponses[keyof GetCurrentSessionResponses];

export type EndOneSessionData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `ses_…`
         */
        session_id: string;
    };
    query?: never;
    url: '/v1/account/sessions/{session_id}';
};

export type EndOneSessionResponses = {
    /**
     * Sign a browser out.
     */
    200: EndedSessions;
};

export type EndOneSessionAnswer = EndOneSessionResponses[keyof EndOneSessionResponses];

export type GetSessionData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `ses_…`
         */
        session_id: string;
    };
    query?: never;
    url: '/v1/account/sessions/{session_id}';
};

export type GetSessionResponses = {
    /**
     * One browser that is signed in.
     */
    200: Session;
};

export type GetSessionAnswer = GetSessionResponses[keyof GetSessionResponses];

export type ListMembersData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
    };
    url: '/v1/account/members';
};

export type ListMembersResponses = {
    /**
     * Members of the account and invitations, newest first.
     */
    200: MemberPage;
};

export type ListMembersAnswer = ListMembersResponses[keyof ListMembersResponses];

export type InviteMemberData = {
    /**
     * A JSON object with `email` and `role`.
     */
    body: InviteMemberRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/members';
};

export type InviteMemberResponses = {
    /**
     * Invite a person to the account.
     */
    201: InvitedMember;
};

export type InviteMemberAnswer = InviteMemberResponses[keyof InviteMemberResponses];

export type ChangeMyselfData = {
    /**
     * A JSON object, which may have `name` and `email`. Without a body it is `{}`.
     */
    body?: ChangeMyselfRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/members/me';
};

export type ChangeMyselfResponses = {
    /**
     * Change the own name or address.
     */
    200: Member;
};

export type ChangeMyselfAnswer = ChangeMyselfResponses[keyof ChangeMyselfResponses];

export type ConfirmMyAddressData = {
    /**
     * A JSON object with `token`.
     */
    body: ConfirmMyAddressRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/members/me/email';
};

export type ConfirmMyAddressResponses = {
    /**
     * Confirm the own address by the link of its mail.
     */
    200: Member;
};

export type ConfirmMyAddressAnswer = ConfirmMyAddressResponses[keyof ConfirmMyAddressResponses];

export type RemoveMemberData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `mem_…`
         */
        member_id: string;
    };
    query: {
        /**
         * What becomes of the keys that the member has issued.
         */
        keys: 'revoke' | 'keep';
    };
    url: '/v1/account/members/{member_id}';
};

export type RemoveMemberResponses = {
    /**
     * Remove a member or an invitation.
     */
    200: Member;
};

export type RemoveMemberAnswer = RemoveMemberResponses[keyof RemoveMemberResponses];

export type ChangeMemberData = {
    /**
     * A JSON object with `role`.
     */
    body: ChangeMemberRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `mem_…`
         */
        member_id: string;
    };
    query?: never;
    url: '/v1/account/members/{member_id}';
};

export type ChangeMemberResponses = {
    /**
     * Change the role of a member or an invitation.
     */
    200: Member;
};

export type ChangeMemberAnswer = ChangeMemberResponses[keyof ChangeMemberResponses];

export type ResendInvitationData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `mem_…`
         */
        member_id: string;
    };
    query?: never;
    url: '/v1/account/members/{member_id}/resend';
};

export type ResendInvitationResponses = {
    /**
     * Send an invitation again.
     */
    201: InvitedMember;
};

export type ResendInvitationAnswer = ResendInvitationResponses[keyof ResendInvitationResponses];

export type ListPasskeysData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/members/me/passkeys';
};

export type ListPasskeysResponses = {
    /**
     * The own passkeys.
     */
    200: PasskeyList;
};

export type ListPasskeysAnswer = ListPasskeysResponses[keyof ListPasskeysResponses];

export type AddPasskeyData = {
    /**
     * A JSON object with `name` and `credential`.
     */
    body: AddPasskeyRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/members/me/passkeys';
};

export type AddPasskeyResponses = {
    /**
     * Add a passkey.
     */
    201: Passkey;
};

export type AddPasskeyAnswer = AddPasskeyResponses[keyof AddPasskeyResponses];

export type BeginAddingPasskeyData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/members/me/passkeys/options';
};

export type BeginAddingPasskeyResponses = {
    /**
     * Begin to add a passkey.
     */
    200: PasskeyRequest;
};

export type BeginAddingPasskeyAnswer = BeginAddingPasskeyResponses[keyof BeginAddingPasskeyResponses];

export type RemovePasskeyData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `psk_…`
         */
        passkey_id: string;
    };
    query?: never;
    url: '/v1/account/members/me/passkeys/{passkey_id}';
};

export type RemovePasskeyResponses = {
    /**
     * Remove a passkey.
     */
    200: RemovedPasskey;
    /**
     * Remove a passkey.
     */
    202: RemovedPasskey;
};

export type RemovePasskeyAnswer = RemovePasskeyResponses[keyof RemovePasskeyResponses];

export type BeginPasskeySignInData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/v1/account/sessions/passkey/options';
};

export type BeginPasskeySignInResponses = {
    /**
     * Begin to sign in with a passkey.
     */
    200: PasskeyRequest;
};

export type BeginPasskeySignInAnswer = BeginPasskeySignInResponses[keyof BeginPasskeySignInResponses];

export type SignInWithPasskeyData = {
    /**
     * A JSON object, which may have `credential` and `account_id`.
     */
    body: SignInWithPasskeyRequest;
    path?: never;
    query?: never;
    url: '/v1/account/sessions/passkey';
};

export type SignInWithPasskeyResponses = {
    /**
     * Sign a browser in with a passkey.
     */
    200: PasskeySignIn;
};

export type SignInWithPasskeyAnswer = SignInWithPasskeyResponses[keyof SignInWithPasskeyResponses];

export type BeginPasskeyProofData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/sessions/current/passkey/options';
};

export type BeginPasskeyProofResponses = {
    /**
     * Begin to prove the session with a passkey.
     */
    200: PasskeyRequest;
};

export type BeginPasskeyProofAnswer = BeginPasskeyProofResponses[keyof BeginPasskeyProofResponses];

export type ProveWithPasskeyData = {
    /**
     * A JSON object with `credential`.
     */
    body: ProveWithPasskeyRequest;
    path?: never;
    query?: never;
    url: '/v1/account/sessions/current/passkey';
};

export type ProveWithPasskeyResponses = {
    /**
     * Prove the session with a passkey.
     */
    200: OpenedSession;
};

export type ProveWithPasskeyAnswer = ProveWithPasskeyResponses[keyof ProveWithPasskeyResponses];

export type GetSignInSettingData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/sign-in';
};

export type GetSignInSettingResponses = {
    /**
     * How members sign in.
     */
    200: SignInSetting;
};

export type GetSignInSettingAnswer = GetSignInSettingResponses[keyof GetSignInSettingResponses];

export type ChangeSignInSettingData = {
    /**
     * A JSON object with `passkey_only`.
     */
    body: ChangeSignInSettingRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/sign-in';
};

export type ChangeSignInSettingResponses = {
    /**
     * Decide how members sign in.
     */
    200: SignInSetting;
};

export type ChangeSignInSettingAnswer = ChangeSignInSettingResponses[keyof ChangeSignInSettingResponses];

export type ListUsageLogData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
        /**
         * The span of time begins at this instant.
         */
        from?: string;
        /**
         * The span of time ends before this instant.
         */
        to?: string;
        /**
         * Only requests to this service group.
         */
        service?: 'contacts' | 'promote' | 'seo' | 'markets' | 'campaigns' | 'cloud' | 'reviews' | 'who-is-searching' | 'account' | 'keys' | 'usage' | 'billing' | 'oauth';
        /**
         * Only answers with a status of this class.
         */
        status_class?: '1xx' | '2xx' | '3xx' | '4xx' | '5xx';
        /**
         * Only this request.
         */
        request_id?: string;
        /**
         * Only requests that cost at least so many credits.
         */
        min_credits?: number;
        /**
         * Only requests with this API key.
         */
        key_id?: string;
        /**
         * Only requests with an access token of this app.
         */
        client_id?: string;
        /**
         * Only requests whose key had this external id at that time.
         */
        external_id?: string;
        /**
         * Only requests that sent this in `X-End-User`.
         */
        end_user?: string;
        /**
         * Only requests of these sources, with commas between them; all without it. A product call of a session counts as `key`.
         */
        source?: string;
        /**
         * Only requests to this endpoint: a method and a route with its placeholders, as sums by endpoint name it, such as `GET /v1/contacts/{contact_id}`.
         */
        endpoint?: string;
        /**
         * Only requests that failed with this code.
         */
        error_code?: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'PAYMENT_DECLINED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'ACCOUNT_SUSPENDED' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT';
        /**
         * Whether entries say who has called and why a request failed: `key_id`, `source`, `error_code` and so on.
         */
        extended?: boolean;
    };
    url: '/v1/account/usage/log';
};

export type ListUsageLogResponses = {
    /**
     * Requests of the account, newest first.
     */
    200: UsageLogPage;
};

export type ListUsageLogAnswer = ListUsageLogResponses[keyof ListUsageLogResponses];

export type SummarizeUsageData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * The first interval contains this instant and is counted whole. By default it is a day before `to`, or 30 days for longer intervals.
         */
        from?: string;
        /**
         * The last interval contains the instant just before this one and is counted whole. By default it is now.
         */
        to?: string;
        /**
         * The length of an interval.
         */
        interval?: 'hour' | 'day';
        /**
         * The property by which the requests of an interval are grouped.
         */
        group_by?: 'service' | 'endpoint' | 'key' | 'client' | 'external_id';
        /**
         * Only requests to this service group.
         */
        service?: 'contacts' | 'promote' | 'seo' | 'markets' | 'campaigns' | 'cloud' | 'reviews' | 'who-is-searching' | 'account' | 'keys' | 'usage' | 'billing' | 'oauth';
        /**
         * Only answers with a status of this class.
         */
        status_class?: '1xx' | '2xx' | '3xx' | '4xx' | '5xx';
        /**
         * Only requests with this API key.
         */
        key_id?: string;
        /**
         * Only requests with an access token of this app.
         */
        client_id?: string;
        /**
         * Only requests whose key had this external id at that time.
         */
        external_id?: string;
    };
    url: '/v1/account/usage/summary';
};

export type SummarizeUsageResponses = {
    /**
     * Requests, credits, success and latency by hour or day.
     */
    200: UsageSeries;
};

export type SummarizeUsageAnswer = SummarizeUsageResponses[keyof SummarizeUsageResponses];

export type ListUsageErrorsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Only requests at this instant or later; by default 7 days before the end.
         */
        from?: string;
        /**
         * Only requests before this instant; by default now.
         */
        to?: string;
        /**
         * Only requests to this service group.
         */
        service?: 'contacts' | 'promote' | 'seo' | 'markets' | 'campaigns' | 'cloud' | 'reviews' | 'who-is-searching' | 'account' | 'keys' | 'usage' | 'billing' | 'oauth';
        /**
         * Only answers with a status of this class.
         */
        status_class?: '4xx' | '5xx';
        /**
         * Only requests with this API key.
         */
        key_id?: string;
        /**
         * Only requests with an access token of this app.
         */
        client_id?: string;
        /**
         * Only requests whose key had this external id at that time.
         */
        external_id?: string;
        /**
         * Only requests that failed with this code.
         */
        error_code?: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'PAYMENT_DECLINED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'ACCOUNT_SUSPENDED' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT';
        /**
         * Whether requests with different codes are in different groups, which have `error_code` and `error_message`.
         */
        extended?: boolean;
    };
    url: '/v1/account/usage/errors';
};

export type ListUsageErrorsResponses = {
    /**
     * Failed requests of the account, grouped by endpoint and status.
     */
    200: UsageErrors;
};

export type ListUsageErrorsAnswer = ListUsageErrorsResponses[keyof ListUsageErrorsResponses];

export type ListAuditEventsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
        /**
         * Only what occurred at this instant or later.
         */
        from?: string;
        /**
         * Only what occurred before this instant.
         */
        to?: string;
        /**
         * The id of an actor; `internal` stands for any internal tool.
         */
        actor?: string;
        /**
         * The name of an action, such as `subscription.cancel`.
         */
        action?: string & string;
        /**
         * The id of the object of the action.
         */
        resource_id?: string;
        /**
         * `succeeded`, or the code of an error.
         */
        result?: string & string;
    };
    url: '/v1/account/audit/events';
};

export type ListAuditEventsResponses = {
    /**
     * Changes of the account and refused attempts, newest first.
     */
    200: AuditEventPage;
};

export type ListAuditEventsAnswer = ListAuditEventsResponses[keyof ListAuditEventsResponses];

export type ListAuditExportsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/audit/export';
};

export type ListAuditExportsResponses = {
    /**
     * Exports of the account, newest first: the latest 200.
     */
    200: Array<AuditExportJob>;
};

export type ListAuditExportsAnswer = ListAuditExportsResponses[keyof ListAuditExportsResponses];

export type CreateAuditExportData = {
    /**
     * A JSON object, which may have `from`, `to`, `kind`, `service`, `status_class`, `actor`, `key_id`, `client_id`, `external_id`, `end_user`, `source`, `error_code` and `extended`. Without a body, or with `null`, it is `{}`.
     */
    body?: AuditExportRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/audit/export';
};

export type CreateAuditExportResponses = {
    /**
     * Begin an export of the audit trail, or of the usage log, as CSV.
     */
    202: AuditExportJob;
};

export type CreateAuditExportAnswer = CreateAuditExportResponses[keyof CreateAuditExportResponses];

export type GetAuditExportData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `exp_…`
         */
        job_id: string;
    };
    query?: never;
    url: '/v1/account/audit/export/{job_id}';
};

export type GetAuditExportResponses = {
    /**
     * How far an export is, and a new link to its result.
     */
    200: AuditExportJob;
};

export type GetAuditExportAnswer = GetAuditExportResponses[keyof GetAuditExportResponses];

export type RepeatAuditExportData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `exp_…`
         */
        job_id: string;
    };
    query?: never;
    url: '/v1/account/audit/export/{job_id}/re-export';
};

export type RepeatAuditExportResponses = {
    /**
     * Begin another export with the filters of an earlier one.
     */
    200: AuditExportJob;
};

export type RepeatAuditExportAnswer = RepeatAuditExportResponses[keyof RepeatAuditExportResponses];

export type FollowAuditExportLinkData = {
    body?: never;
    path: {
        /**
         * `exp_…`
         */
        job_id: string;
    };
    query: {
        /**
         * The expiry of the link: Unix seconds.
         */
        expires: string;
        /**
         * The value in the link.
         */
        signature: string;
    };
    url: '/v1/account/audit/export/{job_id}/result';
};

export type FollowAuditExportLinkResponses = {
    /**
     * The CSV of an export, for everybody who has its link.
     */
    200: string;
};

export type FollowAuditExportLinkAnswer = FollowAuditExportLinkResponses[keyof FollowAuditExportLinkResponses];

export type ListWebhookEndpointsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
    };
    url: '/v1/account/webhooks';
};

export type ListWebhookEndpointsResponses = {
    /**
     * Webhook endpoints of the account, newest first.
     */
    200: WebhookEndpointPage;
};

export type ListWebhookEndpointsAnswer = ListWebhookEndpointsResponses[keyof ListWebhookEndpointsResponses];

export type CreateWebhookEndpointData = {
    /**
     * A JSON object with `url`, which may have `events` and `description`.
     */
    body: CreateWebhookEndpointRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/webhooks';
};

export type CreateWebhookEndpointResponses = {
    /**
     * Create a webhook endpoint; the secret that signs its messages is shown only once.
     */
    201: CreatedWebhookEndpoint;
};

export type CreateWebhookEndpointAnswer = CreateWebhookEndpointResponses[keyof CreateWebhookEndpointResponses];

export type DeleteWebhookEndpointData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `whe_…`
         */
        endpoint_id: string;
    };
    query?: never;
    url: '/v1/account/webhooks/{endpoint_id}';
};

export type DeleteWebhookEndpointResponses = {
    /**
     * Delete a webhook endpoint, with its unsent messages.
     */
    200: WebhookEndpoint;
};

export type DeleteWebhookEndpointAnswer = DeleteWebhookEndpointResponses[keyof DeleteWebhookEndpointResponses];

export type ChangeWebhookEndpointData = {
    /**
     * A JSON object, which may have `url`, `events`, `description` and `status`. Without a body it is `{}`.
     */
    body?: ChangeWebhookEndpointRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `whe_…`
         */
        endpoint_id: string;
    };
    query?: never;
    url: '/v1/account/webhooks/{endpoint_id}';
};

export type ChangeWebhookEndpointResponses = {
    /**
     * Change, enable or disable a webhook endpoint.
     */
    200: WebhookEndpoint;
};

export type ChangeWebhookEndpointAnswer = ChangeWebhookEndpointResponses[keyof ChangeWebhookEndpointResponses];

export type RotateWebhookSecretData = {
    /**
     * A JSON object, which may have `overlap_seconds`. Without a body it is `{}`.
     */
    body?: RotateWebhookSecretRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `whe_…`
         */
        endpoint_id: string;
    };
    query?: never;
    url: '/v1/account/webhooks/{endpoint_id}/rotate';
};

export type RotateWebhookSecretResponses = {
    /**
     * Replace the secret of a webhook endpoint; the new one is shown only once.
     */
    200: RotatedWebhookEndpoint;
};

export type RotateWebhookSecretAnswer = RotateWebhookSecretResponses[keyof RotateWebhookSecretResponses];

export type TestWebhookEndpointData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `whe_…`
         */
        endpoint_id: string;
    };
    query?: never;
    url: '/v1/account/webhooks/{endpoint_id}/test';
};

export type TestWebhookEndpointResponses = {
    /**
     * Send a test event to a webhook endpoint.
     */
    202: WebhookDelivery;
};

export type TestWebhookEndpointAnswer = TestWebhookEndpointResponses[keyof TestWebhookEndpointResponses];

export type ListWebhookDeliveriesData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `whe_…`
         */
        endpoint_id: string;
    };
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
        /**
         * Only deliveries of this status.
         */
        status?: 'pending' | 'succeeded' | 'failed';
        /**
         * Only deliveries of events of this type.
         */
        event_type?: 'credits.low' | 'credits.expiring' | 'budget.threshold' | 'credits.exhausted' | 'credits.granted' | 'auto_recharge.succeeded' | 'auto_recharge.failed' | 'auto_recharge.suspended' | 'subscription.started' | 'subscription.changed' | 'subscription.change_scheduled' | 'subscription.change_failed' | 'subscription.cancel_scheduled' | 'subscription.resumed' | 'subscription.canceled' | 'subscription.renewed' | 'addon.cancel_scheduled' | 'addon.canceled' | 'invoice.created' | 'invoice.paid' | 'credit_note.created' | 'payment.refunded' | 'payment.disputed' | 'payment.dispute_closed' | 'payment.action_required' | 'key.created' | 'key.rotated' | 'key.revoked' | 'member.joined' | 'member.role_changed' | 'member.removed' | 'sandbox.reset' | 'oauth_app.created' | 'oauth_app.suspended' | 'consent.granted' | 'consent.revoked' | 'audit_export.completed' | 'audit_export.failed' | 'webhook_endpoint.disabled' | 'webhook.test';
    };
    url: '/v1/account/webhooks/{endpoint_id}/deliveries';
};

export type ListWebhookDeliveriesResponses = {
    /**
     * Deliveries to a webhook endpoint, past and planned, newest first.
     */
    200: WebhookDeliveryPage;
};

export type ListWebhookDeliveriesAnswer = ListWebhookDeliveriesResponses[keyof ListWebhookDeliveriesResponses];

export type GetWebhookDeliveryData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `whe_…`
         */
        endpoint_id: string;
        /**
         * `whd_…`
         */
        delivery_id: string;
    };
    query?: never;
    url: '/v1/account/webhooks/{endpoint_id}/deliveries/{delivery_id}';
};

export type GetWebhookDeliveryResponses = {
    /**
     * One delivery to a webhook endpoint.
     */
    200: WebhookDelivery;
};

export type GetWebhookDeliveryAnswer = GetWebhookDeliveryResponses[keyof GetWebhookDeliveryResponses];

export type GetWebhookEventData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `evt_…`
         */
        event_id: string;
    };
    query?: never;
    url: '/v1/account/webhook-events/{event_id}';
};

export type GetWebhookEventResponses = {
    /**
     * An event, and its deliveries.
     */
    200: WebhookEvent;
};

export type GetWebhookEventAnswer = GetWebhookEventResponses[keyof GetWebhookEventResponses];

export type ResendWebhookDeliveryData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `whd_…`
         */
        delivery_id: string;
    };
    query?: never;
    url: '/v1/account/webhooks/deliveries/{delivery_id}/resend';
};

export type ResendWebhookDeliveryResponses = {
    /**
     * Send an event to a webhook endpoint again.
     */
    202: WebhookDelivery;
};

export type ResendWebhookDeliveryAnswer = ResendWebhookDeliveryResponses[keyof ResendWebhookDeliveryResponses];

export type ResendWebhookDeliveriesData = {
    /**
     * A JSON object with `from` and `to`, which may have `status`.
     */
    body: ResendWebhookDeliveriesRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `whe_…`
         */
        endpoint_id: string;
    };
    query?: never;
    url: '/v1/account/webhooks/{endpoint_id}/resend';
};

export type ResendWebhookDeliveriesResponses = {
    /**
     * Send the events of a span of time to a webhook endpoint again.
     */
    202: ResentWebhookDeliveries;
};

export type ResendWebhookDeliveriesAnswer = ResendWebhookDeliveriesResponses[keyof ResendWebhookDeliveriesResponses];

export type ListWebhookEventTypesData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/webhooks/event-types';
};

export type ListWebhookEventTypesResponses = {
    /**
     * Types of events that webhooks send, with an example of each.
     */
    200: WebhookEventTypeList;
};

export type ListWebhookEventTypesAnswer = ListWebhookEventTypesResponses[keyof ListWebhookEventTypesResponses];

export type GetNotificationsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/notifications';
};

export type GetNotificationsResponses = {
    /**
     * Addresses that get mails, and the kinds of events in them.
     */
    200: NotificationSettings;
};

export type GetNotificationsAnswer = GetNotificationsResponses[keyof GetNotificationsResponses];

export type ChangeNotificationsData = {
    /**
     * A JSON object with `emails` and `kinds`.
     */
    body: ChangeNotificationsRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/notifications';
};

export type ChangeNotificationsResponses = {
    /**
     * Choose which addresses get mails about which kinds of events.
     */
    200: NotificationSettings;
};

export type ChangeNotificationsAnswer = ChangeNotificationsResponses[keyof ChangeNotificationsResponses];

export type FollowConfirmationLinkData = {
    body?: never;
    path?: never;
    query: {
        /**
         * The value in the link.
         */
        token: string;
    };
    url: '/v1/account/notifications/confirm';
};

export type FollowConfirmationLinkResponses = {
    /**
     * The page behind the link that a new address gets.
     */
    200: string;
};

export type FollowConfirmationLinkAnswer = FollowConfirmationLinkResponses[keyof FollowConfirmationLinkResponses];

export type ConfirmNotificationEmailData = {
    body?: never;
    path?: never;
    query: {
        /**
         * The value in the link.
         */
        token: string;
    };
    url: '/v1/account/notifications/confirm';
};

export type ConfirmNotificationEmailResponses = {
    /**
     * Confirm an address for notifications.
     */
    200: string;
};

export type ConfirmNotificationEmailAnswer = ConfirmNotificationEmailResponses[keyof ConfirmNotificationEmailResponses];

export type FollowUnsubscribeLinkData = {
    body?: never;
    path?: never;
    query: {
        /**
         * The value in the link.
         */
        token: string;
    };
    url: '/v1/account/notifications/unsubscribe';
};

export type FollowUnsubscribeLinkResponses = {
    /**
     * The page behind the link that ends notifications.
     */
    200: string;
};

export type FollowUnsubscribeLinkAnswer = FollowUnsubscribeLinkResponses[keyof FollowUnsubscribeLinkResponses];

export type RemoveNotificationEmailData = {
    body?: never;
    path?: never;
    query: {
        /**
         * The value in the link.
         */
        token: string;
    };
    url: '/v1/account/notifications/unsubscribe';
};

export type RemoveNotificationEmailResponses = {
    /**
     * End the notifications to an address, also by one click in a mail program.
     */
    200: string;
};

export type RemoveNotificationEmailAnswer = RemoveNotificationEmailResponses[keyof RemoveNotificationEmailResponses];

export type GetJwksData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/v1/.well-known/jwks.json';
};

export type GetJwksResponses = {
    /**
     * OAuth signing keys.
     */
    200: Jwks;
};

export type GetJwksAnswer = GetJwksResponses[keyof GetJwksResponses];

export type GetOpenidConfigurationData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/v1/.well-known/openid-configuration';
};

export type GetOpenidConfigurationResponses = {
    /**
     * OpenID Connect discovery document.
     */
    200: OpenidConfiguration;
};

export type GetOpenidConfigurationAnswer = GetOpenidConfigurationResponses[keyof GetOpenidConfigurationResponses];

export type GetOauthAuthorizationServerData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/.well-known/oauth-authorization-server/v1';
};

export type GetOauthAuthorizationServerResponses = {
    /**
     * The discovery document, where OAuth clients look for it.
     */
    200: OpenidConfiguration;
};

export type GetOauthAuthorizationServerAnswer = GetOauthAuthorizationServerResponses[keyof GetOauthAuthorizationServerResponses];

export type GetSignInPreviewData = {
    /**
     * A JSON object, which may have `portal_token`, `handover_code` and `invitation_token`.
     */
    body: GetSignInPreviewRequest;
    path?: never;
    query?: never;
    url: '/v1/account/sessions/preview';
};

export type GetSignInPreviewResponses = {
    /**
     * Say whom a portal link, a handover or an invitation would sign in.
     */
    200: SignInPreview;
};

export type GetSignInPreviewAnswer = GetSignInPreviewResponses[keyof GetSignInPreviewResponses];

export type AskForMailData = {
    /**
     * A JSON object with `email`.
     */
    body: AskForMailRequest;
    path?: never;
    query?: never;
    url: '/v1/account/sessions/mail/request';
};

export type AskForMailResponses = {
    /**
     * Ask for a mail to sign in.
     */
    202: AskedMail;
};

export type AskForMailAnswer = AskForMailResponses[keyof AskForMailResponses];

export type SignInByMailData = {
    /**
     * A JSON object, which may have `mail_token`, `mail_code` and `account_id`.
     */
    body: SignInByMailRequest;
    path?: never;
    query?: never;
    url: '/v1/account/sessions/mail';
};

export type SignInByMailResponses = {
    /**
     * Sign a browser in with the link or the code of a mail.
     */
    200: MailSignIn;
};

export type SignInByMailAnswer = SignInByMailResponses[keyof SignInByMailResponses];

export type CreateHandoverData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/v1/account/sessions/handover';
};

export type CreateHandoverResponses = {
    /**
     * Lead the browser to the other listener, signed in.
     */
    201: CreatedHandover;
};

export type CreateHandoverAnswer = CreateHandoverResponses[keyof CreateHandoverResponses];

export type AuthorizeData = {
    body?: never;
    path?: never;
    query: {
        /**
         * `app_…`; an empty value counts as absent and is refused.
         */
        client_id: string;
        /**
         * The redirect URI, exactly as it was registered. An empty value counts as absent and is refused.
         */
        redirect_uri: string;
        /**
         * `code`, which is the default.
         */
        response_type?: string;
        /**
         * `query`, which is the default.
         */
        response_mode?: string;
        /**
         * The scopes, with single spaces between them.
         */
        scope?: string;
        /**
         * Returned unchanged with the answer.
         */
        state?: string;
        /**
         * Repeated in the id token.
         */
        nonce?: string;
        /**
         * RFC 7636 §4.2.
         */
        code_challenge?: string;
        /**
         * `S256`; it has no default.
         */
        code_challenge_method?: string;
        /**
         * `none`, or several of the other values.
         */
        prompt?: string;
        /**
         * The most seconds since the owner signed in.
         */
        max_age?: string;
        /**
         * RFC 8707: the identifier of this API; no other is accepted.
         */
        resource?: string;
        /**
         * Not supported: the request is refused if it is present.
         */
        request?: string;
        /**
         * Not supported: the request is refused if it is present.
         */
        request_uri?: string;
        /**
         * Not supported: the request is refused if it is present.
         */
        registration?: string;
        /**
         * The token of the answer before this request, if the app has asked for a sign-in of its own.
         */
        continue_token?: string;
    };
    url: '/v1/oauth/authorize';
};

export type AuthorizeResponses = {
    /**
     * Show what an app asks of an account holder; changes nothing.
     */
    200: AuthorizationScreen;
};

export type AuthorizeAnswer = AuthorizeResponses[keyof AuthorizeResponses];

export type ConsentData = {
    /**
     * The consent page sends this form. The query may have its fields too.
     */
    body?: ConsentRequest;
    path?: never;
    query: {
        /**
         * `app_…`; an empty value counts as absent and is refused.
         */
        client_id: string;
        /**
         * The redirect URI, exactly as it was registered. An empty value counts as absent and is refused.
         */
        redirect_uri: string;
        /**
         * `code`, which is the default.
         */
        response_type?: string;
        /**
         * `query`, which is the default.
         */
        response_mode?: string;
        /**
         * The scopes, with single spaces between them.
         */
        scope?: string;
        /**
         * Returned unchanged with the answer.
         */
        state?: string;
        /**
         * Repeated in the id token.
         */
        nonce?: string;
        /**
         * RFC 7636 §4.2.
         */
        code_challenge?: string;
        /**
         * `S256`; it has no default.
         */
        code_challenge_method?: string;
        /**
         * `none`, or several of the other values.
         */
        prompt?: string;
        /**
         * The most seconds since the owner signed in.
         */
        max_age?: string;
        /**
         * RFC 8707: the identifier of this API; no other is accepted.
         */
        resource?: string;
        /**
         * Not supported: the request is refused if it is present.
         */
        request?: string;
        /**
         * Not supported: the request is refused if it is present.
         */
        request_uri?: string;
        /**
         * Not supported: the request is refused if it is present.
         */
        registration?: string;
        /**
         * For a browser: the consent token of the screen.
         */
        consent_token?: string;
        /**
         * The budgets of the app: each a period (day, week, month or total) and credits, separated by commas. Without any, the budgets of the consent stay as they are. A denial ignores them.
         */
        budgets?: string;
        /**
         * Whether the owner gives the app its scopes.
         */
        decision?: 'allow' | 'deny' | '';
    };
    url: '/v1/oauth/consent';
};

export type ConsentResponses = {
    /**
     * Approve or deny what an app asks; only this operation makes authorization codes.
     */
    200: ConsentOutcome;
};

export type ConsentAnswer = ConsentResponses[keyof ConsentResponses];

export type TokenData = {
    /**
     * A form with `grant_type`, which may have `code`, `redirect_uri`, `code_verifier`, `refresh_token`, `scope` and `resource`.
     */
    body: TokenRequest;
    path?: never;
    query?: never;
    url: '/v1/oauth/token';
};

export type TokenResponses = {
    /**
     * Exchange a code or a refresh token for tokens.
     */
    200: TokenResponse;
};

export type TokenAnswer = TokenResponses[keyof TokenResponses];

export type RevokeData = {
    /**
     * A form with `token`.
     */
    body: RevokeRequest;
    path?: never;
    query?: never;
    url: '/v1/oauth/revoke';
};

export type RevokeResponses = {
    /**
     * End a token of the app (RFC 7009).
     */
    200: RevokeAnswer;
};

export type RevokeAnswer2 = RevokeResponses[keyof RevokeResponses];

export type IntrospectData = {
    /**
     * A form with `token`.
     */
    body: IntrospectRequest;
    path?: never;
    query?: never;
    url: '/v1/oauth/introspect';
};

export type IntrospectResponses = {
    /**
     * Show whether a token of the app is valid (RFC 7662).
     */
    200: Introspection;
};

export type IntrospectAnswer = IntrospectResponses[keyof IntrospectResponses];

export type EndSessionData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/v1/oauth/session';
};

export type EndSessionResponses = {
    /**
     * Sign the browser out.
     */
    200: EndSessionAnswer;
};

export type EndSessionAnswer2 = EndSessionResponses[keyof EndSessionResponses];

export type OpenSessionData = {
    /**
     * Empty; or the form of the sign-in page.
     */
    body?: OpenSessionRequest;
    path?: never;
    query?: never;
    url: '/v1/oauth/session';
};

export type OpenSessionResponses = {
    /**
     * Sign a browser in with an API key.
     */
    201: OpenedSession;
};

export type OpenSessionAnswer = OpenSessionResponses[keyof OpenSessionResponses];

export type ListAppsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
    };
    url: '/v1/oauth/apps';
};

export type ListAppsResponses = {
    /**
     * OAuth apps of the account, newest first.
     */
    200: OAuthAppPage;
};

export type ListAppsAnswer = ListAppsResponses[keyof ListAppsResponses];

export type RegisterAppData = {
    /**
     * A JSON object with `client_name` and `redirect_uris`, which may have `application_type`, `token_endpoint_auth_method`, `grant_types`, `response_types`, `scope`, `require_pkce`, `logo_uri`, `client_uri`, `policy_uri` and `tos_uri`.
     */
    body: CreateOAuthAppRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/oauth/apps';
};

export type RegisterAppResponses = {
    /**
     * Register an OAuth app; its secret is shown this once.
     */
    201: RegisteredOAuthApp;
};

export type RegisterAppAnswer = RegisterAppResponses[keyof RegisterAppResponses];

export type SuspendAppData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `app_…`
         */
        client_id: string;
    };
    query?: never;
    url: '/v1/oauth/apps/{client_id}';
};

export type SuspendAppResponses = {
    /**
     * Suspend an OAuth app, with all that was granted to it.
     */
    200: OAuthApp;
};

export type SuspendAppAnswer = SuspendAppResponses[keyof SuspendAppResponses];

export type GetAppData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `app_…`
         */
        client_id: string;
    };
    query?: never;
    url: '/v1/oauth/apps/{client_id}';
};

export type GetAppResponses = {
    /**
     * One OAuth app of the account.
     */
    200: OAuthApp;
};

export type GetAppAnswer = GetAppResponses[keyof GetAppResponses];

export type ChangeAppData = {
    /**
     * A JSON object, which may have `client_name`, `redirect_uris`, `scope`, `logo_uri`, `client_uri`, `policy_uri` and `tos_uri`. Without a body it is `{}`.
     */
    body?: ChangeAppRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `app_…`
         */
        client_id: string;
    };
    query?: never;
    url: '/v1/oauth/apps/{client_id}';
};

export type ChangeAppResponses = {
    /**
     * Change an OAuth app: its name, redirect URIs, scopes or links.
     */
    200: OAuthApp;
};

export type ChangeAppAnswer = ChangeAppResponses[keyof ChangeAppResponses];

export type RotateAppSecretData = {
    /**
     * A JSON object, which may have `overlap_seconds`. Without a body it is `{}`.
     */
    body?: RotateAppSecretRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `app_…`
         */
        client_id: string;
    };
    query?: never;
    url: '/v1/oauth/apps/{client_id}/rotate';
};

export type RotateAppSecretResponses = {
    /**
     * Replace the secret of an OAuth app; the new one is shown this once.
     */
    200: RotatedOAuthApp;
};

export type RotateAppSecretAnswer = RotateAppSecretResponses[keyof RotateAppSecretResponses];

export type ListAppOwnersData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `app_…`
         */
        client_id: string;
    };
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
    };
    url: '/v1/oauth/apps/{client_id}/owners';
};

export type ListAppOwnersResponses = {
    /**
     * Accounts that have approved an OAuth app, with what it spent, newest first.
     */
    200: AppOwnerPage;
};

export type ListAppOwnersAnswer = ListAppOwnersResponses[keyof ListAppOwnersResponses];

export type ListConsentsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Page size.
         */
        limit?: number;
        /**
         * The `next_cursor` of the previous page; left out for the first page.
         */
        cursor?: string;
    };
    url: '/v1/oauth/consents';
};

export type ListConsentsResponses = {
    /**
     * Consents of the account to OAuth apps, newest first.
     */
    200: GrantedConsentPage;
};

export type ListConsentsAnswer = ListConsentsResponses[keyof ListConsentsResponses];

export type WithdrawConsentData = {
    body?: never;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * The app: `app_…`
         */
        client_id: string;
    };
    query?: never;
    url: '/v1/oauth/consents/{client_id}';
};

export type WithdrawConsentResponses = {
    /**
     * Withdraw what the account has granted to an OAuth app.
     */
    200: GrantedConsent;
};

export type WithdrawConsentAnswer = WithdrawConsentResponses[keyof WithdrawConsentResponses];

export type ChangeConsentData = {
    /**
     * A JSON object, which may have `budgets`. Without a body it is `{}`.
     */
    body?: ChangeConsentRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * The app: `app_…`
         */
        client_id: string;
    };
    query?: never;
    url: '/v1/oauth/consents/{client_id}';
};

export type ChangeConsentResponses = {
    /**
     * Change what an OAuth app may spend.
     */
    200: GrantedConsent;
};

export type ChangeConsentAnswer = ChangeConsentResponses[keyof ChangeConsentResponses];

export type GetUserinfoData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/oauth/userinfo';
};

export type GetUserinfoResponses = {
    /**
     * Claims about the account holder.
     */
    200: Userinfo;
};

export type GetUserinfoAnswer = GetUserinfoResponses[keyof GetUserinfoResponses];

export type PostUserinfoData = {
    /**
     * The access token, where it is not in the header.
     */
    body?: {
        /**
         * The access token.
         */
        access_token?: string;
    };
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/oauth/userinfo';
};

export type PostUserinfoResponses = {
    /**
     * Claims about the account holder.
     */
    200: Userinfo;
};

export type PostUserinfoAnswer = PostUserinfoResponses[keyof PostUserinfoResponses];

export type GetProtectedResourceData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/.well-known/oauth-protected-resource/mcp';
};

export type GetProtectedResourceResponses = {
    /**
     * Where agents get tokens for the tools, and for which scopes.
     */
    200: ProtectedResource;
};

export type GetProtectedResourceAnswer = GetProtectedResourceResponses[keyof GetProtectedResourceResponses];

export type RegisterItselfData = {
    /**
     * A JSON object, which may have `client_name`, `redirect_uris`, `grant_types`, `response_types` and `scope`. Without a body it is `{}`.
     */
    body?: RegisterItselfRequest;
    path?: never;
    query?: never;
    url: '/v1/oauth/register';
};

export type RegisterItselfResponses = {
    /**
     * Register an app that describes itself (RFC 7591).
     */
    201: RegisterItself;
};

export type RegisterItselfAnswer = RegisterItselfResponses[keyof RegisterItselfResponses];

export type GetAgentSettingsData = {
    body?: never;
    headers?: {
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/agents';
};

export type GetAgentSettingsResponses = {
    /**
     * What the account permits agents.
     */
    200: AgentSettings;
};

export type GetAgentSettingsAnswer = GetAgentSettingsResponses[keyof GetAgentSettingsResponses];

export type ChangeAgentSettingsData = {
    /**
     * A JSON object with `allow_unverified_apps`.
     */
    body: ChangeAgentSettingsRequest;
    headers?: {
        /**
         * The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/agents';
};

export type ChangeAgentSettingsResponses = {
    /**
     * Choose whether apps that nobody has verified may ask for approval.
     */
    200: AgentSettings;
};

export type ChangeAgentSettingsAnswer = ChangeAgentSettingsResponses[keyof ChangeAgentSettingsResponses];

export type GetHealthData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * 1 asks each service too, for one second at most.
         */
        backends?: 0 | 1;
    };
    url: '/v1/health';
};

export type GetHealthResponses = {
    /**
     * Whether the gateway lives.
     */
    200: Health;
};

export type GetHealthAnswer = GetHealthResponses[keyof GetHealthResponses];

export type GetReadinessData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/v1/ready';
};

export type GetReadinessResponses = {
    /**
     * Whether the gateway can serve requests.
     */
    200: Readiness;
};

export type GetReadinessAnswer = GetReadinessResponses[keyof GetReadinessResponses];

export type GetOpenapiData = {
    body?: never;
    headers?: {
        /**
         * The `ETag` of the state that is known.
         */
        'If-None-Match'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/openapi.json';
};

export type GetOpenapiResponses = {
    /**
     * This document.
     */
    200: OpenApiDocument;
};

export type GetOpenapiAnswer = GetOpenapiResponses[keyof GetOpenapiResponses];

/**
 * The event, as it was signed.
 */
export type OnCreditsLowWebhookPayload = CreditsLowEvent;

export type OnCreditsLowWebhookRequest = {
    body: OnCreditsLowWebhookPayload;
    key: 'credits.low';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnCreditsExpiringWebhookPayload = CreditsExpiringEvent;

export type OnCreditsExpiringWebhookRequest = {
    body: OnCreditsExpiringWebhookPayload;
    key: 'credits.expiring';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnBudgetThresholdWebhookPayload = BudgetThresholdEvent;

export type OnBudgetThresholdWebhookRequest = {
    body: OnBudgetThresholdWebhookPayload;
    key: 'budget.threshold';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnCreditsExhaustedWebhookPayload = CreditsExhaustedEvent;

export type OnCreditsExhaustedWebhookRequest = {
    body: OnCreditsExhaustedWebhookPayload;
    key: 'credits.exhausted';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnCreditsGrantedWebhookPayload = CreditsGrantedEvent;

export type OnCreditsGrantedWebhookRequest = {
    body: OnCreditsGrantedWebhookPayload;
    key: 'credits.granted';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnAutoRechargeSucceededWebhookPayload = AutoRechargeSucceededEvent;

export type OnAutoRechargeSucceededWebhookRequest = {
    body: OnAutoRechargeSucceededWebhookPayload;
    key: 'auto_recharge.succeeded';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnAutoRechargeFailedWebhookPayload = AutoRechargeFailedEvent;

export type OnAutoRechargeFailedWebhookRequest = {
    body: OnAutoRechargeFailedWebhookPayload;
    key: 'auto_recharge.failed';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnAutoRechargeSuspendedWebhookPayload = AutoRechargeSuspendedEvent;

export type OnAutoRechargeSuspendedWebhookRequest = {
    body: OnAutoRechargeSuspendedWebhookPayload;
    key: 'auto_recharge.suspended';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnSubscriptionStartedWebhookPayload = SubscriptionStartedEvent;

export type OnSubscriptionStartedWebhookRequest = {
    body: OnSubscriptionStartedWebhookPayload;
    key: 'subscription.started';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnSubscriptionChangedWebhookPayload = SubscriptionChangedEvent;

export type OnSubscriptionChangedWebhookRequest = {
    body: OnSubscriptionChangedWebhookPayload;
    key: 'subscription.changed';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnSubscriptionChangeScheduledWebhookPayload = SubscriptionChangeScheduledEvent;

export type OnSubscriptionChangeScheduledWebhookRequest = {
    body: OnSubscriptionChangeScheduledWebhookPayload;
    key: 'subscription.change_scheduled';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnSubscriptionChangeFailedWebhookPayload = SubscriptionChangeFailedEvent;

export type OnSubscriptionChangeFailedWebhookRequest = {
    body: OnSubscriptionChangeFailedWebhookPayload;
    key: 'subscription.change_failed';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnSubscriptionCancelScheduledWebhookPayload = SubscriptionCancelScheduledEvent;

export type OnSubscriptionCancelScheduledWebhookRequest = {
    body: OnSubscriptionCancelScheduledWebhookPayload;
    key: 'subscription.cancel_scheduled';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnSubscriptionResumedWebhookPayload = SubscriptionResumedEvent;

export type OnSubscriptionResumedWebhookRequest = {
    body: OnSubscriptionResumedWebhookPayload;
    key: 'subscription.resumed';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnSubscriptionCanceledWebhookPayload = SubscriptionCanceledEvent;

export type OnSubscriptionCanceledWebhookRequest = {
    body: OnSubscriptionCanceledWebhookPayload;
    key: 'subscription.canceled';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnSubscriptionRenewedWebhookPayload = SubscriptionRenewedEvent;

export type OnSubscriptionRenewedWebhookRequest = {
    body: OnSubscriptionRenewedWebhookPayload;
    key: 'subscription.renewed';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnAddonCancelScheduledWebhookPayload = AddonCancelScheduledEvent;

export type OnAddonCancelScheduledWebhookRequest = {
    body: OnAddonCancelScheduledWebhookPayload;
    key: 'addon.cancel_scheduled';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnAddonCanceledWebhookPayload = AddonCanceledEvent;

export type OnAddonCanceledWebhookRequest = {
    body: OnAddonCanceledWebhookPayload;
    key: 'addon.canceled';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnInvoiceCreatedWebhookPayload = InvoiceCreatedEvent;

export type OnInvoiceCreatedWebhookRequest = {
    body: OnInvoiceCreatedWebhookPayload;
    key: 'invoice.created';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnInvoicePaidWebhookPayload = InvoicePaidEvent;

export type OnInvoicePaidWebhookRequest = {
    body: OnInvoicePaidWebhookPayload;
    key: 'invoice.paid';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnCreditNoteCreatedWebhookPayload = CreditNoteCreatedEvent;

export type OnCreditNoteCreatedWebhookRequest = {
    body: OnCreditNoteCreatedWebhookPayload;
    key: 'credit_note.created';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnPaymentRefundedWebhookPayload = PaymentRefundedEvent;

export type OnPaymentRefundedWebhookRequest = {
    body: OnPaymentRefundedWebhookPayload;
    key: 'payment.refunded';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnPaymentDisputedWebhookPayload = PaymentDisputedEvent;

export type OnPaymentDisputedWebhookRequest = {
    body: OnPaymentDisputedWebhookPayload;
    key: 'payment.disputed';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnPaymentDisputeClosedWebhookPayload = PaymentDisputeClosedEvent;

export type OnPaymentDisputeClosedWebhookRequest = {
    body: OnPaymentDisputeClosedWebhookPayload;
    key: 'payment.dispute_closed';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnPaymentActionRequiredWebhookPayload = PaymentActionRequiredEvent;

export type OnPaymentActionRequiredWebhookRequest = {
    body: OnPaymentActionRequiredWebhookPayload;
    key: 'payment.action_required';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnKeyCreatedWebhookPayload = KeyCreatedEvent;

export type OnKeyCreatedWebhookRequest = {
    body: OnKeyCreatedWebhookPayload;
    key: 'key.created';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnKeyRotatedWebhookPayload = KeyRotatedEvent;

export type OnKeyRotatedWebhookRequest = {
    body: OnKeyRotatedWebhookPayload;
    key: 'key.rotated';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnKeyRevokedWebhookPayload = KeyRevokedEvent;

export type OnKeyRevokedWebhookRequest = {
    body: OnKeyRevokedWebhookPayload;
    key: 'key.revoked';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnMemberJoinedWebhookPayload = MemberJoinedEvent;

export type OnMemberJoinedWebhookRequest = {
    body: OnMemberJoinedWebhookPayload;
    key: 'member.joined';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnMemberRoleChangedWebhookPayload = MemberRoleChangedEvent;

export type OnMemberRoleChangedWebhookRequest = {
    body: OnMemberRoleChangedWebhookPayload;
    key: 'member.role_changed';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnMemberRemovedWebhookPayload = MemberRemovedEvent;

export type OnMemberRemovedWebhookRequest = {
    body: OnMemberRemovedWebhookPayload;
    key: 'member.removed';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnSandboxResetWebhookPayload = SandboxResetEvent;

export type OnSandboxResetWebhookRequest = {
    body: OnSandboxResetWebhookPayload;
    key: 'sandbox.reset';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnOauthAppCreatedWebhookPayload = OauthAppCreatedEvent;

export type OnOauthAppCreatedWebhookRequest = {
    body: OnOauthAppCreatedWebhookPayload;
    key: 'oauth_app.created';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnOauthAppSuspendedWebhookPayload = OauthAppSuspendedEvent;

export type OnOauthAppSuspendedWebhookRequest = {
    body: OnOauthAppSuspendedWebhookPayload;
    key: 'oauth_app.suspended';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnConsentGrantedWebhookPayload = ConsentGrantedEvent;

export type OnConsentGrantedWebhookRequest = {
    body: OnConsentGrantedWebhookPayload;
    key: 'consent.granted';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnConsentRevokedWebhookPayload = ConsentRevokedEvent;

export type OnConsentRevokedWebhookRequest = {
    body: OnConsentRevokedWebhookPayload;
    key: 'consent.revoked';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnAuditExportCompletedWebhookPayload = AuditExportCompletedEvent;

export type OnAuditExportCompletedWebhookRequest = {
    body: OnAuditExportCompletedWebhookPayload;
    key: 'audit_export.completed';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnAuditExportFailedWebhookPayload = AuditExportFailedEvent;

export type OnAuditExportFailedWebhookRequest = {
    body: OnAuditExportFailedWebhookPayload;
    key: 'audit_export.failed';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnWebhookEndpointDisabledWebhookPayload = WebhookEndpointDisabledEvent;

export type OnWebhookEndpointDisabledWebhookRequest = {
    body: OnWebhookEndpointDisabledWebhookPayload;
    key: 'webhook_endpoint.disabled';
    path?: never;
    query?: never;
};

/**
 * The event, as it was signed.
 */
export type OnWebhookTestWebhookPayload = WebhookTestEvent;

export type OnWebhookTestWebhookRequest = {
    body: OnWebhookTestWebhookPayload;
    key: 'webhook.test';
    path?: never;
    query?: never;
};
