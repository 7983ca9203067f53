// Generated from schema/openapi.json by `npm run schema`; changes are lost.

export type ClientOptions = {
    baseUrl: 'http://127.0.0.1:8080' | 'http://127.0.0.1:8081' | (string & {});
};

export type Webhooks = OnCreditsLowWebhookRequest | OnCreditsExpiringWebhookRequest | OnBudgetThresholdWebhookRequest | OnCreditsExhaustedWebhookRequest | OnCreditsGrantedWebhookRequest | OnAutoRechargeSucceededWebhookRequest | OnAutoRechargeFailedWebhookRequest | OnAutoRechargeSuspendedWebhookRequest | OnSubscriptionCancelScheduledWebhookRequest | OnSubscriptionResumedWebhookRequest | OnSubscriptionCanceledWebhookRequest | OnSubscriptionRenewedWebhookRequest | OnAddonCancelScheduledWebhookRequest | OnAddonCanceledWebhookRequest | OnInvoiceCreatedWebhookRequest | OnInvoicePaidWebhookRequest | OnCreditNoteCreatedWebhookRequest | OnPaymentRefundedWebhookRequest | OnPaymentDisputedWebhookRequest | OnPaymentDisputeClosedWebhookRequest | OnPaymentActionRequiredWebhookRequest | OnKeyCreatedWebhookRequest | OnKeyRotatedWebhookRequest | OnKeyRevokedWebhookRequest | OnSandboxResetWebhookRequest | OnOauthAppCreatedWebhookRequest | OnOauthAppSuspendedWebhookRequest | OnConsentGrantedWebhookRequest | OnConsentRevokedWebhookRequest | OnAuditExportCompletedWebhookRequest | OnAuditExportFailedWebhookRequest | OnWebhookEndpointDisabledWebhookRequest | OnWebhookTestWebhookRequest;

/**
 * A customer, as it stands in the environment of the call.
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
     * Where the account holder is reached.
     */
    email: string;
    /**
     * The credit-pack tier.
     */
    tier: Tier;
    /**
     * The hybrid subscription tier, if there is one.
     */
    subscription_tier: SubscriptionTier | null;
    /**
     * Credits: the sum of the ledger, holds included.
     */
    balance: number;
    /**
     * Requests per second: the greater of what both live tiers allow, in both environments.
     */
    rate_limit_rps: number;
    /**
     * The environment these figures belong to.
     */
    environment: Environment;
    /**
     * When the account was opened.
     */
    created_at: string;
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
     * When it happened: ISO 8601, UTC.
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
         * Which add-on.
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
     * When it happened: ISO 8601, UTC.
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
         * Which add-on.
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
 * Where an add-on stands.
 *
 * - `active`: Renews at the end of its period.
 * - `scheduled_to_cancel`: In force until its period ends.
 * - `canceled`: Over.
 * - `inactive`: The account never had it.
 */
export type AddonStatus = 'active' | 'scheduled_to_cancel' | 'canceled' | 'inactive';

/**
 * Extras beside the credits.
 */
export type Addons = {
    /**
     * Sending to many recipients.
     */
    mass_mail: MassMail;
    /**
     * Watching where a domain ranks.
     */
    rank_tracking: RankTracking;
};

/**
 * An API key: everything that may be read again after creation.
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
     * How the plaintext begins, such as `svc_live_`.
     */
    prefix: string;
    /**
     * How the plaintext ends.
     */
    last4: string;
    /**
     * What it may do; `*` is everything.
     */
    scopes: Array<string>;
    /**
     * Addresses and CIDR blocks it may be used from; empty is anywhere.
     */
    ip_allowlist: Array<string>;
    /**
     * Whether it has ended.
     */
    status: ApiKeyStatus;
    /**
     * When it stops being accepted.
     */
    expires_at: string | null;
    /**
     * When it was last accepted.
     */
    last_used_at: string | null;
    /**
     * When it was issued.
     */
    created_at: string;
    /**
     * When it was revoked.
     */
    revoked_at: string | null;
    /**
     * The key that took its place: `key_…`
     */
    replaced_by: string | null;
    /**
     * Whether its owner lets it be used; if not, it is refused like a revoked key.
     */
    enabled: boolean;
    /**
     * Its owner's name of the team, customer or agent that has it.
     */
    external_id: string | null;
    /**
     * Notes of its owner: pairs of text.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * The issuer: a key, `session:` and a person, or `internal:` and the token of a tool; null for a key of an earlier release.
     */
    created_by: string | null;
    /**
     * Its own budgets, by period.
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
     * Opaque; null means the end.
     */
    next_cursor: string | null;
};

/**
 * Only active keys are accepted, while they are enabled.
 *
 * - `active`: Accepted, if it is enabled.
 * - `revoked`: Refused since `revoked_at`.
 * - `expired`: Refused since `expires_at`.
 */
export type ApiKeyStatus = 'active' | 'revoked' | 'expired';

/**
 * Where an app runs: on a server, on a device, or in a browser.
 *
 * - `web`: On a server, which can keep a secret.
 * - `native`: On a device of the user.
 * - `spa`: In a browser.
 */
export type ApplicationType = 'web' | 'native' | 'spa';

/**
 * The kind of actor that made a change.
 *
 * - `key`: An API key; the actor id is `key_…`.
 * - `oauth_client`: An OAuth app, by an access token; the actor id is its client.
 * - `internal`: An internal tool; the actor id is the `jti` of its token, or `cli` on the command line.
 * - `system`: The gateway itself, by a job.
 * - `anonymous`: A client that sent no known credential; the actor id says no more.
 * - `session`: A person whom a portal link has signed in; the actor id is what the link says. A session that a key has opened counts as the key.
 */
export type AuditActorKind = 'key' | 'oauth_client' | 'internal' | 'system' | 'anonymous' | 'session';

/**
 * One change, or the refusal of one: who, what, when, from where.
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
     * The key, token, OAuth client or job.
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
     * Of the client, as far as trusted proxies tell; null for the gateway itself.
     */
    address: string | null;
    /**
     * `req_…`, as in `X-Request-Id`.
     */
    request_id: string | null;
    /**
     * W3C trace id.
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
     * When it reached the audit trail.
     */
    recorded_at: string;
    /**
     * Its number in the chain of its account and environment: 1, 2, 3.
     */
    seq: number;
    /**
     * SHA-256 over the event and the hash before, as it is stored: 64 hexadecimal digits.
     */
    hash: string;
};

/**
 * A page of the audit trail as its account sees it, newest first.
 */
export type AuditEventPage = {
    /**
     * Of internal tools neither the token nor the address is shown.
     */
    items: Array<AuditEvent>;
    /**
     * Null on the last page.
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
     * When it happened: ISO 8601, UTC.
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
         * The audit trail, or the usage log.
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
     * When it happened: ISO 8601, UTC.
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
         * The audit trail, or the usage log.
         */
        kind: 'activity' | 'requests';
        /**
         * Why, in a sentence.
         */
        error: string;
    };
};

/**
 * The filters of an export: it holds all rows that fit every one of them.
 */
export type AuditExportFilters = {
    /**
     * Not earlier than.
     */
    from: string | null;
    /**
     * Earlier than.
     */
    to: string | null;
    /**
     * The audit trail, or the usage log.
     */
    kind: AuditExportKind;
    /**
     * Of requests: only this service group.
     */
    service: string | null;
    /**
     * Of requests: only statuses of this class, `1xx` to `5xx`.
     */
    status_class: string | null;
    /**
     * Of activity: only what this key, app or tool did.
     */
    actor: string | null;
    /**
     * Of requests: only those with this key.
     */
    key_id?: string;
    /**
     * Of requests: only those with a token of this app.
     */
    client_id?: string;
    /**
     * Of requests: only those whose key had this external id at the time.
     */
    external_id?: string;
    /**
     * Of requests: only those that said this in `X-End-User`.
     */
    end_user?: string;
    /**
     * Of requests: only those of these sources, with commas between them.
     */
    source?: string;
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
     * How far it is.
     */
    status: AuditExportStatus;
    /**
     * Its filters.
     */
    filters: AuditExportFilters;
    /**
     * When it was asked for.
     */
    created_at: string;
    /**
     * When a worker first began.
     */
    started_at: string | null;
    /**
     * When it was done, or given up.
     */
    completed_at: string | null;
    /**
     * Rows so far, and in the end; a worker that begins anew counts anew.
     */
    row_count: number | null;
    /**
     * Why it failed.
     */
    error: string | null;
    /**
     * Where to look at it again.
     */
    poll_url: string;
    /**
     * The CSV, for everybody who has this link; null before it is there and once it is deleted.
     */
    result_url: string | null;
    /**
     * Until then the link works.
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
     * Not earlier than.
     */
    from?: string | null;
    /**
     * Earlier than.
     */
    to?: string | null;
    /**
     * The audit trail unless it says otherwise.
     */
    kind?: 'activity' | 'requests' | null;
    /**
     * Of requests: only this service group.
     */
    service?: 'contacts' | 'promote' | 'seo' | 'markets' | 'campaigns' | 'cloud' | 'reviews' | 'who-is-searching' | 'account' | 'keys' | 'usage' | 'billing' | 'oauth' | null;
    /**
     * Only answers with a status of this class.
     */
    status_class?: '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | null;
    /**
     * Of activity: only what this key, app or tool did.
     */
    actor?: string | null;
    /**
     * Of requests: only those with this key.
     */
    key_id?: string | null;
    /**
     * Of requests: only those with a token of this app.
     */
    client_id?: string | null;
    /**
     * Of requests: only those whose key had this external id at the time.
     */
    external_id?: string | null;
    /**
     * Of requests: only those that said this in `X-End-User`.
     */
    end_user?: string | null;
    /**
     * Only requests of these sources, with commas between them; all without it. A product call of a session counts as `key`.
     */
    source?: string | null;
};

/**
 * How far an export is: queued, running, then completed or failed.
 *
 * - `queued`: Waits for a worker.
 * - `running`: A worker writes the file.
 * - `completed`: The file can be fetched.
 * - `failed`: Given up, as `error` says; it can be repeated.
 */
export type AuditExportStatus = 'queued' | 'running' | 'completed' | 'failed';

/**
 * The app that asks, as an owner should see it.
 */
export type AuthorizationClient = {
    /**
     * `app_…`
     */
    client_id: string;
    /**
     * The name that it gives itself.
     */
    name: string;
    /**
     * Its logo; nothing here loads it.
     */
    logo_uri?: string;
    /**
     * Its page.
     */
    client_uri?: string;
    /**
     * Its privacy policy.
     */
    policy_uri?: string;
    /**
     * Its terms of service.
     */
    tos_uri?: string;
    /**
     * Whether somebody here has looked into who it is: nobody has.
     */
    verified: boolean;
    /**
     * Where the answer goes: host, or scheme of an app on a device.
     */
    redirect_host: string;
    /**
     * Whose app it is; shown only to somebody who is known.
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
    code: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT';
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
     * Scopes that nobody knows; they are left out.
     */
    ignored_scope: Array<string>;
    /**
     * Where the answer goes.
     */
    redirect_uri: string;
    /**
     * As it came.
     */
    state?: string;
    /**
     * Whether nobody is known, or signed in too long ago, or not for this request.
     */
    login_required: boolean;
    /**
     * Whether something is asked for that was not let before.
     */
    consent_required: boolean;
    /**
     * With `prompt=none`, which cannot be granted: where the app learns of it.
     */
    redirect_to?: string;
    /**
     * Where the app asks for a sign-in of its own (`prompt=login`, `select_account`, `max_age=0`): to be sent with the sign-in, and with this request when it is asked again.
     */
    continue_token?: string;
    /**
     * For a browser: to be sent with its decision.
     */
    consent_token?: string;
    /**
     * Until when this counts, and with it its tokens; after that, ask again.
     */
    expires_at: string;
};

/**
 * Buys a package whenever credits run low.
 */
export type AutoRecharge = {
    /**
     * Whether it does.
     */
    enabled: boolean;
    /**
     * Fires when fewer credits than this are available.
     */
    threshold_credits: number | null;
    /**
     * The package that is bought: `pack_…`
     */
    package_id: string | null;
    /**
     * The most that it spends in a calendar month (UTC), in cents; null: no limit.
     */
    monthly_cap_cents: number | null;
    /**
     * Its state.
     */
    state: AutoRechargeState;
    /**
     * When it last succeeded.
     */
    last_recharge_at: string | null;
    /**
     * Why it last did not, for people.
     */
    failure_reason: string | null;
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
     * When it happened: ISO 8601, UTC.
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
 * The state of recharging.
 *
 * - `idle`: Nothing is under way.
 * - `pending`: A payment is under way.
 * - `action_required`: A payment waits until the holder of the card confirms it.
 * - `suspended`: Given up, as `failure_reason` says, until it is configured again.
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
     * When it happened: ISO 8601, UTC.
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
 * Recharging failed for good; it has to be set up anew.
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
     * When it happened: ISO 8601, UTC.
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
 * The view of an account holder on money.
 */
export type Billing = {
    /**
     * The sum of the ledger.
     */
    current_balance: number;
    /**
     * The packages for sale.
     */
    credit_packages: Array<CreditPackage>;
    /**
     * How recharging is set up.
     */
    auto_recharge: AutoRecharge;
    /**
     * The 20 newest entries, newest first.
     */
    recent_ledger: Array<LedgerEntry>;
    /**
     * Always empty: see `invoices`.
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
     * Street and number, or a box.
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
     * Empty where the country has none.
     */
    postal_code: string;
    /**
     * State, province or region.
     */
    state: string | null;
};

/**
 * The recipient of invoices. Null: not given yet.
 */
export type BillingDetails = {
    /**
     * The company or person.
     */
    name: string | null;
    /**
     * Where they are.
     */
    address: BillingAddress | null;
    /**
     * ISO 3166 alpha-2.
     */
    country: string | null;
    /**
     * In the EU a VAT id of the country, without spaces.
     */
    tax_id: string | null;
    /**
     * Printed on invoices.
     */
    purchase_order: string | null;
};

/**
 * How much a spender may spend in a period, and what is left of it.
 */
export type Budget = {
    /**
     * The window in which use counts.
     */
    period: BudgetPeriod;
    /**
     * The most credits for each window; at least 1.
     */
    limit_credits: number;
    /**
     * Credits charged in the current window.
     */
    used_credits: number;
    /**
     * Credits that calls under way may still cost.
     */
    held_credits: number;
    /**
     * The credits that are left in the current window; negative after the limit was lowered.
     */
    remaining_credits: number;
    /**
     * When the current window ends and the use starts again at 0; null: never.
     */
    resets_at: string | null;
    /**
     * Whether a call that does not fit is refused. If not, the budget only reports.
     */
    enforce: boolean;
};

/**
 * A budget that does not cover the request.
 */
export type BudgetDetail = {
    /**
     * Whose budget it is.
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
     * Credits that calls under way may still cost.
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
 * Whose a budget is. A call must fit into the budgets of all layers.
 *
 * - `key`: Of the API key, and of all keys that it was rotated from or to.
 * - `consent`: Of the consent to an OAuth app.
 * - `external_id`: Of all keys with the same `external_id`.
 * - `account`: Of the account.
 */
export type BudgetLayer = 'key' | 'consent' | 'external_id' | 'account';

/**
 * How long the use of a budget counts.
 *
 * - `day`: A calendar day in UTC.
 * - `week`: A calendar week in UTC; it begins on Monday.
 * - `month`: A calendar month in UTC.
 * - `total`: All time: it never starts again.
 */
export type BudgetPeriod = 'day' | 'week' | 'month' | 'total';

/**
 * A charge took the use of a budget to 50, 80 or 100 percent: once for each in a window.
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
     * When it happened: ISO 8601, UTC.
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
         * The window in which use counts.
         */
        period: 'day' | 'week' | 'month' | 'total';
        /**
         * 50, 80 or 100.
         */
        threshold_percent: number;
        /**
         * The most for each window.
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
 * A customer, as it stands in the environment of the call.
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
     * At most one of each period. They replace all of before: a period that stays keeps its use, and `[]` removes all.
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
 * The body of the request: change an API key: its name, scopes, limits, budgets or what is noted about it.
 */
export type ChangeApiKeyRequest = {
    /**
     * 1 to 100 characters.
     */
    name?: unknown & unknown;
    /**
     * Neither these nor those before may exceed the scopes of the calling key.
     */
    scopes?: Array<'*' | 'account:read' | 'account:write' | 'billing:read' | 'billing:write' | 'usage:read' | 'audit:read' | 'audit:write' | 'keys:read' | 'keys:write' | 'oauth:read' | 'oauth:write' | 'oauth:consent' | 'webhooks:read' | 'webhooks:write' | 'contacts:read' | 'contacts:write' | 'promote:read' | 'promote:write' | 'seo:read' | 'seo:write' | 'markets:read' | 'markets:write' | 'campaigns:read' | 'campaigns:write' | 'cloud:read' | 'cloud:write' | 'reviews:read' | 'reviews:write' | 'who-is-searching:read' | 'who-is-searching:write'>;
    /**
     * Addresses and CIDR blocks, v4 and v6; neither these nor those before may hold more than those of the calling key.
     */
    ip_allowlist?: Array<string>;
    /**
     * In the future; null: never. Neither this nor that before may be later than the calling key ends.
     */
    expires_at?: string | null;
    /**
     * At most 16 texts of at most 500 characters, with names of 1 to 40 characters. A change replaces all of them.
     */
    metadata?: {
        [key: string]: string;
    };
    /**
     * At most one of each period. A change replaces all of them: a period that stays keeps its use, and `[]` removes all.
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
     * The team, customer or agent that has the key: keys with the same one share budgets.
     */
    external_id?: string | null;
    /**
     * False: refused like a revoked key, until it is true.
     */
    enabled?: boolean;
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
     * Where they are.
     */
    address: {
        /**
         * Street and number, or a box.
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
         * Empty where the country has none.
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
     * In the EU a VAT id of the country. Its check digit is not checked.
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
     * At most one of each period. They replace all of before: a period that stays keeps its use, and `[]` removes all.
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
     * At most one of each period. They replace all of before: a period that stays keeps its use, and `[]` removes all.
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
 * The body of the request: choose which addresses get mails about which kinds of events.
 */
export type ChangeNotificationsRequest = {
    /**
     * At most five, each once without regard to case. A new one gets a link to confirm.
     */
    emails: Array<string>;
    /**
     * The kinds of events that they get.
     */
    kinds: Array<'credits_low' | 'recharge_failed' | 'payment_action_required' | 'payment_refunded' | 'payment_disputed' | 'invoice_paid' | 'budget_threshold' | 'credits_expiring' | 'key_leaked' | 'webhook_disabled' | 'export_ready'>;
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
     * Which types of events; none named means all.
     */
    events?: Array<'credits.low' | 'credits.expiring' | 'budget.threshold' | 'credits.exhausted' | 'credits.granted' | 'auto_recharge.succeeded' | 'auto_recharge.failed' | 'auto_recharge.suspended' | 'subscription.cancel_scheduled' | 'subscription.resumed' | 'subscription.canceled' | 'subscription.renewed' | 'addon.cancel_scheduled' | 'addon.canceled' | 'invoice.created' | 'invoice.paid' | 'credit_note.created' | 'payment.refunded' | 'payment.disputed' | 'payment.dispute_closed' | 'payment.action_required' | 'key.created' | 'key.rotated' | 'key.revoked' | 'sandbox.reset' | 'oauth_app.created' | 'oauth_app.suspended' | 'consent.granted' | 'consent.revoked' | 'audit_export.completed' | 'audit_export.failed' | 'webhook_endpoint.disabled'>;
    /**
     * At most 200 characters; null: none.
     */
    description?: string | null;
    /**
     * Whether anything is sent. Enabled anew, it starts as one that never failed.
     */
    status?: 'enabled' | 'disabled';
};

/**
 * A credit package being bought.
 */
export type Checkout = {
    /**
     * `pay_…`: also the id of the payment.
     */
    id: string;
    /**
     * Only the payment provider makes it paid: coming back from its page does not.
     */
    status: CheckoutStatus;
    /**
     * `pack_…`
     */
    package_id: string;
    /**
     * Credits that come when it is paid.
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
     * ISO 4217.
     */
    currency: string;
    /**
     * The page of the provider where the payer pays or confirms.
     */
    action_url: string | null;
    /**
     * `inv_…`, once it is paid.
     */
    invoice_id: string | null;
    /**
     * Of a failed one, for people.
     */
    failure_reason: string | null;
    /**
     * The caller's own name for it.
     */
    client_reference_id: string | null;
    /**
     * When its page is closed; null without a page.
     */
    expires_at: string | null;
    /**
     * When it was asked for.
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
     * Null at the end.
     */
    next_cursor: string | null;
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
     * The id of a stored one; without it, the payer chooses on a page of the provider.
     */
    payment_method?: string | null;
    /**
     * Where the payer comes back to, with `checkout_id`; our own page unless said.
     */
    return_url?: string | null;
    /**
     * The caller's own name for it.
     */
    client_reference_id?: string | null;
};

/**
 * Where a payment stands.
 *
 * - `requires_action`: The payer has to go to `action_url`.
 * - `pending`: The provider has not decided yet.
 * - `paid`: Collected: the credits are in the ledger.
 * - `failed`: Refused or given up: no credits.
 * - `expired`: The page was closed before it was paid: no credits.
 */
export type CheckoutStatus = 'requires_action' | 'pending' | 'paid' | 'failed' | 'expired';

/**
 * The body of the request: change how credits are bought when they run low.
 */
export type ConfigureAutoRechargeRequest = {
    /**
     * Whether it does.
     */
    enabled?: boolean;
    /**
     * At least 1, at most the package.
     */
    threshold_credits?: number | null;
    /**
     * `pack_…`
     */
    package_id?: string | null;
    /**
     * At least the package’s price.
     */
    monthly_cap_cents?: number | null;
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
     * When it happened: ISO 8601, UTC.
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
     * Where the front end goes next.
     */
    redirect_to?: string;
    /**
     * The authorization code; it works once.
     */
    code?: string;
    /**
     * As it came.
     */
    state?: string;
    /**
     * The issuer (RFC 9207).
     */
    iss?: string;
    /**
     * Seconds for which the code is accepted.
     */
    expires_in?: number;
    /**
     * The granted scopes, separated by spaces.
     */
    granted_scope?: string;
    /**
     * Where nobody is known: how to be.
     */
    login?: LoginHint;
    /**
     * Where nobody is known: who asks.
     */
    client?: ConsentOutcomeClient;
    /**
     * Where nobody is known: what for.
     */
    requested_scope?: Array<RequestedScope>;
};

/**
 * The app that asks, as an owner should see it.
 */
export type ConsentOutcomeClient = {
    /**
     * `app_…`
     */
    client_id: string;
    /**
     * The name that it gives itself.
     */
    name: string;
    /**
     * Its logo; nothing here loads it.
     */
    logo_uri?: string;
    /**
     * Its page.
     */
    client_uri?: string;
    /**
     * Its privacy policy.
     */
    policy_uri?: string;
    /**
     * Its terms of service.
     */
    tos_uri?: string;
    /**
     * Whether somebody here has looked into who it is: nobody has.
     */
    verified: boolean;
    /**
     * Where the answer goes: host, or scheme of an app on a device.
     */
    redirect_host: string;
};

/**
 * The body of the request: approve or deny what an app asks; the only place where codes come from.
 */
export type ConsentRequest = {
    /**
     * The budgets of the app: each a period (day, week, month or total) and credits, separated by commas. Without any, the budgets of the consent stay as they are. A denial ignores them.
     */
    budgets?: string;
};

/**
 * An OAuth app may not act for the account any more. Not told of an account that is closed: all its consents end with it.
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
     * When it happened: ISO 8601, UTC.
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
         * By the account, or because the app was suspended.
         */
        reason: 'withdrawn' | 'app_suspended';
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
     * 1 to 100 characters.
     */
    client_name: unknown & unknown & unknown;
    /**
     * 1 to 20 absolute URIs.
     */
    redirect_uris: Array<string>;
    /**
     * Where it runs.
     */
    application_type?: 'web' | 'native' | 'spa';
    /**
     * Left out: none for native and spa, client_secret_basic for web.
     */
    token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post' | 'none';
    /**
     * authorization_code, and refresh_token if it may.
     */
    grant_types?: Array<'authorization_code' | 'refresh_token'>;
    /**
     * `["code"]`, as when it is left out.
     */
    response_types?: [
        'code'
    ];
    /**
     * Separated by spaces; left out, all that the calling key covers.
     */
    scope?: unknown & unknown;
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
     * Its privacy policy: likewise.
     */
    policy_uri?: string;
    /**
     * Its terms of service: likewise.
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
 * The body of the request: have events sent to an address; the secret that signs them is shown this once.
 */
export type CreateWebhookEndpointRequest = {
    /**
     * Where to: https, and a public address.
     */
    url: string;
    /**
     * Which types of events; none named means all.
     */
    events?: Array<'credits.low' | 'credits.expiring' | 'budget.threshold' | 'credits.exhausted' | 'credits.granted' | 'auto_recharge.succeeded' | 'auto_recharge.failed' | 'auto_recharge.suspended' | 'subscription.cancel_scheduled' | 'subscription.resumed' | 'subscription.canceled' | 'subscription.renewed' | 'addon.cancel_scheduled' | 'addon.canceled' | 'invoice.created' | 'invoice.paid' | 'credit_note.created' | 'payment.refunded' | 'payment.disputed' | 'payment.dispute_closed' | 'payment.action_required' | 'key.created' | 'key.rotated' | 'key.revoked' | 'sandbox.reset' | 'oauth_app.created' | 'oauth_app.suspended' | 'consent.granted' | 'consent.revoked' | 'audit_export.completed' | 'audit_export.failed' | 'webhook_endpoint.disabled'>;
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
     * Shown nowhere else: its fragment has the code.
     */
    url: string;
    /**
     * Until then it works.
     */
    expires_at: string;
};

/**
 * A new endpoint, and the only sight of its secret.
 */
export type CreatedWebhookEndpoint = {
    /**
     * `whe_…`
     */
    id: string;
    /**
     * Where to.
     */
    url: string;
    /**
     * Which types of events; none named means all.
     */
    events: Array<string>;
    /**
     * In the words of its owner.
     */
    description: string | null;
    /**
     * Whether anything is sent.
     */
    status: WebhookEndpointStatus;
    /**
     * The first failure since something has arrived; null: the last attempt did.
     */
    failing_since: string | null;
    /**
     * When it was created.
     */
    created_at: string;
    /**
     * `whsec_…`: what its messages are signed with.
     */
    secret: string;
};

/**
 * Credits that came at once, as far as they are left.
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
     * How many came, or came back.
     */
    granted_credits: number;
    /**
     * How many are left, at least 1.
     */
    remaining_credits: number;
    /**
     * When what is left expires; null: never.
     */
    expires_at: string | null;
    /**
     * `pay_…`: the payment that they came with.
     */
    payment_id: string | null;
    /**
     * When they came.
     */
    created_at: string;
};

/**
 * A page of lots, in the order in which they burn.
 */
export type CreditLotPage = {
    /**
     * The lots of this page.
     */
    items: Array<CreditLot>;
    /**
     * For the next page; null on the last.
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
     * When it happened: ISO 8601, UTC.
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
         * With tax, in cents.
         */
        total_cents: number;
        /**
         * ISO 4217.
         */
        currency: string;
        /**
         * The credits that the refund is for.
         */
        credits: number;
        /**
         * The tax in it, in cents.
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
 * Credits for sale.
 */
export type CreditPackage = {
    /**
     * `pack_…`
     */
    id: string;
    /**
     * The tier that buying it raises an account to.
     */
    tier: Tier;
    /**
     * For people.
     */
    name: string;
    /**
     * How many; they do not expire.
     */
    credits: number;
    /**
     * The price, in cents of the currency.
     */
    price_cents: number;
    /**
     * ISO 4217.
     */
    currency: string;
};

/**
 * Credits at one instant: available = balance - held.
 */
export type Credits = {
    /**
     * The sum of the ledger.
     */
    balance: number;
    /**
     * Set aside for requests that are still running.
     */
    held: number;
    /**
     * The credits that a new request can spend.
     */
    available: number;
    /**
     * When, by the database's clock.
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
     * When it happened: ISO 8601, UTC.
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
     * When it happened: ISO 8601, UTC.
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
 * Credits were added: granted, bought, of an allowance, or given back.
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
     * When it happened: ISO 8601, UTC.
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
     * When it happened: ISO 8601, UTC.
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
 * The session that calls, and what its page has to know.
 */
export type CurrentSession = {
    /**
     * `ses_…`
     */
    id: string;
    /**
     * The listener that it is of.
     */
    environment: Environment;
    /**
     * Whether it is the session that calls.
     */
    is_current: boolean;
    /**
     * The key that has signed in; null: a person.
     */
    key_id: string | null;
    /**
     * The name of the key; null without a key, or if it is not accepted any more.
     */
    key_name: string | null;
    /**
     * The role of a person; null with a key.
     */
    role: string | null;
    /**
     * The person, as the audit trail names it; null with a key.
     */
    actor: string | null;
    /**
     * Where the page leads back to.
     */
    return_url: string | null;
    /**
     * The session on the other listener that was handed over: this one ends with it.
     */
    parent_id: string | null;
    /**
     * Where the newest proof came from.
     */
    address: string | null;
    /**
     * When it signed in.
     */
    created_at: string;
    /**
     * The newest proof of who is there; before `created_at` if it was handed over.
     */
    proven_at: string;
    /**
     * When it ends at the latest.
     */
    expires_at: string;
    /**
     * Whose session it is: `acct_…`
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
     * Until then changes need no new proof; null: there was none in this session.
     */
    step_up_until: string | null;
    /**
     * Where the browser may go without a sign-in; null: nowhere.
     */
    switch_to: Environment | null;
};

/**
 * The body of the request: pay, decline, confirm or let money come back at the simulated provider.
 */
export type DecideSimulatedPaymentRequest = {
    /**
     * What happens.
     */
    choice: 'pay' | 'decline' | 'confirm' | 'close' | 'refund' | 'refund_part' | 'dispute' | 'win' | 'lose';
    /**
     * Its name; else one that pays.
     */
    card?: string;
};

/**
 * Where a search is made.
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
     * Whose it is.
     */
    of: BudgetLayer;
    /**
     * The window in which use counts.
     */
    period: BudgetPeriod;
    /**
     * The most credits for each window; at least 1.
     */
    limit_credits: number;
    /**
     * Credits charged in the current window.
     */
    used_credits: number;
    /**
     * Credits that calls under way may still cost.
     */
    held_credits: number;
    /**
     * The credits that are left in the current window; negative after the limit was lowered.
     */
    remaining_credits: number;
    /**
     * When the current window ends and the use starts again at 0; null: never.
     */
    resets_at: string | null;
    /**
     * Whether a call that does not fit is refused. If not, the budget only reports.
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
     * How many sessions: of this listener, or handed over from it.
     */
    ended: number;
};

/**
 * Where a subscription or an add-on stands.
 *
 * - `active`: Renews at the end of its period.
 * - `scheduled_to_cancel`: In force until its period ends.
 * - `canceled`: Over.
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
 * Live state, or its play copy.
 *
 * - `live`: The live state: calls are charged.
 * - `sandbox`: The play copy: what happens there changes and costs nothing live.
 */
export type Environment = 'live' | 'sandbox';

/**
 * Why a request failed.
 */
export type Error = {
    /**
     * The code of the error, for programs.
     */
    code: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT';
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
};

/**
 * The body of every failure.
 */
export type ErrorEnvelope = {
    error: Error;
};

/**
 * A team, customer or agent of the account: keys share its budgets.
 */
export type ExternalId = {
    /**
     * As keys carry it.
     */
    external_id: string;
    /**
     * Keys that carry it and are neither revoked nor expired.
     */
    keys: number;
    /**
     * The budgets of all its keys together.
     */
    budgets: Array<Budget>;
    /**
     * Credits that calls of its keys have cost since the month began, in UTC.
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
     * Opaque; null means the end.
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
 * A customer, as it stands in the environment of the call.
 */
export type GetAccountBudgets = {
    /**
     * The budgets of the account, by period.
     */
    budgets: Array<Budget>;
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
 * An API key: everything that may be read again after creation.
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
     * How the plaintext begins, such as `svc_live_`.
     */
    prefix: string;
    /**
     * How the plaintext ends.
     */
    last4: string;
    /**
     * What it may do; `*` is everything.
     */
    scopes: Array<string>;
    /**
     * Addresses and CIDR blocks it may be used from; empty is anywhere.
     */
    ip_allowlist: Array<string>;
    /**
     * Whether it has ended.
     */
    status: ApiKeyStatus;
    /**
     * When it stops being accepted.
     */
    expires_at: string | null;
    /**
     * When it was last accepted.
     */
    last_used_at: string | null;
    /**
     * When it was issued.
     */
    created_at: string;
    /**
     * When it was revoked.
     */
    revoked_at: string | null;
    /**
     * The key that took its place: `key_…`
     */
    replaced_by: string | null;
    /**
     * Whether its owner lets it be used; if not, it is refused like a revoked key.
     */
    enabled: boolean;
    /**
     * Its owner's name of the team, customer or agent that has it.
     */
    external_id: string | null;
    /**
     * Notes of its owner: pairs of text.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * The issuer: a key, `session:` and a person, or `internal:` and the token of a tool; null for a key of an earlier release.
     */
    created_by: string | null;
    /**
     * Its own budgets, by period.
     */
    budgets: Array<Budget>;
    /**
     * The budgets of all layers that its calls must fit into.
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
 * The body of the request: say whom a portal link or a handover would sign in.
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
     * The scopes that it was granted, separated by spaces.
     */
    scope: string;
    /**
     * Whether it still counts.
     */
    status: GrantedConsentStatus;
    /**
     * When it was granted, the last time.
     */
    granted_at: string;
    /**
     * When it was withdrawn.
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
     * The window in which use counts.
     */
    period: BudgetPeriod;
    /**
     * The most credits for each window; at least 1.
     */
    limit_credits: number;
    /**
     * Credits charged in the current window.
     */
    used_credits: number;
    /**
     * Credits that calls under way may still cost.
     */
    held_credits: number;
    /**
     * The credits that are left in the current window; negative after the limit was lowered.
     */
    remaining_credits: number;
    /**
     * When the current window ends and the use starts again at 0; null: never.
     */
    resets_at?: string;
    /**
     * Whether a call that does not fit is refused. If not, the budget only reports.
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
     * Null at the end.
     */
    next_cursor: string | null;
};

/**
 * Whether it still counts.
 *
 * - `active`: The app may act within its scopes.
 * - `revoked`: Withdrawn: its tokens are refused.
 */
export type GrantedConsentStatus = 'active' | 'revoked';

/**
 * That the process lives and, where asked, how the backend modules are.
 */
export type Health = {
    /**
     * Degraded: a probed backend module is not up.
     */
    status: 'ok' | 'degraded';
    /**
     * Of the gateway.
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
         * The backend module.
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
     * Of a confidential app that does not use the header.
     */
    client_secret?: string;
};

/**
 * Whether a token is valid, and its contents (RFC 7662 §2.2).
 */
export type Introspection = {
    /**
     * Whether it is accepted; if not, nothing else is said.
     */
    active: boolean;
    /**
     * Its scopes, separated by spaces.
     */
    scope?: string;
    /**
     * Whose it is: `app_…`
     */
    client_id?: string;
    /**
     * Bearer, for an access token.
     */
    token_type?: string;
    /**
     * When it ends: Unix seconds.
     */
    exp?: number;
    /**
     * When it was issued: Unix seconds.
     */
    iat?: number;
    /**
     * Which account has granted it: `acct_…`
     */
    sub?: string;
    /**
     * For whom it is: the app.
     */
    aud?: string;
    /**
     * The issuer.
     */
    iss?: string;
};

/**
 * An item that was paid for, or given back.
 */
export type Invoice = {
    /**
     * `inv_…`
     */
    id: string;
    /**
     * As it is printed: 8 characters of the account's own, the year (UTC), and a number that counts up without gaps; in front, credit notes have `CN-`, and the sandbox `TEST-`. Older ones are `INV-` and a number.
     */
    number: string;
    /**
     * An invoice, or the correction of one.
     */
    type: InvoiceType;
    /**
     * Where it stands.
     */
    status: InvoiceStatus;
    /**
     * With tax, in cents of the currency.
     */
    total_cents: number;
    /**
     * The tax in it, in cents of the currency.
     */
    tax_cents: number;
    /**
     * ISO 4217.
     */
    currency: string;
    /**
     * Credits that came with it; of a credit note, those that the refund is for.
     */
    credits: number;
    /**
     * For people.
     */
    description: string;
    /**
     * Where the account gets it as a PDF, with a key that may read it.
     */
    pdf_url: string;
    /**
     * Of a credit note: the invoice, `inv_…`.
     */
    original_invoice_id: string | null;
    /**
     * When it was made out.
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
     * When it happened: ISO 8601, UTC.
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
         * With tax, in cents.
         */
        total_cents: number;
        /**
         * ISO 4217.
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
         * The tax in it, in cents.
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
     * Null at the end.
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
     * When it happened: ISO 8601, UTC.
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
         * With tax, in cents.
         */
        total_cents: number;
        /**
         * ISO 4217.
         */
        currency: string;
        /**
         * The credits that were bought.
         */
        credits: number;
    };
};

/**
 * Where an invoice stands.
 *
 * - `paid`: The money has been collected.
 * - `open`: Not collected yet.
 * - `void`: Not to be collected any more.
 */
export type InvoiceStatus = 'paid' | 'open' | 'void';

/**
 * The kind of the document.
 *
 * - `invoice`: It says what is to be paid.
 * - `credit_note`: It says what was given back. Its amounts are positive.
 */
export type InvoiceType = 'invoice' | 'credit_note';

/**
 * A new key, and the only sight of its secret.
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
     * How the plaintext begins, such as `svc_live_`.
     */
    prefix: string;
    /**
     * How the plaintext ends.
     */
    last4: string;
    /**
     * What it may do; `*` is everything.
     */
    scopes: Array<string>;
    /**
     * Addresses and CIDR blocks it may be used from; empty is anywhere.
     */
    ip_allowlist: Array<string>;
    /**
     * Whether it has ended.
     */
    status: ApiKeyStatus;
    /**
     * When it stops being accepted.
     */
    expires_at: string | null;
    /**
     * When it was last accepted.
     */
    last_used_at: string | null;
    /**
     * When it was issued.
     */
    created_at: string;
    /**
     * When it was revoked.
     */
    revoked_at: string | null;
    /**
     * The key that took its place: `key_…`
     */
    replaced_by: string | null;
    /**
     * Whether its owner lets it be used; if not, it is refused like a revoked key.
     */
    enabled: boolean;
    /**
     * Its owner's name of the team, customer or agent that has it.
     */
    external_id: string | null;
    /**
     * Notes of its owner: pairs of text.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * The issuer: a key, `session:` and a person, or `internal:` and the token of a tool; null for a key of an earlier release.
     */
    created_by: string | null;
    /**
     * Its own budgets, by period.
     */
    budgets: Array<Budget>;
    /**
     * The secret, shown this once.
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
     * Every key that a token in use may be signed with.
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
    name: unknown & unknown;
    /**
     * None of them may exceed those of the calling key; left out, they are the same.
     */
    scopes?: Array<'*' | 'account:read' | 'account:write' | 'billing:read' | 'billing:write' | 'usage:read' | 'audit:read' | 'audit:write' | 'keys:read' | 'keys:write' | 'oauth:read' | 'oauth:write' | 'oauth:consent' | 'webhooks:read' | 'webhooks:write' | 'contacts:read' | 'contacts:write' | 'promote:read' | 'promote:write' | 'seo:read' | 'seo:write' | 'markets:read' | 'markets:write' | 'campaigns:read' | 'campaigns:write' | 'cloud:read' | 'cloud:write' | 'reviews:read' | 'reviews:write' | 'who-is-searching:read' | 'who-is-searching:write'>;
    /**
     * Addresses and CIDR blocks, v4 and v6. By a key that has some: each must lie in one of its own, and left out, they are the same.
     */
    ip_allowlist?: Array<string>;
    /**
     * In the future. By a key that ends: no later than that one, and left out, with it.
     */
    expires_at?: string | null;
    /**
     * At most 16 texts of at most 500 characters, with names of 1 to 40 characters. A change replaces all of them.
     */
    metadata?: {
        [key: string]: string;
    };
    /**
     * At most one of each period. A change replaces all of them: a period that stays keeps its use, and `[]` removes all.
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
     * The team, customer or agent that has the key: keys with the same one share budgets.
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
     * When it happened: ISO 8601, UTC.
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
        scopes: Array<'*' | 'account:read' | 'account:write' | 'billing:read' | 'billing:write' | 'usage:read' | 'audit:read' | 'audit:write' | 'keys:read' | 'keys:write' | 'oauth:read' | 'oauth:write' | 'oauth:consent' | 'webhooks:read' | 'webhooks:write' | 'contacts:read' | 'contacts:write' | 'promote:read' | 'promote:write' | 'seo:read' | 'seo:write' | 'markets:read' | 'markets:write' | 'campaigns:read' | 'campaigns:write' | 'cloud:read' | 'cloud:write' | 'reviews:read' | 'reviews:write' | 'who-is-searching:read' | 'who-is-searching:write'>;
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
     * When it happened: ISO 8601, UTC.
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
     * When it happened: ISO 8601, UTC.
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
 * An immutable fact: credits came or went.
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
     * Signed: what went out is negative.
     */
    credits: number;
    /**
     * The balance once this entry counted.
     */
    balance_after: number;
    /**
     * For people.
     */
    description: string;
    /**
     * The request that a charge paid for.
     */
    request_id: string | null;
    /**
     * When it was entered.
     */
    created_at: string;
};

/**
 * Why credits came or went.
 *
 * - `grant`: Given by hand, or at the start of the account.
 * - `purchase`: A credit package was paid.
 * - `allowance`: Of a period of the subscription.
 * - `charge`: The price of one request.
 * - `refund`: A charge given back.
 * - `expiry`: Credits that were left when they expired.
 * - `adjustment`: A correction by hand, up or down.
 * - `clawback`: Credits of a payment whose money went back.
 * - `reinstatement`: Credits of a clawback, given back with the money.
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
     * For the next page; null on the last.
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
 * How an owner can be known.
 */
export type LoginHint = {
    /**
     * `api_key_bearer`, `session`
     */
    methods: Array<string>;
    /**
     * Where a browser signs in.
     */
    session_endpoint: string;
};

/**
 * The source of the credits of a lot.
 *
 * - `purchase`: A credit package was paid.
 * - `allowance`: Of a period of the subscription.
 * - `grant`: Given by hand, or at the start of the account.
 * - `refund`: A charge given back whose own lots are unknown, or have expired.
 * - `adjustment`: A correction by hand.
 * - `reinstatement`: Taken back with a payment and given back after its own lots had expired.
 */
export type LotSource = 'purchase' | 'allowance' | 'grant' | 'refund' | 'adjustment' | 'reinstatement';

/**
 * The Mass Mail add-on.
 */
export type MassMail = {
    /**
     * Whether it is in force.
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
     * Recipients that a period includes.
     */
    monthly_quota: number;
    /**
     * Recipients that Promote was charged for in the current period.
     */
    used_this_period: number;
};

/**
 * An address to which an account has mails sent.
 */
export type NotificationEmail = {
    /**
     * As it was first written.
     */
    address: string;
    /**
     * Whether its holder has followed the link. Until then it gets no other mail.
     */
    confirmed: boolean;
};

/**
 * A kind of news that people get by mail.
 *
 * - `credits_low`: Credits are low, or none are left.
 * - `recharge_failed`: Automatic recharging failed, or was suspended.
 * - `payment_action_required`: A payment needs a confirmation by its payer.
 * - `payment_refunded`: A payment was given back.
 * - `payment_disputed`: A payment is disputed, or the dispute has ended.
 * - `invoice_paid`: An invoice was paid.
 * - `budget_threshold`: A budget has been used to a half, to four fifths, or completely.
 * - `credits_expiring`: Credits are about to expire.
 * - `key_leaked`: An API key was found in public. Nothing reports that yet.
 * - `webhook_disabled`: A webhook endpoint was disabled, because it had failed for days.
 * - `export_ready`: An audit export was completed, or failed.
 */
export type NotificationKind = 'credits_low' | 'recharge_failed' | 'payment_action_required' | 'payment_refunded' | 'payment_disputed' | 'invoice_paid' | 'budget_threshold' | 'credits_expiring' | 'key_leaked' | 'webhook_disabled' | 'export_ready';

/**
 * The addresses that get mails, and the kinds of events in them.
 */
export type NotificationSettings = {
    /**
     * At most five.
     */
    emails: Array<NotificationEmail>;
    /**
     * The kinds of events that they get.
     */
    kinds: Array<NotificationKind>;
};

/**
 * A registered OAuth app: all of it that may be read again.
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
     * Where codes may be sent, as they were written.
     */
    redirect_uris: Array<string>;
    /**
     * Where it runs.
     */
    application_type: ApplicationType;
    /**
     * How it proves who it is.
     */
    token_endpoint_auth_method: TokenEndpointAuthMethod;
    /**
     * The kinds of grants that it may exchange for tokens.
     */
    grant_types: Array<string>;
    /**
     * Only code.
     */
    response_types: Array<string>;
    /**
     * The scopes that it may ask for, separated by spaces.
     */
    scope: string;
    /**
     * Whether it must use PKCE; a public app always must.
     */
    require_pkce: boolean;
    /**
     * Its logo.
     */
    logo_uri?: string;
    /**
     * Its home page.
     */
    client_uri?: string;
    /**
     * Its privacy policy.
     */
    policy_uri?: string;
    /**
     * Its terms of service.
     */
    tos_uri?: string;
    /**
     * Whether it may do anything.
     */
    status: OAuthAppStatus;
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
     * Null at the end.
     */
    next_cursor: string | null;
};

/**
 * A suspended app is as good as unknown.
 *
 * - `active`: May be used.
 * - `suspended`: Deleted by its owner: refused everywhere, and its tokens with it.
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
     * When it happened: ISO 8601, UTC.
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
         * Where it runs.
         */
        application_type: 'web' | 'native' | 'spa';
        /**
         * The scopes that it may ask for, separated by spaces.
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
     * When it happened: ISO 8601, UTC.
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
     * Of this interface.
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
 * The body of the request: sign a browser in with a portal link or a handover.
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
};

/**
 * The body of the request: sign a browser in with an API key.
 */
export type OpenSessionRequest = {
    /**
     * Of the answer before, where the app asks for a sign-in of its own.
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
     * As which account: `acct_…`
     */
    account_id: string;
    /**
     * When it signed in.
     */
    auth_time: string;
    /**
     * When it ends at the latest.
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
     * Where consent is asked for.
     */
    authorization_endpoint: string;
    /**
     * Where codes and refresh tokens are exchanged.
     */
    token_endpoint: string;
    /**
     * Where claims about the account holder are read.
     */
    userinfo_endpoint: string;
    /**
     * RFC 7009.
     */
    revocation_endpoint: string;
    /**
     * RFC 7662.
     */
    introspection_endpoint: string;
    /**
     * The signing keys.
     */
    jwks_uri: string;
    /**
     * Documentation for people.
     */
    service_documentation: string;
    /**
     * Scopes that an app can ask for.
     */
    scopes_supported: Array<string>;
    /**
     * Only the authorization code flow.
     */
    response_types_supported: Array<string>;
    /**
     * Only query.
     */
    response_modes_supported: Array<string>;
    /**
     * Grants of the token endpoint.
     */
    grant_types_supported: Array<string>;
    /**
     * One subject for all apps.
     */
    subject_types_supported: Array<string>;
    /**
     * RS256.
     */
    id_token_signing_alg_values_supported: Array<string>;
    /**
     * How apps prove who they are.
     */
    token_endpoint_auth_methods_supported: Array<string>;
    /**
     * How apps prove who they are when they revoke.
     */
    revocation_endpoint_auth_methods_supported: Array<string>;
    /**
     * How apps prove who they are when they introspect.
     */
    introspection_endpoint_auth_methods_supported: Array<string>;
    /**
     * PKCE: only S256 (RFC 7636).
     */
    code_challenge_methods_supported: Array<string>;
    /**
     * Claims that userinfo and id tokens may hold.
     */
    claims_supported: Array<string>;
    /**
     * An API key is no ISO 29115 level.
     */
    acr_values_supported: Array<string>;
    /**
     * RFC 9207.
     */
    authorization_response_iss_parameter_supported: boolean;
    /**
     * Said aloud because the default is true.
     */
    request_uri_parameter_supported: boolean;
    /**
     * No request objects.
     */
    request_parameter_supported: boolean;
    /**
     * No claims parameter.
     */
    claims_parameter_supported: boolean;
};

/**
 * Reads; they change nothing.
 */
export type Overview = {
    /**
     * The account that calls.
     */
    account: Account;
    /**
     * How much the caller used.
     */
    usage: UsageSummary;
    /**
     * The caller's subscription; null when there never was one.
     */
    subscription: Subscription | null;
    /**
     * The caller's add-ons.
     */
    addons: Addons;
    /**
     * How the caller's webhooks are doing.
     */
    webhooks: WebhookSummary;
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
     * When it happened: ISO 8601, UTC.
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
     * When it happened: ISO 8601, UTC.
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
         * ISO 4217.
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
     * When it happened: ISO 8601, UTC.
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
         * ISO 4217.
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
    code: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT';
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
     * With BUDGET_EXCEEDED: every budget that refuses.
     */
    details?: Array<BudgetDetail>;
};

/**
 * The body of every failure.
 */
export type PaymentErrorEnvelope = {
    error: PaymentError;
};

/**
 * A card that the payment provider has saved.
 */
export type PaymentMethod = {
    /**
     * `pm_…`
     */
    id: string;
    /**
     * Such as `visa`.
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
     * Whether recharges and renewals use it.
     */
    default: boolean;
    /**
     * When it was saved.
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
     * Null at the end.
     */
    next_cursor: string | null;
};

/**
 * That a notification came from its provider, and was taken note of.
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
     * When it happened: ISO 8601, UTC.
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
         * Of this refund, in cents.
         */
        amount_cents: number;
        /**
         * Of all refunds of the payment so far.
         */
        refunded_cents: number;
        /**
         * ISO 4217.
         */
        currency: string;
        /**
         * Credits to take back for it.
         */
        credits: number;
    };
};

/**
 * Requests of a span of time.
 */
export type QueryMonthToDate = {
    /**
     * Authenticated requests.
     */
    requests: number;
    /**
     * Credits they consumed.
     */
    credits: number;
    /**
     * The same by service, in order of their names.
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
             * Every offending field of INVALID_REQUEST, every budget of BUDGET_EXCEEDED; null for others.
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
                 * Whose budget it is.
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
                 * Credits that calls under way may still cost.
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
        } | null;
    }>;
    /**
     * The sum of `max_credits`.
     */
    total_max_credits: number;
    /**
     * The balance less open holds.
     */
    available: number;
    /**
     * The rest of the tightest budget that counts for the caller, negative after a limit was lowered; null without one.
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
     * Whether it is in force.
     */
    active: boolean;
    /**
     * Where it stands.
     */
    status: AddonStatus;
    /**
     * How many keywords can be tracked.
     */
    keyword_limit: number;
    /**
     * How many are.
     */
    keywords_used: number;
};

/**
 * That the process lives.
 */
export type Readiness = {
    /**
     * Degraded: a probed backend module is not up.
     */
    status: 'ok' | 'degraded';
    /**
     * Of the gateway.
     */
    version: string;
    /**
     * How long this process has been running.
     */
    uptime_seconds: number;
};

/**
 * A new app, and the only sight of its secret.
 */
export type RegisteredOAuthApp = {
    /**
     * `app_…`
     */
    client_id: string;
    /**
     * Shown this once; a public app has none.
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
     * Where codes may be sent, as they were written.
     */
    redirect_uris: Array<string>;
    /**
     * Where it runs.
     */
    application_type: ApplicationType;
    /**
     * How it proves who it is.
     */
    token_endpoint_auth_method: TokenEndpointAuthMethod;
    /**
     * The kinds of grants that it may exchange for tokens.
     */
    grant_types: Array<string>;
    /**
     * Only code.
     */
    response_types: Array<string>;
    /**
     * The scopes that it may ask for, separated by spaces.
     */
    scope: string;
    /**
     * Whether it must use PKCE; a public app always must.
     */
    require_pkce: boolean;
    /**
     * Its logo.
     */
    logo_uri?: string;
    /**
     * Its home page.
     */
    client_uri?: string;
    /**
     * Its privacy policy.
     */
    policy_uri?: string;
    /**
     * Its terms of service.
     */
    tos_uri?: string;
    /**
     * Whether it may do anything.
     */
    status: OAuthAppStatus;
    /**
     * When it was registered.
     */
    created_at: string;
};

/**
 * One scope that is asked for.
 */
export type RequestedScope = {
    /**
     * The scope.
     */
    name: string;
    /**
     * The rights that the scope gives the app.
     */
    description: string;
    /**
     * Whether the owner has let the app have it before.
     */
    already_granted: boolean;
};

/**
 * The body of the request: have the events of a span of time sent to a webhook endpoint again.
 */
export type ResendWebhookDeliveriesRequest = {
    /**
     * Queued then or later.
     */
    from: string;
    /**
     * Queued before.
     */
    to: string;
    /**
     * Only deliveries of this status; all without it.
     */
    status?: 'pending' | 'succeeded' | 'failed';
};

/**
 * The deliveries that are sent again.
 */
export type ResentWebhookDeliveries = {
    /**
     * How many deliveries: all that fit.
     */
    deliveries: number;
};

/**
 * The state of a payment, and nothing else of it.
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
     * Of a confidential app that does not use the header.
     */
    client_secret?: string;
};

/**
 * The body of the request: replace an API key; the plaintext of the new one is shown this once.
 */
export type RotateApiKeyRequest = {
    /**
     * For how many seconds it goes on working.
     */
    grace_seconds?: number;
};

/**
 * The body of the request: give a webhook endpoint another secret, which is shown this once.
 */
export type RotateWebhookSecretRequest = {
    /**
     * For how many seconds messages are signed with the secret before too; at most 7 days.
     */
    overlap_seconds?: number;
};

/**
 * An endpoint, and the only sight of its new secret.
 */
export type RotatedWebhookEndpoint = {
    /**
     * `whe_…`
     */
    id: string;
    /**
     * Where to.
     */
    url: string;
    /**
     * Which types of events; none named means all.
     */
    events: Array<string>;
    /**
     * In the words of its owner.
     */
    description: string | null;
    /**
     * Whether anything is sent.
     */
    status: WebhookEndpointStatus;
    /**
     * The first failure since something has arrived; null: the last attempt did.
     */
    failing_since: string | null;
    /**
     * When it was created.
     */
    created_at: string;
    /**
     * `whsec_…`: what its messages are signed with.
     */
    secret: string;
    /**
     * Until then messages are signed with the secret before too; null: not any more.
     */
    previous_secret_expires_at: string | null;
};

/**
 * A sandbox with a new key, and the only sight of its secret.
 */
export type SandboxReset = {
    /**
     * The sandbox from now on.
     */
    state: SandboxState;
    /**
     * The secret of its only key, shown this once.
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
     * When it happened: ISO 8601, UTC.
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
 * The sandbox of an account: its key, and how it is used. Without an active key, null.
 */
export type SandboxState = {
    /**
     * How its newest active key begins.
     */
    key_prefix: string | null;
    /**
     * How that key ends.
     */
    key_last4: string | null;
    /**
     * When that key was issued.
     */
    created_at: string | null;
    /**
     * Authenticated requests since the day began.
     */
    requests_today: number;
    /**
     * Authenticated requests since the month began.
     */
    requests_this_month: number;
    /**
     * The share of this month answered with a status below 400, from 0 to 1; 1 without requests.
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
     * Authenticated requests.
     */
    requests: number;
    /**
     * Credits they consumed.
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
     * The listener that it is of.
     */
    environment: Environment;
    /**
     * Whether it is the session that calls.
     */
    is_current: boolean;
    /**
     * The key that has signed in; null: a person.
     */
    key_id: string | null;
    /**
     * The name of the key; null without a key, or if it is not accepted any more.
     */
    key_name: string | null;
    /**
     * The role of a person; null with a key.
     */
    role: string | null;
    /**
     * The person, as the audit trail names it; null with a key.
     */
    actor: string | null;
    /**
     * Where the page leads back to.
     */
    return_url: string | null;
    /**
     * The session on the other listener that was handed over: this one ends with it.
     */
    parent_id: string | null;
    /**
     * Where the newest proof came from.
     */
    address: string | null;
    /**
     * When it signed in.
     */
    created_at: string;
    /**
     * The newest proof of who is there; before `created_at` if it was handed over.
     */
    proven_at: string;
    /**
     * When it ends at the latest.
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
    code: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT';
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
    details?: StepUpDetail;
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
     * Null at the end.
     */
    next_cursor: string | null;
};

/**
 * The person who would be signed in; nothing has happened yet.
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
     * Where.
     */
    environment: Environment;
    /**
     * The role of the person; null where a key has signed in.
     */
    role: string | null;
    /**
     * Whom the audit trail will name.
     */
    actor: string | null;
    /**
     * Where the console leads back to.
     */
    return_url: string | null;
    /**
     * Until then the link or code works.
     */
    expires_at: string;
    /**
     * Another account that the browser is signed in as, which it would no longer be.
     */
    signed_in_as: SignInPreviewSignedInAs | null;
};

/**
 * A customer, as it stands in the environment of the call.
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
 * How the session can be proven again.
 */
export type StepUpDetail = {
    /**
     * The proofs that count: the same API key, or a new portal link for the same person.
     */
    methods: Array<'api_key' | 'portal_link'>;
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
     * When the current or last period began.
     */
    current_period_start: string;
    /**
     * When it ends; a scheduled cancellation too.
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
     * Credits of each period: they come with its payment.
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
     * When it happened: ISO 8601, UTC.
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
         * Why its period was not paid for; null: the account holder asked.
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
     * When it happened: ISO 8601, UTC.
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
     * When it happened: ISO 8601, UTC.
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
     * When it happened: ISO 8601, UTC.
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
 * How an app proves who it is; a public one, which can keep no secret, by none.
 *
 * - `client_secret_basic`: The secret in the header Authorization: Basic (RFC 6749 §2.3.1).
 * - `client_secret_post`: The secret in the form (RFC 6749 §2.3.1).
 * - `none`: No secret: PKCE proves who asks (RFC 7636).
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
     * Of `authorization_code`: the code that the app was given.
     */
    code?: string;
    /**
     * As it was in the request for the code.
     */
    redirect_uri?: string;
    /**
     * RFC 7636 §4.1.
     */
    code_verifier?: string;
    /**
     * Of `refresh_token`: the newest one of the grant.
     */
    refresh_token?: string;
    /**
     * No more than was granted.
     */
    scope?: string;
    /**
     * RFC 8707: this API, if anything.
     */
    resource?: string;
    /**
     * The app, where the header does not name it.
     */
    client_id?: string;
    /**
     * Of a confidential app that does not use the header.
     */
    client_secret?: string;
};

/**
 * The issued tokens (RFC 6749 §5.1).
 */
export type TokenResponse = {
    /**
     * Opaque; shown this once.
     */
    access_token: string;
    /**
     * Bearer.
     */
    token_type: string;
    /**
     * Seconds for which the access token is accepted.
     */
    expires_in: number;
    /**
     * The scopes of the access token, separated by spaces.
     */
    scope: string;
    /**
     * Opaque; each works once.
     */
    refresh_token?: string;
    /**
     * A JWT, where openid was granted.
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
    keyword: unknown & unknown;
    /**
     * A domain name, without scheme or path.
     */
    domain: string;
    /**
     * ISO 3166-1 alpha-2.
     */
    country?: string;
    /**
     * Where the search is made.
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
     * Where the search is made.
     */
    device: Device;
    /**
     * Since when.
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
     * Null at the end.
     */
    next_cursor: string | null;
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
     * How many there were.
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
     * Not before this instant.
     */
    from: string;
    /**
     * Before this instant.
     */
    to: string;
    /**
     * Whether all were counted; otherwise the newest 10,000.
     */
    is_complete: boolean;
    /**
     * The largest first.
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
 * The steps of a time series. Days are those of UTC.
 *
 * - `hour`: At most 31 days of them.
 * - `day`: At most 400.
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
     * HTTP status; 499: the client hung up before anything was done for it.
     */
    status: number;
    /**
     * Credits consumed.
     */
    credits: number;
    /**
     * From arrival to answer.
     */
    latency_ms: number;
    /**
     * W3C trace id.
     */
    trace_id: string;
    /**
     * The backend module that handled the request.
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
     * How the caller has proved who he is.
     */
    source?: UsageSource;
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
     * Opaque; null means the end.
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
     * The service, as the usage log names it; null when all services are one.
     */
    service: string | null;
    /**
     * Such as `GET /v1/contacts/{contact_id}`; null when all of the service are one.
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
     * Authenticated requests.
     */
    requests: number;
    /**
     * Credits they consumed.
     */
    credits: number;
    /**
     * The share answered with a status below 400, from 0 to 1; 1 without requests.
     */
    success_rate: number;
    /**
     * Half took no longer; at most a tenth off. Null if callers are told apart.
     */
    latency_p50_ms: number | null;
    /**
     * 95 of 100 took no longer; at most a tenth off. Null if callers are told apart.
     */
    latency_p95_ms: number | null;
};

/**
 * Usage over time: each group that has requests has an item for each interval.
 */
export type UsageSeries = {
    /**
     * The steps.
     */
    interval: UsageInterval;
    /**
     * The lines.
     */
    group_by: UsageGroup;
    /**
     * Where the first interval begins.
     */
    from: string;
    /**
     * No interval begins then or later.
     */
    to: string;
    /**
     * In order of time, then of the groups.
     */
    items: Array<UsagePoint>;
};

/**
 * How a caller has proved who he is.
 *
 * - `key`: By an API key.
 * - `token`: By an access token of an app.
 * - `session`: By the session of a browser, and no product call: those of sessions count as of a key.
 */
export type UsageSource = 'key' | 'token' | 'session';

/**
 * How much was used. Days and months are those of UTC.
 */
export type UsageSummary = {
    /**
     * Since the month began.
     */
    month_to_date: UsageTotals;
    /**
     * Since the day began.
     */
    today: UsageSummaryToday;
};

/**
 * Requests of a span of time.
 */
export type UsageSummaryToday = {
    /**
     * Authenticated requests.
     */
    requests: number;
    /**
     * Credits they consumed.
     */
    credits: number;
    /**
     * The share answered with a status below 400, from 0 to 1; 1 without requests.
     */
    success_rate: number;
};

/**
 * Requests of a span of time.
 */
export type UsageTotals = {
    /**
     * Authenticated requests.
     */
    requests: number;
    /**
     * Credits they consumed.
     */
    credits: number;
    /**
     * The share answered with a status below 400, from 0 to 1; 1 without requests.
     */
    success_rate: number;
    /**
     * The same by service, in order of their names.
     */
    by_service: Array<ServiceUsage>;
};

/**
 * Claims about the account holder: null is what the scopes do not cover.
 */
export type Userinfo = {
    /**
     * `acct_…`
     */
    sub: string;
    /**
     * Of profile: the display name.
     */
    name?: string;
    /**
     * Of profile: when it last changed, in seconds since 1970.
     */
    updated_at?: number;
    /**
     * Of email: where the account holder is reached.
     */
    email?: string;
    /**
     * Of email: whether that was verified.
     */
    email_verified?: boolean;
    /**
     * Of account:read: `acct_…`
     */
    account_id?: string;
    /**
     * Of account:read: the credit-pack tier.
     */
    tier?: Tier;
    /**
     * Of account:read: the hybrid subscription tier, if there is one.
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
    code: 'BAD_REQUEST' | 'AUTHENTICATION_REQUIRED' | 'INVALID_API_KEY' | 'INSUFFICIENT_CREDITS' | 'BUDGET_EXCEEDED' | 'IP_NOT_ALLOWED' | 'FORBIDDEN' | 'STEP_UP_REQUIRED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INVALID_REQUEST' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'BACKEND_ERROR' | 'SERVICE_UNAVAILABLE' | 'BACKEND_TIMEOUT';
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
     * The receiver's; null: it did not answer.
     */
    status_code: number | null;
    /**
     * How long it took.
     */
    latency_ms: number;
    /**
     * Such as `http 503` or `timeout`; null: it has arrived.
     */
    failure: string | null;
};

/**
 * An event on its way to one endpoint.
 */
export type WebhookDelivery = {
    /**
     * `whd_…`
     */
    id: string;
    /**
     * `evt_…`: `webhook-id` of every attempt.
     */
    event_id: string;
    /**
     * What happened, such as `credits.low`.
     */
    event_type: string;
    /**
     * Whether it has arrived.
     */
    status: WebhookDeliveryStatus;
    /**
     * How many attempts there were.
     */
    attempt_count: number;
    /**
     * The newest 20 attempts, newest first.
     */
    attempts: Array<WebhookAttempt>;
    /**
     * When it is tried next; null: not any more, or not while the endpoint is disabled.
     */
    next_attempt_at: string | null;
    /**
     * When it was queued.
     */
    created_at: string;
    /**
     * The body of every attempt; null once the event is deleted.
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
     * Null at the end.
     */
    next_cursor: string | null;
};

/**
 * Tried until it has arrived or the schedule is over.
 *
 * - `pending`: Not arrived yet; it is tried again.
 * - `succeeded`: The receiver answered 2xx.
 * - `failed`: No attempt of the schedule succeeded; it can be sent again.
 */
export type WebhookDeliveryStatus = 'pending' | 'succeeded' | 'failed';

/**
 * Where events are sent.
 */
export type WebhookEndpoint = {
    /**
     * `whe_…`
     */
    id: string;
    /**
     * Where to.
     */
    url: string;
    /**
     * Which types of events; none named means all.
     */
    events: Array<string>;
    /**
     * In the words of its owner.
     */
    description: string | null;
    /**
     * Whether anything is sent.
     */
    status: WebhookEndpointStatus;
    /**
     * The first failure since something has arrived; null: the last attempt did.
     */
    failing_since: string | null;
    /**
     * When it was created.
     */
    created_at: string;
};

/**
 * An endpoint of the account has failed for days and gets nothing any more. Others are told.
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
     * When it happened: ISO 8601, UTC.
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
     * Null at the end.
     */
    next_cursor: string | null;
};

/**
 * Whether events are sent to an endpoint.
 *
 * - `enabled`: Events are sent.
 * - `disabled`: Nothing is sent, nor kept for it.
 */
export type WebhookEndpointStatus = 'enabled' | 'disabled';

/**
 * A type of event that webhooks send.
 */
export type WebhookEventTypeDescription = {
    /**
     * Its name, such as `credits.low`.
     */
    type: string;
    /**
     * When it is sent.
     */
    description: string;
    /**
     * The version of `data`.
     */
    version: number;
    /**
     * A whole message, as a receiver gets it.
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
     * In the order of the documentation.
     */
    items: Array<WebhookEventTypeDescription>;
};

/**
 * How webhooks are doing.
 */
export type WebhookSummary = {
    /**
     * Registered endpoints.
     */
    endpoints: number;
    /**
     * Of those, the disabled ones: they get nothing.
     */
    disabled: number;
    /**
     * Of what was tried to deliver in the last seven days, the share that has arrived, from 0 to 1; null: nothing was.
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
     * When it happened: ISO 8601, UTC.
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
 * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
 */
export type EndUser = string;

/**
 * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
 */
export type IdempotencyKey = string;

/**
 * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
 */
export type IdempotencyKeyAlias = string;

/**
 * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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

export type GetHealthData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * 1 probes each backend module too, for one second at most.
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

export type GetAccountData = {
    body?: never;
    headers?: {
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/overview';
};

export type GetOverviewResponses = {
    /**
     * Account, usage, subscription and add-ons at one glance.
     */
    200: Overview;
};

export type GetOverviewAnswer = GetOverviewResponses[keyof GetOverviewResponses];

export type GetCreditsData = {
    body?: never;
    headers?: {
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
         */
        cursor?: string;
    };
    url: '/v1/account/credits/lots';
};

export type ListCreditLotsResponses = {
    /**
     * Lots with credits left, in the order in which they burn.
     */
    200: CreditLotPage;
};

export type ListCreditLotsAnswer = ListCreditLotsResponses[keyof ListCreditLotsResponses];

export type ListLedgerEntriesData = {
    body?: never;
    headers?: {
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
         */
        cursor?: string;
        /**
         * Included.
         */
        from?: string;
        /**
         * Not included.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Needed.
     */
    body: ChangeAccountBudgetsRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
         */
        cursor?: string;
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

export type ChangeExternalIdBudgetsData = {
    /**
     * Needed.
     */
    body: ChangeExternalIdBudgetsRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * The team, customer or agent that has the key: keys with the same one share budgets.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * `key_…`
         */
        key_id: string;
        /**
         * Which of its budgets.
         */
        period: 'day' | 'week' | 'month' | 'total';
    };
    query?: never;
    url: '/v1/account/keys/{key_id}/budgets/{period}/reset';
};

export type ResetKeyBudgetResponses = {
    /**
     * Set the use of a budget of an API key to 0.
     */
    200: ApiKey;
};

export type ResetKeyBudgetAnswer = ResetKeyBudgetResponses[keyof ResetKeyBudgetResponses];

export type CancelSubscriptionData = {
    body?: never;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
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
     * Needed.
     */
    body: TrackKeywordRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Needed.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Needed; `{}` will do.
     */
    body: ConfigureAutoRechargeRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * By name.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Needed.
     */
    body: ChangeBillingDetailsRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Needed.
     */
    body: CheckoutRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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

export type ListCheckoutsData = {
    body?: never;
    headers?: {
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * Ours, over the two.
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
         * Ours, over the two.
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
         * Of the address of the page.
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
     * Needed.
     */
    body: DecideSimulatedPaymentRequest;
    path?: never;
    query: {
        /**
         * `pay_…`
         */
        payment_id: string;
        /**
         * Of the address of the page.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
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
         * The team, customer or agent that has the key: keys with the same one share budgets.
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
     * Needed.
     */
    body: KeyCreateRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Nothing at all is taken for `{}`.
     */
    body?: ChangeApiKeyRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Change an API key: its name, scopes, limits, budgets or what is noted about it.
     */
    200: ApiKey;
};

export type ChangeApiKeyAnswer = ChangeApiKeyResponses[keyof ChangeApiKeyResponses];

export type RotateApiKeyData = {
    /**
     * Nothing at all is taken for `{}`.
     */
    body?: RotateApiKeyRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path: {
        /**
         * The one that ends: `key_…`
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
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
     * Needed; `{}` will do.
     */
    body: OpenProvenSessionRequest;
    path?: never;
    query?: never;
    url: '/v1/account/sessions';
};

export type OpenProvenSessionResponses = {
    /**
     * Sign a browser in with a portal link or a handover.
     */
    201: OpenedSession;
};

export type OpenProvenSessionAnswer = OpenProvenSessionResponses[keyof OpenProvenSessionResponses];

export type GetCurrentSessionData = {
    body?: never;
    headers?: {
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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

export type ListUsageLogData = {
    body?: never;
    headers?: {
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
         */
        cursor?: string;
        /**
         * Not before this instant.
         */
        from?: string;
        /**
         * Before this instant.
         */
        to?: string;
        /**
         * Only this service group.
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
         * Only requests that cost at least this.
         */
        min_credits?: number;
        /**
         * Only requests with this key.
         */
        key_id?: string;
        /**
         * Only requests with a token of this app.
         */
        client_id?: string;
        /**
         * Only requests whose key had this external id at the time.
         */
        external_id?: string;
        /**
         * Only requests that said this in `X-End-User`.
         */
        end_user?: string;
        /**
         * Only requests of these sources, with commas between them; all without it. A product call of a session counts as `key`.
         */
        source?: string;
        /**
         * Whether entries say who has called: `key_id`, `source` and so on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Begins with the interval of this instant; a day or 30 days before the end.
         */
        from?: string;
        /**
         * Ends before; now.
         */
        to?: string;
        /**
         * The steps.
         */
        interval?: 'hour' | 'day';
        /**
         * The lines.
         */
        group_by?: 'service' | 'endpoint' | 'key' | 'client' | 'external_id';
        /**
         * Only this service group.
         */
        service?: 'contacts' | 'promote' | 'seo' | 'markets' | 'campaigns' | 'cloud' | 'reviews' | 'who-is-searching' | 'account' | 'keys' | 'usage' | 'billing' | 'oauth';
        /**
         * Only answers with a status of this class.
         */
        status_class?: '1xx' | '2xx' | '3xx' | '4xx' | '5xx';
        /**
         * Only requests with this key.
         */
        key_id?: string;
        /**
         * Only requests with a token of this app.
         */
        client_id?: string;
        /**
         * Only requests whose key had this external id at the time.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: {
        /**
         * Not before this instant; 7 days before the end.
         */
        from?: string;
        /**
         * Before this instant; now.
         */
        to?: string;
        /**
         * Only this service group.
         */
        service?: 'contacts' | 'promote' | 'seo' | 'markets' | 'campaigns' | 'cloud' | 'reviews' | 'who-is-searching' | 'account' | 'keys' | 'usage' | 'billing' | 'oauth';
        /**
         * Only answers with a status of this class.
         */
        status_class?: '4xx' | '5xx';
        /**
         * Only requests with this key.
         */
        key_id?: string;
        /**
         * Only requests with a token of this app.
         */
        client_id?: string;
        /**
         * Only requests whose key had this external id at the time.
         */
        external_id?: string;
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
         */
        cursor?: string;
        /**
         * Occurred then or later.
         */
        from?: string;
        /**
         * Occurred before.
         */
        to?: string;
        /**
         * The id of an actor; `internal`: any internal tool.
         */
        actor?: string;
        /**
         * Such as `subscription.cancel`.
         */
        action?: unknown & unknown;
        /**
         * The id of what it was done to.
         */
        resource_id?: string;
        /**
         * `succeeded`, or the code of an error.
         */
        result?: unknown & unknown;
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Nothing at all is taken for `{}`.
     */
    body?: AuditExportRequest | null;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Begin another export with the filters of one before.
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
         * Of the link: Unix seconds.
         */
        expires: string;
        /**
         * Of the link.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
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
     * Needed.
     */
    body: CreateWebhookEndpointRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/account/webhooks';
};

export type CreateWebhookEndpointResponses = {
    /**
     * Have events sent to an address; the secret that signs them is shown this once.
     */
    201: CreatedWebhookEndpoint;
};

export type CreateWebhookEndpointAnswer = CreateWebhookEndpointResponses[keyof CreateWebhookEndpointResponses];

export type DeleteWebhookEndpointData = {
    body?: never;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Delete a webhook endpoint, with what was to be sent to it.
     */
    200: WebhookEndpoint;
};

export type DeleteWebhookEndpointAnswer = DeleteWebhookEndpointResponses[keyof DeleteWebhookEndpointResponses];

export type ChangeWebhookEndpointData = {
    /**
     * Nothing at all is taken for `{}`.
     */
    body?: ChangeWebhookEndpointRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Nothing at all is taken for `{}`.
     */
    body?: RotateWebhookSecretRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Give a webhook endpoint another secret, which is shown this once.
     */
    200: RotatedWebhookEndpoint;
};

export type RotateWebhookSecretAnswer = RotateWebhookSecretResponses[keyof RotateWebhookSecretResponses];

export type TestWebhookEndpointData = {
    body?: never;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
         */
        cursor?: string;
        /**
         * Only deliveries of this status.
         */
        status?: 'pending' | 'succeeded' | 'failed';
    };
    url: '/v1/account/webhooks/{endpoint_id}/deliveries';
};

export type ListWebhookDeliveriesResponses = {
    /**
     * Deliveries to a webhook endpoint, sent or planned, newest first.
     */
    200: WebhookDeliveryPage;
};

export type ListWebhookDeliveriesAnswer = ListWebhookDeliveriesResponses[keyof ListWebhookDeliveriesResponses];

export type ResendWebhookDeliveryData = {
    body?: never;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Have an event sent to a webhook endpoint again.
     */
    202: WebhookDelivery;
};

export type ResendWebhookDeliveryAnswer = ResendWebhookDeliveryResponses[keyof ResendWebhookDeliveryResponses];

export type ResendWebhookDeliveriesData = {
    /**
     * Needed.
     */
    body: ResendWebhookDeliveriesRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Have the events of a span of time sent to a webhook endpoint again.
     */
    202: ResentWebhookDeliveries;
};

export type ResendWebhookDeliveriesAnswer = ResendWebhookDeliveriesResponses[keyof ResendWebhookDeliveriesResponses];

export type ListWebhookEventTypesData = {
    body?: never;
    headers?: {
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Needed.
     */
    body: ChangeNotificationsRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * Of the link.
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
         * Of the link.
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
         * Of the link.
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
         * Of the link.
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
     * Needed; `{}` will do.
     */
    body: GetSignInPreviewRequest;
    path?: never;
    query?: never;
    url: '/v1/account/sessions/preview';
};

export type GetSignInPreviewResponses = {
    /**
     * Say whom a portal link or a handover would sign in.
     */
    200: SignInPreview | null;
};

export type GetSignInPreviewAnswer = GetSignInPreviewResponses[keyof GetSignInPreviewResponses];

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
         * `app_…`; empty: absent, and refused.
         */
        client_id: string;
        /**
         * Where the answer goes: registered, character by character. Empty: absent, and refused.
         */
        redirect_uri: string;
        /**
         * `code`, as when it is absent.
         */
        response_type?: string;
        /**
         * `query`, as when it is absent.
         */
        response_mode?: string;
        /**
         * Scopes with single spaces between them.
         */
        scope?: string;
        /**
         * Given back as it came.
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
         * `none`, or any of the others.
         */
        prompt?: string;
        /**
         * Seconds since the owner signed in, at most.
         */
        max_age?: string;
        /**
         * RFC 8707: this API, if anything.
         */
        resource?: string;
        /**
         * Not supported; refused where it is present.
         */
        request?: string;
        /**
         * Not supported; refused where it is present.
         */
        request_uri?: string;
        /**
         * Not supported; refused where it is present.
         */
        registration?: string;
        /**
         * Of the answer before, where the app asks for a sign-in of its own.
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
     * Of the form of the consent page; a query may hold it too.
     */
    body?: ConsentRequest;
    path?: never;
    query: {
        /**
         * `app_…`; empty: absent, and refused.
         */
        client_id: string;
        /**
         * Where the answer goes: registered, character by character. Empty: absent, and refused.
         */
        redirect_uri: string;
        /**
         * `code`, as when it is absent.
         */
        response_type?: string;
        /**
         * `query`, as when it is absent.
         */
        response_mode?: string;
        /**
         * Scopes with single spaces between them.
         */
        scope?: string;
        /**
         * Given back as it came.
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
         * `none`, or any of the others.
         */
        prompt?: string;
        /**
         * Seconds since the owner signed in, at most.
         */
        max_age?: string;
        /**
         * RFC 8707: this API, if anything.
         */
        resource?: string;
        /**
         * Not supported; refused where it is present.
         */
        request?: string;
        /**
         * Not supported; refused where it is present.
         */
        request_uri?: string;
        /**
         * Not supported; refused where it is present.
         */
        registration?: string;
        /**
         * Of a browser: what it was shown.
         */
        consent_token?: string;
        /**
         * The budgets of the app: each a period (day, week, month or total) and credits, separated by commas. Without any, the budgets of the consent stay as they are. A denial ignores them.
         */
        budgets?: string;
        /**
         * Whether the owner lets the app have it.
         */
        decision?: 'allow' | 'deny' | '';
    };
    url: '/v1/oauth/consent';
};

export type ConsentResponses = {
    /**
     * Approve or deny what an app asks; the only place where codes come from.
     */
    200: ConsentOutcome;
};

export type ConsentAnswer = ConsentResponses[keyof ConsentResponses];

export type TokenData = {
    /**
     * Needed.
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
     * Needed.
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
     * Needed.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
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
     * Needed.
     */
    body: CreateOAuthAppRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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

export type ListConsentsData = {
    body?: never;
    headers?: {
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * `next_cursor` of the page before; none for the first page.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
     * Nothing at all is taken for `{}`.
     */
    body?: ChangeConsentRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
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

export type CreateDraftData = {
    /**
     * Needed.
     */
    body: CreateDraftRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
     * Needed.
     */
    body: CreateFileRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
     * Needed.
     */
    body: SearchContactsRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
     * Needed.
     */
    body: RevealContactRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
     * Needed.
     */
    body: CreateReportRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
     * Needed.
     */
    body: CreateSendRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
     * Needed.
     */
    body: CreateReplyRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
     * Needed.
     */
    body: CreateAuditRequest;
    headers?: {
        /**
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
         * Has the request take effect once, however often it is sent: a repeat is answered as the first was, with `Idempotent-Replayed: true`. The same key with another request is a 422.
         */
        'X-SVC-Idempotency-Key'?: string;
        /**
         * Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.
         */
        'Idempotency-Key'?: string;
        /**
         * For which of your own users you call. The usage log keeps it and can be filtered by it; it is never passed on.
         */
        'X-End-User'?: string;
        /**
         * In the sandbox only: what the simulator does. One of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits.
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
