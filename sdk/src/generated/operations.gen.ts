// Generated from schema/generated/openapi.json by `npm run schema`; changes are lost.
import type { Binder } from '../operations/operation.ts'
import type * as types from './types.gen.ts'

export const version = '1.0.0'

/** Every operation of the document, by tag. */
export function bindOperations({ call, list }: Binder) {
  return {
    /** The product service below `/v1/campaigns`. Its operations cost credits. */
    campaigns: {
      /**
       * Create draft
       *
       * Drafts a campaign for a goal. Costs 10 credits.
       *
       * Needs the scope `campaigns:write`.
       */
      createDraft: call<types.CreateDraftData, types.CreateDraftResponses>(
        { method: 'POST', path: '/v1/campaigns/drafts', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Get draft
       *
       * Returns one draft. Free of charge.
       *
       * Needs the scope `campaigns:read`.
       */
      getDraft: call<types.GetDraftData, types.GetDraftResponses>(
        { method: 'GET', path: '/v1/campaigns/drafts/{draft_id}' },
      ),
    },
    /** The product service below `/v1/cloud`. Its operations cost credits. */
    cloud: {
      /**
       * List files
       *
       * Lists the files that are stored. Free of charge.
       *
       * Needs the scope `cloud:read`.
       */
      listFiles: call<types.ListFilesData, types.ListFilesResponses>(
        { method: 'GET', path: '/v1/cloud/files', query: ['limit'] },
      ),
      /**
       * Create file
       *
       * Stores a small file. Costs 1 credit.
       *
       * Needs the scope `cloud:write`.
       */
      createFile: call<types.CreateFileData, types.CreateFileResponses>(
        { method: 'POST', path: '/v1/cloud/files', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
    },
    /** The product service below `/v1/contacts`. Its operations cost credits. */
    contacts: {
      /**
       * Search contacts
       *
       * Finds contacts by company, role and place. Each contact found costs 1 credit, at most 25. Addresses and numbers stay hidden until revealed.
       *
       * Needs the scope `contacts:write`.
       */
      search: call<types.SearchContactsData, types.SearchContactsResponses>(
        { method: 'POST', path: '/v1/contacts/search', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Reveal contact
       *
       * Reveals how to reach a contact. Costs 5 credits, whatever is found.
       *
       * Needs the scope `contacts:write`.
       */
      reveal: call<types.RevealContactData, types.RevealContactResponses>(
        { method: 'POST', path: '/v1/contacts/reveal', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Get contact
       *
       * Returns a contact that was revealed before. Free of charge.
       *
       * Needs the scope `contacts:read`.
       */
      get: call<types.GetContactData, types.GetContactResponses>(
        { method: 'GET', path: '/v1/contacts/{contact_id}' },
      ),
    },
    /** The product service below `/v1/markets`. Its operations cost credits. */
    markets: {
      /**
       * List segments
       *
       * Lists the segments of a market with size and growth. Costs 3 credits.
       *
       * Needs the scope `markets:read`.
       */
      listSegments: call<types.ListSegmentsData, types.ListSegmentsResponses>(
        { method: 'GET', path: '/v1/markets/segments', query: ['industry', 'country'], idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Create report
       *
       * Orders a market report. Costs 50 credits.
       *
       * Needs the scope `markets:write`.
       */
      createReport: call<types.CreateReportData, types.CreateReportResponses>(
        { method: 'POST', path: '/v1/markets/reports', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
    },
    /** The product service below `/v1/promote`. Its operations cost credits. */
    promote: {
      /**
       * Create send
       *
       * Sends a message to up to 1000 recipients. Each recipient costs 1 credit.
       *
       * Needs the scope `promote:write`.
       */
      createSend: call<types.CreateSendData, types.CreateSendResponses>(
        { method: 'POST', path: '/v1/promote/sends', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Get send
       *
       * Returns how a send is going. Free of charge.
       *
       * Needs the scope `promote:read`.
       */
      getSend: call<types.GetSendData, types.GetSendResponses>(
        { method: 'GET', path: '/v1/promote/sends/{send_id}' },
      ),
    },
    /** The product service below `/v1/reviews`. Its operations cost credits. */
    reviews: {
      /**
       * List reviews
       *
       * Lists the reviews of a business. Each review costs 1 credit, at most 50.
       *
       * Needs the scope `reviews:read`.
       */
      list: call<types.ListReviewsData, types.ListReviewsResponses>(
        { method: 'GET', path: '/v1/reviews/items', query: ['business', 'min_rating', 'limit'], idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Create reply
       *
       * Sends an answer to a review. Costs 2 credits.
       *
       * Needs the scope `reviews:write`.
       */
      createReply: call<types.CreateReplyData, types.CreateReplyResponses>(
        { method: 'POST', path: '/v1/reviews/replies', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
    },
    /** The product service below `/v1/seo`. Its operations cost credits. */
    seo: {
      /**
       * List keywords
       *
       * Lists keywords around a topic, with search volume and difficulty. Costs 2 credits.
       *
       * Needs the scope `seo:read`.
       */
      listKeywords: call<types.ListKeywordsData, types.ListKeywordsResponses>(
        { method: 'GET', path: '/v1/seo/keywords', query: ['topic', 'country', 'limit'], idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Create audit
       *
       * Starts an audit of a site. Costs 20 credits.
       *
       * Needs the scope `seo:write`.
       */
      createAudit: call<types.CreateAuditData, types.CreateAuditResponses>(
        { method: 'POST', path: '/v1/seo/audits', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Get audit
       *
       * Returns the state and findings of an audit. Free of charge.
       *
       * Needs the scope `seo:read`.
       */
      getAudit: call<types.GetAuditData, types.GetAuditResponses>(
        { method: 'GET', path: '/v1/seo/audits/{audit_id}' },
      ),
    },
    /** The product service below `/v1/who-is-searching`. Its operations cost credits. */
    whoIsSearching: {
      /**
       * List visitors
       *
       * Lists the companies that visited a site lately. Each visitor costs 1 credit, at most 100.
       *
       * Needs the scope `who-is-searching:read`.
       */
      listVisitors: call<types.ListVisitorsData, types.ListVisitorsResponses>(
        { method: 'GET', path: '/v1/who-is-searching/visitors', query: ['domain', 'limit'], idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Get company
       *
       * Returns a company. Costs 4 credits.
       *
       * Needs the scope `who-is-searching:read`.
       */
      getCompany: call<types.GetCompanyData, types.GetCompanyResponses>(
        { method: 'GET', path: '/v1/who-is-searching/companies/{company_id}', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
    },
    /** The account that calls, and its balance. */
    account: {
      /**
       * Get account
       *
       * Returns the account that calls.
       *
       * Needs the scope `account:read`.
       */
      get: call<types.GetAccountData, types.GetAccountResponses>(
        { method: 'GET', path: '/v1/account' },
      ),
      /**
       * Get overview
       *
       * Returns account, usage, subscription and add-ons at a glance.
       *
       * Needs the scope `account:read`.
       */
      getOverview: call<types.GetOverviewData, types.GetOverviewResponses>(
        { method: 'GET', path: '/v1/account/overview' },
      ),
      /**
       * Get forecast
       *
       * Shows when the credits run out if they go on being spent as in the last 30 days: in a tenth, half and nine tenths of 1,000 possible futures of a year. They know the day of the week, lots that expire, allowances that come, and automatic recharging. The answer is kept for ten minutes; a grant, a purchase and every change that you make end it earlier.
       *
       * Needs the scope `account:read`.
       *
       * Counts as 5 requests in the rate limit.
       */
      getForecast: call<types.GetForecastData, types.GetForecastResponses>(
        { method: 'GET', path: '/v1/account/forecast' },
      ),
      /**
       * Get attention
       *
       * Lists what needs attention now: a webhook endpoint that fails, a payment that waits for a confirmation or is disputed, automatic recharging that failed or has no card, few credits, a budget of which 80 % are used, a key that expires within 7 days, a card that expires by the end of next month, an app that the operator has suspended. Each item needs the read scope of its area; what you may not read is left out. Tokens of apps see nothing of billing, keys and credits. The answer is kept for 30 seconds; a change that you make ends it earlier.
       *
       * Any API key will do; an access token needs the scope `openid` or `webhooks:read`.
       */
      getAttention: call<types.GetAttentionData, types.GetAttentionResponses>(
        { method: 'GET', path: '/v1/account/attention' },
      ),
      /**
       * Get credits
       *
       * Returns the caller's credits: balance, holds and what is available.
       *
       * Needs the scope `account:read`.
       */
      getCredits: call<types.GetCreditsData, types.GetCreditsResponses>(
        { method: 'GET', path: '/v1/account/credits' },
      ),
      /**
       * List credit lots
       *
       * Lists the lots that have credits left; those that are used first come first. Each grant, purchase, allowance and refund brings a lot. Together they have as many credits as the balance, less those that have expired a moment ago, or none while it is negative.
       *
       * Needs the scope `account:read`.
       */
      listCreditLots: list<types.ListCreditLotsData, types.ListCreditLotsResponses>(
        { method: 'GET', path: '/v1/account/credits/lots', query: ['limit', 'cursor'] },
      ),
      /**
       * List ledger entries
       *
       * Lists the entries of the caller's ledger, newest first.
       *
       * Needs the scope `account:read`.
       */
      listLedgerEntries: list<types.ListLedgerEntriesData, types.ListLedgerEntriesResponses>(
        { method: 'GET', path: '/v1/account/credits/ledger', query: ['limit', 'cursor', 'from', 'to', 'kind', 'request_id'] },
      ),
      /**
       * Get account budgets
       *
       * Returns the budgets of the account: what all its calls together may spend.
       *
       * Needs the scope `account:read`.
       */
      getBudgets: call<types.GetAccountBudgetsData, types.GetAccountBudgetsResponses>(
        { method: 'GET', path: '/v1/account/budgets' },
      ),
      /**
       * Change account budgets
       *
       * Replaces all budgets of the account by the list. A period that stays keeps its use, a new one starts at 0, and `[]` removes all. A key that has budgets itself cannot change any.
       *
       * Needs the scope `account:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      changeBudgets: call<types.ChangeAccountBudgetsData, types.ChangeAccountBudgetsResponses>(
        { method: 'PUT', path: '/v1/account/budgets', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * List external IDs
       *
       * Lists the external ids of the keys of the account, in the order of their characters. `keys` counts those that are not revoked or expired; `last_used_at` is of all of them.
       *
       * Needs the scope `keys:read`. Only an API key is accepted, no access token.
       */
      listExternalIds: list<types.ListExternalIdsData, types.ListExternalIdsResponses>(
        { method: 'GET', path: '/v1/account/external-ids', query: ['limit', 'cursor', 'q'] },
      ),
      /**
       * Get external ID
       *
       * Returns one external id. One that no key has yet, and that has no budgets, is answered too: with 0 keys.
       *
       * Needs the scope `keys:read`. Only an API key is accepted, no access token.
       */
      getExternalId: call<types.GetExternalIdData, types.GetExternalIdResponses>(
        { method: 'GET', path: '/v1/account/external-ids/{external_id}' },
      ),
      /**
       * Change external ID budgets
       *
       * Replaces all budgets of the external id by the list. Budgets can be set before a key has the external id. A period that stays keeps its use, a new one starts at 0, and `[]` removes all. A key that has budgets itself cannot change any.
       *
       * Needs the scope `keys:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      changeExternalIdBudgets: call<types.ChangeExternalIdBudgetsData, types.ChangeExternalIdBudgetsResponses>(
        { method: 'PUT', path: '/v1/account/external-ids/{external_id}/budgets', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * List sessions
       *
       * Lists the browsers that are signed in, newest first. A session sees and ends itself and those of its own key or person, and a key those that it has signed in. With `keys:write` they see and end all of the account. Sessions that were handed over to the other listener are in the list, with their `environment`.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       */
      listSessions: list<types.ListSessionsData, types.ListSessionsResponses>(
        { method: 'GET', path: '/v1/account/sessions', query: ['limit', 'cursor'] },
      ),
      /**
       * Open proven session
       *
       * Signs a browser in with a portal link, the code of a handover or the link of an invitation. Each works once. Who accepts an invitation becomes a member of the account. Only a page of this gateway may ask. With the cookie of a session of the same account, role and actor, a link proves this session again: its end stays, and its cookie is new. Any other session of the browser ends.
       */
      openProvenSession: call<types.OpenProvenSessionData, types.OpenProvenSessionResponses>(
        { method: 'POST', path: '/v1/account/sessions', body: 'json', isPublic: true },
      ),
      /**
       * End other sessions
       *
       * Ends all other sessions, also those that the calling one has handed over; a key ends all. A session sees and ends itself and those of its own key or person, and a key those that it has signed in. With `keys:write` they see and end all of the account. Sessions that were handed over to the other listener are in the list, with their `environment`.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       */
      endOtherSessions: call<types.EndOtherSessionsData, types.EndOtherSessionsResponses>(
        { method: 'DELETE', path: '/v1/account/sessions', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Get current session
       *
       * Shows the session of a browser. A request with an API key gets 404.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       */
      getCurrentSession: call<types.GetCurrentSessionData, types.GetCurrentSessionResponses>(
        { method: 'GET', path: '/v1/account/sessions/current' },
      ),
      /**
       * Get session
       *
       * Returns one browser that is signed in. A session sees and ends itself and those of its own key or person, and a key those that it has signed in. With `keys:write` they see and end all of the account. Sessions that were handed over to the other listener are in the list, with their `environment`.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       */
      getSession: call<types.GetSessionData, types.GetSessionResponses>(
        { method: 'GET', path: '/v1/account/sessions/{session_id}' },
      ),
      /**
       * End one session
       *
       * Ends a session, with those on the other listener that were handed over from it. A session sees and ends itself and those of its own key or person, and a key those that it has signed in. With `keys:write` they see and end all of the account. Sessions that were handed over to the other listener are in the list, with their `environment`.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       */
      endOneSession: call<types.EndOneSessionData, types.EndOneSessionResponses>(
        { method: 'DELETE', path: '/v1/account/sessions/{session_id}', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * List members
       *
       * Lists the members of the account and its invitations, newest first. `state` is `invited` until somebody accepts, then `active`, or `unconfirmed` if no mail has brought the link to the address. In the sandbox it is a conflict.
       *
       * Needs the scope `members:read`. Only an API key is accepted, no access token.
       */
      listMembers: list<types.ListMembersData, types.ListMembersResponses>(
        { method: 'GET', path: '/v1/account/members', query: ['limit', 'cursor'] },
      ),
      /**
       * Invite member
       *
       * Sends an invitation, whose link works once, within 7 days. An address that is a member or invited is a conflict, as is the 21st open invitation. One address gets 3 invitations a day, whoever invites; beyond that the answer is the same and no mail is sent. Where no mails can be sent, `link` is shown, this once.
       *
       * Only the session of a person is accepted, whose role has the scope `members:write`.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      inviteMember: call<types.InviteMemberData, types.InviteMemberResponses>(
        { method: 'POST', path: '/v1/account/members', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key', isPublic: true },
      ),
      /**
       * Change myself
       *
       * Changes the name of the calling member, and begins a change of the address. A new address takes effect when the member has confirmed it by the link of a mail, in every account of the person; that needs a fresh proof. The own address confirms an `unconfirmed` member. The answer is the same for an address that another person has, to which no link is mailed. A key, and a person whom a portal link has signed in, is no member: 404.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       *
       * Some of this needs a fresh proof of identity if the session of a browser asks: `email`, unless it is the own one.
       */
      changeMyself: call<types.ChangeMyselfData, types.ChangeMyselfResponses>(
        { method: 'PATCH', path: '/v1/account/members/me', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Confirm my address
       *
       * Confirms an address by the link that was mailed to it, in a session of the member who has asked. It works once, within 24 hours, and the newest link only. The person has the address from then on in every account, and the former address gets a mail. Every refusal is the same 404.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       */
      confirmMyAddress: call<types.ConfirmMyAddressData, types.ConfirmMyAddressResponses>(
        { method: 'POST', path: '/v1/account/members/me/email', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Change member
       *
       * Changes the role of a member or an invitation. It counts from the next request of the member on. Open invitations that the member may no longer give end. Only an OWNER makes or changes an OWNER; the last one stays: 409, as where the own membership has changed meanwhile.
       *
       * Only the session of a person is accepted, whose role has the scope `members:write`.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      changeMember: call<types.ChangeMemberData, types.ChangeMemberResponses>(
        { method: 'PATCH', path: '/v1/account/members/{member_id}', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key', isPublic: true },
      ),
      /**
       * Remove member
       *
       * Removes a member or an invitation. The sessions of the member end at once, and with them the invitations by the member that are open. `keys` says what becomes of the keys that the member has issued; those that the console made for the member end in any case. Only an OWNER removes an OWNER; the last one stays: 409.
       *
       * Only the session of a person is accepted, whose role has the scope `members:write`.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      removeMember: call<types.RemoveMemberData, types.RemoveMemberResponses>(
        { method: 'DELETE', path: '/v1/account/members/{member_id}', query: ['keys'], idempotencyHeader: 'X-SVC-Idempotency-Key', isPublic: true },
      ),
      /**
       * Resend invitation
       *
       * Sends an invitation again, with a new link; the link of before is void. It counts among the 3 a day to an address. An invitation that was accepted is a conflict.
       *
       * Only the session of a person is accepted, whose role has the scope `members:write`.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      resendInvitation: call<types.ResendInvitationData, types.ResendInvitationResponses>(
        { method: 'POST', path: '/v1/account/members/{member_id}/resend', idempotencyHeader: 'X-SVC-Idempotency-Key', isPublic: true },
      ),
      /**
       * List passkeys
       *
       * Lists the passkeys of the calling member. `unavailable` says why none can be added or used here. From `removable_from` to `removable_until` a session without a proof may remove them: it was asked for without a passkey. `mail_sign_in` says whether the member can sign in to this account by mail too: `off` without mails, `unconfirmed` before the address is confirmed, `passkeys_only` where the account takes nothing else. A key, and a person whom a portal link has signed in, is no member: 404. In the sandbox it is a conflict.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       */
      listPasskeys: call<types.ListPasskeysData, types.ListPasskeysResponses>(
        { method: 'GET', path: '/v1/account/members/me/passkeys' },
      ),
      /**
       * Add passkey
       *
       * Adds a passkey that the browser has made. The person and the OWNERs of all accounts of the person get a mail. With the first passkey, a sign-in by mail stops being a proof, in sessions of before too. A running request to remove passkeys ends. After 20 changes of the person's passkeys within a day it is a 429. A key, and a person whom a portal link has signed in, is no member: 404. In the sandbox it is a conflict.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      addPasskey: call<types.AddPasskeyData, types.AddPasskeyResponses>(
        { method: 'POST', path: '/v1/account/members/me/passkeys', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Begin adding passkey
       *
       * Creates what the browser needs to make a passkey: `options` goes into `navigator.credentials.create`. It can be answered once, by this session, within 5 minutes. A person has at most 10 passkeys: beyond that it is a conflict, as where passkeys are off. A key, and a person whom a portal link has signed in, is no member: 404. In the sandbox it is a conflict.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      beginAddingPasskey: call<types.BeginAddingPasskeyData, types.BeginAddingPasskeyResponses>(
        { method: 'POST', path: '/v1/account/members/me/passkeys/options', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Remove passkey
       *
       * Removes a passkey. A session that a mail has opened, and no passkey has proven, gets 202 and waits: from `removable_from`, 24 hours later, until `removable_until` any such session may repeat it. The person and the OWNERs are told at once, and a sign-in with a passkey, or a new passkey, ends the wait. A wait counts among the 20 changes a day. A passkey that an account needs, which takes passkeys alone, is a conflict. A key, and a person whom a portal link has signed in, is no member: 404. In the sandbox it is a conflict.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       *
       * Some of this needs a fresh proof of identity if the session of a browser asks: in a session that a passkey has proven before; a session that a mail has opened waits instead.
       */
      removePasskey: call<types.RemovePasskeyData, types.RemovePasskeyResponses>(
        { method: 'DELETE', path: '/v1/account/members/me/passkeys/{passkey_id}', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Begin passkey sign in
       *
       * Creates what the browser needs to use a passkey: `options` goes into `navigator.credentials.get`. It can be answered once, within 5 minutes, by the browser that gets the cookie of this answer. Only a page of this gateway may ask. Where passkeys are off it is a conflict, and the message says why.
       */
      beginPasskeySignIn: call<types.BeginPasskeySignInData, types.BeginPasskeySignInResponses>(
        { method: 'POST', path: '/v1/account/sessions/passkey/options', isPublic: true },
      ),
      /**
       * Sign in with passkey
       *
       * Signs a browser in with a passkey. A person of several accounts gets `accounts`, and no `session` yet; a second request `{ account_id }` chooses one, with the same cookie and within 5 minutes. Every refusal is the same 403: a passkey that is unknown, removed or disabled, a signature of another origin, one without a check of the person, one that was used before. A counter that does not grow disables the passkey. Only a page of this gateway may ask.
       */
      signInWithPasskey: call<types.SignInWithPasskeyData, types.SignInWithPasskeyResponses>(
        { method: 'POST', path: '/v1/account/sessions/passkey', body: 'json', isPublic: true },
      ),
      /**
       * Begin passkey proof
       *
       * Creates what the browser needs to use one of the own passkeys. It can be answered once, by this session, within 5 minutes. Without a passkey that works, and where passkeys are off, it is a conflict. A key, and a person whom a portal link has signed in, is no member: 404. In the sandbox it is a conflict.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       */
      beginPasskeyProof: call<types.BeginPasskeyProofData, types.BeginPasskeyProofResponses>(
        { method: 'POST', path: '/v1/account/sessions/current/passkey/options', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Prove with passkey
       *
       * Proves the calling session with a passkey of its member. The session and its end stay; its cookie is new. Refusals are those of the sign-in.
       */
      proveWithPasskey: call<types.ProveWithPasskeyData, types.ProveWithPasskeyResponses>(
        { method: 'POST', path: '/v1/account/sessions/current/passkey', body: 'json', isPublic: true },
      ),
      /**
       * Get sign in setting
       *
       * Returns whether the members of the account sign in by passkey alone. In the sandbox it is a conflict.
       *
       * Needs the scope `members:read`. Only an API key is accepted, no access token.
       */
      getSignInSetting: call<types.GetSignInSettingData, types.GetSignInSettingResponses>(
        { method: 'GET', path: '/v1/account/sign-in' },
      ),
      /**
       * Change sign in setting
       *
       * Sets whether the members of the account sign in by passkey alone, or by mail too. It needs two OWNERs with a passkey, or one OWNER with two: 409. While it is so, a change that would end this is a conflict, too. Sessions that are open, keys, portal links and invitations go on as before.
       *
       * Only the session of a person is accepted, whose role has the scope `members:write`.
       *
       * Of people, only an OWNER may.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      changeSignInSetting: call<types.ChangeSignInSettingData, types.ChangeSignInSettingResponses>(
        { method: 'PUT', path: '/v1/account/sign-in', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key', isPublic: true },
      ),
      /**
       * Get webhook event
       *
       * Finds an event by the `webhook-id` of its messages, with its newest 20 deliveries. Events are kept as long as their deliveries, by default 30 days.
       *
       * Needs the scope `webhooks:read`.
       */
      getWebhookEvent: call<types.GetWebhookEventData, types.GetWebhookEventResponses>(
        { method: 'GET', path: '/v1/account/webhook-events/{event_id}' },
      ),
      /**
       * Get notifications
       *
       * Returns the addresses that get mails about the caller's events.
       *
       * Needs the scope `account:read`. Only an API key is accepted, no access token.
       */
      getNotifications: call<types.GetNotificationsData, types.GetNotificationsResponses>(
        { method: 'GET', path: '/v1/account/notifications' },
      ),
      /**
       * Change notifications
       *
       * Replaces the addresses that get mails about the caller's events. New addresses get a mail with a link to confirm, unless too many accounts have asked the same address today; then a later request that names it causes the mail.
       *
       * Needs the scope `account:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      changeNotifications: call<types.ChangeNotificationsData, types.ChangeNotificationsResponses>(
        { method: 'PUT', path: '/v1/account/notifications', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Follow confirmation link
       *
       * Returns the address that a link confirms.
       */
      followConfirmationLink: call<types.FollowConfirmationLinkData, types.FollowConfirmationLinkResponses>(
        { method: 'GET', path: '/v1/account/notifications/confirm', query: ['token'], isPublic: true },
      ),
      /**
       * Confirm notification email
       *
       * Confirms the address that a link belongs to.
       */
      confirmNotificationEmail: call<types.ConfirmNotificationEmailData, types.ConfirmNotificationEmailResponses>(
        { method: 'POST', path: '/v1/account/notifications/confirm', query: ['token'], isPublic: true },
      ),
      /**
       * Follow unsubscribe link
       *
       * Returns the address that a link removes.
       */
      followUnsubscribeLink: call<types.FollowUnsubscribeLinkData, types.FollowUnsubscribeLinkResponses>(
        { method: 'GET', path: '/v1/account/notifications/unsubscribe', query: ['token'], isPublic: true },
      ),
      /**
       * Remove notification email
       *
       * Removes the address that a link belongs to. A repetition changes nothing.
       */
      removeNotificationEmail: call<types.RemoveNotificationEmailData, types.RemoveNotificationEmailResponses>(
        { method: 'POST', path: '/v1/account/notifications/unsubscribe', query: ['token'], isPublic: true },
      ),
      /**
       * Preview a sign-in
       *
       * Shows whom a portal link, a handover or an invitation would sign in, and changes nothing. Only a page of this gateway may ask. `signed_in_as` is another account that the browser is signed in as, and would no longer be; with an invitation it is any account.
       */
      getSignInPreview: call<types.GetSignInPreviewData, types.GetSignInPreviewResponses>(
        { method: 'POST', path: '/v1/account/sessions/preview', body: 'json', isPublic: true },
      ),
      /**
       * Ask for mail
       *
       * Creates a request for a mail with a link and a code of 8 digits. Both work once, within 15 minutes, and only in the browser that gets the cookie of this answer. The answer is the same for every address: only members whose address is confirmed get a mail, and only within the limits of an hour. Only a page of this gateway may ask. In the sandbox, and where no mails can be sent, it is a conflict.
       */
      askForMail: call<types.AskForMailData, types.AskForMailResponses>(
        { method: 'POST', path: '/v1/account/sessions/mail/request', body: 'json', isPublic: true },
      ),
      /**
       * Sign in by mail
       *
       * Signs a browser in with the link or the code of the mail that it has asked for. A person of several accounts gets `accounts`, and no `session` yet; a second request with the same link or code and `account_id` chooses one. With the cookie of a session of the same member, the session is proven again: its end stays, and its cookie is new. Any other session of the browser ends. Every refusal is the same 404; five wrong codes end the request, and 20 within a day end codes for the address. Only a page of this gateway may ask.
       */
      signInByMail: call<types.SignInByMailData, types.SignInByMailResponses>(
        { method: 'POST', path: '/v1/account/sessions/mail', body: 'json', isPublic: true },
      ),
      /**
       * Create handover
       *
       * Creates a handover, which leads the browser to the other listener and signs it in there. The code in the fragment of `url` works once, within 60 seconds. A session of live may open the sandbox and return. A session that was opened on the sandbox stays there. The other session has the same key, or role and actor, ends with this one, and is not fresh for what needs a fresh proof. A session of a live key acts on the state of the sandbox with the scopes of the key.
       */
      createHandover: call<types.CreateHandoverData, types.CreateHandoverResponses>(
        { method: 'POST', path: '/v1/account/sessions/handover', isPublic: true },
      ),
      /**
       * Get agent settings
       *
       * Returns what the caller's account permits agents.
       *
       * Needs the scope `account:read`. Only an API key is accepted, no access token.
       */
      getAgentSettings: call<types.GetAgentSettingsData, types.GetAgentSettingsResponses>(
        { method: 'GET', path: '/v1/account/agents' },
      ),
      /**
       * Change agent settings
       *
       * Changes what the caller's account permits agents.
       *
       * Needs the scope `account:write`. Only an API key is accepted, no access token.
       *
       * Of people, only an OWNER may.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      changeAgentSettings: call<types.ChangeAgentSettingsData, types.ChangeAgentSettingsResponses>(
        { method: 'PUT', path: '/v1/account/agents', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
    },
    /** Keys of the account, and what each of them may do. */
    keys: {
      /**
       * Reset key budget
       *
       * Sets the use of a budget to 0. Calls in progress do not count any more. A key that has budgets itself cannot do this.
       *
       * Needs the scope `keys:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      resetBudget: call<types.ResetKeyBudgetData, types.ResetKeyBudgetResponses>(
        { method: 'POST', path: '/v1/account/keys/{key_id}/budgets/{period}/reset', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * List API keys
       *
       * Lists the caller's keys, newest first.
       *
       * Needs the scope `keys:read`. Only an API key is accepted, no access token.
       */
      list: list<types.ListApiKeysData, types.ListApiKeysResponses>(
        { method: 'GET', path: '/v1/account/keys', query: ['limit', 'cursor', 'q', 'status', 'external_id'] },
      ),
      /**
       * Issue API key
       *
       * Issues an API key. Scopes, allowlist and expiry that are left out are those of the calling key. It can issue no key with scopes that it lacks, and none that is limited less than itself: with an allowlist, every range of the new key must lie in one of its own ranges; with an expiry, the new key must end no later. A key with a budget, of its own or through its external id, can issue none.
       *
       * Needs the scope `keys:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      issue: call<types.IssueApiKeyData, types.IssueApiKeyResponses>(
        { method: 'POST', path: '/v1/account/keys', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Get current API key
       *
       * Returns the API key that calls. In a session it is the key that has signed in. A person who has none gets 404.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       */
      getCurrent: call<types.GetCurrentApiKeyData, types.GetCurrentApiKeyResponses>(
        { method: 'GET', path: '/v1/account/keys/current' },
      ),
      /**
       * Get API key
       *
       * Returns one of the caller's keys.
       *
       * Needs the scope `keys:read`. Only an API key is accepted, no access token.
       */
      get: call<types.GetApiKeyData, types.GetApiKeyResponses>(
        { method: 'GET', path: '/v1/account/keys/{key_id}' },
      ),
      /**
       * Change API key
       *
       * Changes an API key. Members that are left out stay as they are. The calling key must hold the scopes that the key has and shall have, and must have no allowlist or expiry that is narrower than those of the key, before or after: it cannot loosen its own limits. A key with a budget, of its own or through its external id, can change no budget and no external id.
       *
       * Needs the scope `keys:write`. Only an API key is accepted, no access token.
       *
       * Some of this needs a fresh proof of identity if the session of a browser asks: `scopes`, `ip_allowlist`, `expires_at`, `budgets`, `external_id`; `enabled: true` of a disabled key.
       */
      change: call<types.ChangeApiKeyData, types.ChangeApiKeyResponses>(
        { method: 'PATCH', path: '/v1/account/keys/{key_id}', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Revoke API key
       *
       * Revokes a key, at once and for good; revoking again changes nothing. The calling key must hold the scopes of the key that ends; every key may revoke itself.
       *
       * Needs the scope `keys:write`. Only an API key is accepted, no access token.
       */
      revoke: call<types.RevokeOwnApiKeyData, types.RevokeOwnApiKeyResponses>(
        { method: 'DELETE', path: '/v1/account/keys/{key_id}', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Undo disable API key
       *
       * Enables a disabled key again, without a fresh proof. Only the session that has disabled it can do this, within 60 seconds; every other caller gets 403, and it gets 409 later. To enable a key otherwise, change its `enabled`.
       *
       * Needs the scope `keys:write`. Only an API key is accepted, no access token.
       */
      undoDisable: call<types.UndoDisableApiKeyData, types.UndoDisableApiKeyResponses>(
        { method: 'POST', path: '/v1/account/keys/{key_id}/undo-disable', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Rotate API key
       *
       * Replaces an API key by a new one. The new key has the name, scopes, allowlist, expiry, external id and metadata of the old one, and is enabled like it. The calling key must hold these scopes, and must not have a narrower allowlist or expiry. Both keys spend from the same budgets. A key with a budget can rotate itself only.
       *
       * Needs the scope `keys:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      rotate: call<types.RotateApiKeyData, types.RotateApiKeyResponses>(
        { method: 'POST', path: '/v1/account/keys/{key_id}/rotate', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
    },
    /** Credits, packages, recharging, payments and invoices. */
    billing: {
      /**
       * List plans
       *
       * Lists the plans on sale, and shows the plan of the caller.
       *
       * Needs the scope `billing:read`. Only an API key is accepted, no access token.
       */
      listPlans: call<types.ListPlansData, types.ListPlansResponses>(
        { method: 'GET', path: '/v1/billing/plans' },
      ),
      /**
       * Quote calls
       *
       * Judges 1 to 100 calls of product operations as if they were made now, each on its own, and asks no product. Nothing is charged or held, and no idempotency key is used up. Counts in the rate limit as one request for every ten calls begun. In the sandbox the prices are those of the live API.
       *
       * Needs one of the scopes of products, such as `contacts:read`. `available` and `budget_remaining` are null without `account:read` and without the scope of one of the calls.
       */
      quoteCalls: call<types.QuoteCallsData, types.QuoteCallsResponses>(
        { method: 'POST', path: '/v1/quotes', body: 'json' },
      ),
      /**
       * Get billing
       *
       * Returns the caller's billing at a glance.
       *
       * Needs the scope `billing:read`.
       */
      get: call<types.GetBillingData, types.GetBillingResponses>(
        { method: 'GET', path: '/v1/account/billing' },
      ),
      /**
       * Configure auto recharge
       *
       * Changes the settings of automatic recharging.
       *
       * Needs the scope `billing:write`. Only an API key is accepted, no access token.
       *
       * Some of this needs a fresh proof of identity if the session of a browser asks: turning it on, another package, a higher threshold, a higher or no monthly cap.
       */
      configureAutoRecharge: call<types.ConfigureAutoRechargeData, types.ConfigureAutoRechargeResponses>(
        { method: 'PATCH', path: '/v1/account/auto-recharge', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Receive payment notification
       *
       * Receives a notification of a payment provider.
       */
      receivePaymentNotification: call<types.ReceivePaymentNotificationData, types.ReceivePaymentNotificationResponses>(
        { method: 'POST', path: '/v1/billing/notifications/{provider}', body: 'json', isPublic: true },
      ),
      /**
       * List invoices
       *
       * Lists the caller's invoices, newest first.
       *
       * Needs the scope `billing:read`.
       */
      listInvoices: list<types.ListInvoicesData, types.ListInvoicesResponses>(
        { method: 'GET', path: '/v1/billing/invoices', query: ['limit', 'cursor'] },
      ),
      /**
       * Get invoice
       *
       * Returns one of the caller's invoices.
       *
       * Needs the scope `billing:read`.
       */
      getInvoice: call<types.GetInvoiceData, types.GetInvoiceResponses>(
        { method: 'GET', path: '/v1/billing/invoices/{invoice_id}' },
      ),
      /**
       * Download invoice PDF
       *
       * Returns the printed invoice or credit note, with seller, buyer, the day or period of supply, payment method, tax and total. It is rendered when it is first asked for and kept: from then on you get the same bytes. An open invoice is printed again once it is paid.
       *
       * Needs the scope `billing:read`.
       */
      getInvoicePdf: call<types.GetInvoicePdfData, types.GetInvoicePdfResponses>(
        { method: 'GET', path: '/v1/billing/invoices/{invoice_id}.pdf' },
      ),
      /**
       * Get billing details
       *
       * Returns the recipient of the caller's invoices.
       *
       * Needs the scope `billing:read`. Only an API key is accepted, no access token.
       */
      getDetails: call<types.GetBillingDetailsData, types.GetBillingDetailsResponses>(
        { method: 'GET', path: '/v1/billing/details' },
      ),
      /**
       * Change billing details
       *
       * Replaces the recipient of invoices, whole. The country decides the tax of what you buy from then on; invoices that were made out before keep what they say. In the EU, `tax_id` is a VAT id of the country: spaces, dots and hyphens in it are removed. Letters that the fonts of the operator lack, and text from right to left, are 422: the message names the fields and the letters.
       *
       * Needs the scope `billing:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      changeDetails: call<types.ChangeBillingDetailsData, types.ChangeBillingDetailsResponses>(
        { method: 'PUT', path: '/v1/billing/details', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Buy a package
       *
       * Buys a credit package. Without a payment method, `action_url` is a page of the payment provider where the payer chooses one. A declined stored card is a 201 with the state `failed`. After 5 declined cards in an hour this is a 429 that names the limit, and with 10 open checkouts a 409.
       *
       * Needs the scope `billing:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      checkout: call<types.CheckoutData, types.CheckoutResponses>(
        { method: 'POST', path: '/v1/billing/checkout', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Preview checkout
       *
       * Shows what a package costs the caller, with tax. Nothing is bought.
       *
       * Needs the scope `billing:read`. Only an API key is accepted, no access token.
       */
      previewCheckout: call<types.PreviewCheckoutData, types.PreviewCheckoutResponses>(
        { method: 'GET', path: '/v1/billing/checkout/preview', query: ['package_id'] },
      ),
      /**
       * List payments
       *
       * Lists every payment of the account with its source, newest first: checkouts, recharges, renewals and changes of the plan.
       *
       * Needs the scope `billing:read`. Only an API key is accepted, no access token.
       */
      listPayments: list<types.ListPaymentsData, types.ListPaymentsResponses>(
        { method: 'GET', path: '/v1/billing/payments', query: ['limit', 'cursor'] },
      ),
      /**
       * Get payment
       *
       * Returns one of the caller's payments.
       *
       * Needs the scope `billing:read`. Only an API key is accepted, no access token.
       */
      getPayment: call<types.GetPaymentData, types.GetPaymentResponses>(
        { method: 'GET', path: '/v1/billing/payments/{payment_id}' },
      ),
      /**
       * Get next recharge
       *
       * Shows what automatic recharging would buy next, or why it would buy nothing.
       *
       * Needs the scope `billing:read`. Only an API key is accepted, no access token.
       */
      getNextRecharge: call<types.GetNextRechargeData, types.GetNextRechargeResponses>(
        { method: 'GET', path: '/v1/billing/next-recharge' },
      ),
      /**
       * List checkouts
       *
       * Lists the caller's checkouts, newest first.
       *
       * Needs the scope `billing:read`. Only an API key is accepted, no access token.
       */
      listCheckouts: list<types.ListCheckoutsData, types.ListCheckoutsResponses>(
        { method: 'GET', path: '/v1/billing/checkouts', query: ['limit', 'cursor'] },
      ),
      /**
       * Get checkout
       *
       * Returns one of the caller's checkouts.
       *
       * Needs the scope `billing:read`. Only an API key is accepted, no access token.
       */
      getCheckout: call<types.GetCheckoutData, types.GetCheckoutResponses>(
        { method: 'GET', path: '/v1/billing/checkouts/{checkout_id}' },
      ),
      /**
       * List payment methods
       *
       * Lists the caller's stored payment methods, newest first.
       *
       * Needs the scope `billing:read`. Only an API key is accepted, no access token.
       */
      listPaymentMethods: list<types.ListPaymentMethodsData, types.ListPaymentMethodsResponses>(
        { method: 'GET', path: '/v1/billing/payment-methods', query: ['limit', 'cursor'] },
      ),
      /**
       * Get payment method
       *
       * Returns one of the caller's stored payment methods.
       *
       * Needs the scope `billing:read`. Only an API key is accepted, no access token.
       */
      getPaymentMethod: call<types.GetPaymentMethodData, types.GetPaymentMethodResponses>(
        { method: 'GET', path: '/v1/billing/payment-methods/{payment_method_id}' },
      ),
      /**
       * Delete payment method
       *
       * Removes a stored payment method, here and at the provider. The default one cannot be removed while automatic recharging is on or a subscription is active.
       *
       * Needs the scope `billing:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      deletePaymentMethod: call<types.DeletePaymentMethodData, types.DeletePaymentMethodResponses>(
        { method: 'DELETE', path: '/v1/billing/payment-methods/{payment_method_id}', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Set default payment method
       *
       * Makes a stored payment method the one that recharges and renewals use. A card of a disputed payment is refused until the operator lifts the block.
       *
       * Needs the scope `billing:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      setDefaultPaymentMethod: call<types.SetDefaultPaymentMethodData, types.SetDefaultPaymentMethodResponses>(
        { method: 'POST', path: '/v1/billing/payment-methods/{payment_method_id}/default', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Follow return link
       *
       * Returns the state of the payment that a link belongs to.
       */
      followReturnLink: call<types.FollowReturnLinkData, types.FollowReturnLinkResponses>(
        { method: 'GET', path: '/billing/return', query: ['checkout_id', 'expires', 'signature'], isPublic: true },
      ),
      /**
       * Get return status
       *
       * Returns the state of the payment that a link belongs to.
       */
      getReturnStatus: call<types.GetReturnStatusData, types.GetReturnStatusResponses>(
        { method: 'GET', path: '/billing/return/status', query: ['checkout_id', 'expires', 'signature'], isPublic: true },
      ),
      /**
       * Show simulated payment
       *
       * Shows the payment on the page of the simulated provider.
       */
      showSimulatedPayment: call<types.ShowSimulatedPaymentData, types.ShowSimulatedPaymentResponses>(
        { method: 'GET', path: '/billing/simulated', query: ['payment_id', 'signature'], isPublic: true },
      ),
      /**
       * Decide simulated payment
       *
       * Makes a choice on the page of the simulated provider.
       */
      decideSimulatedPayment: call<types.DecideSimulatedPaymentData, types.DecideSimulatedPaymentResponses>(
        { method: 'POST', path: '/billing/simulated', query: ['payment_id', 'signature'], body: 'form', isPublic: true },
      ),
    },
    /** Subscription, Mass Mail and Rank Tracking. */
    subscription: {
      /**
       * Preview plan
       *
       * Shows what another plan would do and cost, and changes nothing. A start and a higher plan take effect once they are paid: `due_cents` is the difference of the prices for the seconds that are left of the period, rounded up, and `granted_credits` that of the allowances, rounded down. Send `quote_id` with the change: for ten minutes it has these amounts. A lower plan begins with the next period. What the state does not permit is the same 409 as for the change.
       *
       * Needs the scope `billing:write`. Only an API key is accepted, no access token.
       */
      previewPlan: call<types.PreviewPlanData, types.PreviewPlanResponses>(
        { method: 'POST', path: '/v1/account/subscription/preview', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Change plan
       *
       * Starts a subscription, or changes its plan: up once it is paid, down with the next period. The default payment method pays; without one, `action_url` is a page of the payment provider. Until the payment is settled, `status` is `pending_payment` and the plan is as it was; if it is declined, this is a 402 `PAYMENT_DECLINED` and nothing changes. A lower plan and a cancellation replace each other; the present plan withdraws a lower one. A change is a 409 while another one is pending, with an old `quote_id`, and beyond three upgrades in a period.
       *
       * Needs the scope `billing:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      changePlan: call<types.ChangePlanData, types.ChangePlanResponses>(
        { method: 'POST', path: '/v1/account/subscription', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Cancel subscription
       *
       * Cancels a subscription at the end of its period.
       *
       * Needs the scope `account:write`. Only an API key is accepted, no access token.
       */
      cancel: call<types.CancelSubscriptionData, types.CancelSubscriptionResponses>(
        { method: 'POST', path: '/v1/account/subscription/cancel', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Resume subscription
       *
       * Withdraws a scheduled cancellation.
       *
       * Needs the scope `account:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      resume: call<types.ResumeSubscriptionData, types.ResumeSubscriptionResponses>(
        { method: 'POST', path: '/v1/account/subscription/resume', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Get add-ons
       *
       * Returns the caller's add-ons.
       *
       * Needs the scope `account:read`.
       */
      getAddons: call<types.GetAddonsData, types.GetAddonsResponses>(
        { method: 'GET', path: '/v1/account/addons' },
      ),
      /**
       * Cancel mass mail
       *
       * Cancels Mass Mail at the end of its period.
       *
       * Needs the scope `account:write`. Only an API key is accepted, no access token.
       */
      cancelMassMail: call<types.CancelMassMailData, types.CancelMassMailResponses>(
        { method: 'POST', path: '/v1/account/addons/mass-mail/cancel', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * List tracked keywords
       *
       * Lists the caller's tracked keywords, newest first.
       *
       * Needs the scope `account:read`.
       */
      listTrackedKeywords: list<types.ListTrackedKeywordsData, types.ListTrackedKeywordsResponses>(
        { method: 'GET', path: '/v1/account/addons/rank-tracking/keywords', query: ['limit', 'cursor'] },
      ),
      /**
       * Track keyword
       *
       * Tracks a keyword with the Rank Tracking add-on.
       *
       * Needs the scope `account:write`. Only an API key is accepted, no access token.
       */
      trackKeyword: call<types.TrackKeywordData, types.TrackKeywordResponses>(
        { method: 'POST', path: '/v1/account/addons/rank-tracking/keywords', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Untrack keyword
       *
       * Stops tracking a keyword.
       *
       * Needs the scope `account:write`. Only an API key is accepted, no access token.
       */
      untrackKeyword: call<types.UntrackKeywordData, types.UntrackKeywordResponses>(
        { method: 'DELETE', path: '/v1/account/addons/rank-tracking/keywords/{keyword_id}', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
    },
    /** The key of the sandbox, where nothing costs or changes anything. */
    sandbox: {
      /**
       * Get sandbox
       *
       * Returns the caller's sandbox. A live caller sees it, too.
       *
       * Needs the scope `account:read`. Only an API key is accepted, no access token.
       */
      get: call<types.GetSandboxData, types.GetSandboxResponses>(
        { method: 'GET', path: '/v1/account/sandbox' },
      ),
      /**
       * Reset sandbox
       *
       * Revokes all sandbox keys of the account and issues one. The new key has the scopes, the allowlist and the expiry of the calling key.
       *
       * Needs the scope `account:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      reset: call<types.ResetSandboxData, types.ResetSandboxResponses>(
        { method: 'POST', path: '/v1/account/sandbox/reset', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
    },
    /** Requests of the account, and their cost. */
    usage: {
      /**
       * List usage log
       *
       * Lists the caller's requests, newest first.
       *
       * Needs the scope `usage:read`.
       */
      listLog: list<types.ListUsageLogData, types.ListUsageLogResponses>(
        { method: 'GET', path: '/v1/account/usage/log', query: ['limit', 'cursor', 'from', 'to', 'service', 'status_class', 'request_id', 'min_credits', 'key_id', 'client_id', 'external_id', 'end_user', 'source', 'endpoint', 'error_code', 'extended'] },
      ),
      /**
       * Summarize usage
       *
       * Counts whole hours or days in UTC, whatever the filters: `from` is rounded down to the beginning of its interval, and `to` up to the end of its interval. The answer has both as they were rounded. By default `to` is now, and `from` a day before it, or 30 days for days.
       *
       * Needs the scope `account:read` or `usage:read`.
       */
      summarize: call<types.SummarizeUsageData, types.SummarizeUsageResponses>(
        { method: 'GET', path: '/v1/account/usage/summary', query: ['from', 'to', 'interval', 'group_by', 'service', 'status_class', 'key_id', 'client_id', 'external_id'] },
      ),
      /**
       * List usage errors
       *
       * Counts the requests of keys and apps that were answered with a status from 400, in the last 7 days unless a span is given. At most the newest 10,000 are counted, and the 100 largest groups are shown.
       *
       * Needs the scope `account:read` or `usage:read`.
       */
      listErrors: call<types.ListUsageErrorsData, types.ListUsageErrorsResponses>(
        { method: 'GET', path: '/v1/account/usage/errors', query: ['from', 'to', 'service', 'status_class', 'key_id', 'client_id', 'external_id', 'error_code', 'extended'] },
      ),
    },
    /** Changes and refused attempts, and exports of both. */
    audit: {
      /**
       * List audit events
       *
       * Lists the changes of the caller's account with their actors, newest first.
       *
       * Needs the scope `audit:read`.
       */
      listEvents: list<types.ListAuditEventsData, types.ListAuditEventsResponses>(
        { method: 'GET', path: '/v1/account/audit/events', query: ['limit', 'cursor', 'from', 'to', 'actor', 'action', 'resource_id', 'result'] },
      ),
      /**
       * List audit exports
       *
       * Lists the caller's exports, newest first: at most 200.
       *
       * Needs the scope `audit:read`.
       */
      listExports: call<types.ListAuditExportsData, types.ListAuditExportsResponses>(
        { method: 'GET', path: '/v1/account/audit/export' },
      ),
      /**
       * Create audit export
       *
       * Begins an export; at most three wait or run at the same time.
       *
       * Needs the scope `audit:write`. Only an API key is accepted, no access token.
       */
      createExport: call<types.CreateAuditExportData, types.CreateAuditExportResponses>(
        { method: 'POST', path: '/v1/account/audit/export', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Get audit export
       *
       * Returns one export of the caller.
       *
       * Needs the scope `audit:read`. Some answers need `usage:read` besides.
       */
      getExport: call<types.GetAuditExportData, types.GetAuditExportResponses>(
        { method: 'GET', path: '/v1/account/audit/export/{job_id}' },
      ),
      /**
       * Repeat audit export
       *
       * Begins another export with the filters of an earlier one.
       *
       * Needs the scope `audit:write`. Only an API key is accepted, no access token.
       */
      repeatExport: call<types.RepeatAuditExportData, types.RepeatAuditExportResponses>(
        { method: 'POST', path: '/v1/account/audit/export/{job_id}/re-export', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Follow audit export link
       *
       * Returns the file that a link leads to.
       */
      followExportLink: call<types.FollowAuditExportLinkData, types.FollowAuditExportLinkResponses>(
        { method: 'GET', path: '/v1/account/audit/export/{job_id}/result', query: ['expires', 'signature'], isPublic: true },
      ),
    },
    /** Where events are sent, and what became of them. */
    webhooks: {
      /**
       * List webhook endpoints
       *
       * Lists the caller's webhook endpoints, newest first.
       *
       * Needs the scope `webhooks:read`.
       */
      listEndpoints: list<types.ListWebhookEndpointsData, types.ListWebhookEndpointsResponses>(
        { method: 'GET', path: '/v1/account/webhooks', query: ['limit', 'cursor'] },
      ),
      /**
       * Create webhook endpoint
       *
       * Creates an endpoint that events are sent to.
       *
       * Needs the scope `webhooks:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      createEndpoint: call<types.CreateWebhookEndpointData, types.CreateWebhookEndpointResponses>(
        { method: 'POST', path: '/v1/account/webhooks', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Change webhook endpoint
       *
       * Changes an endpoint, and enables or disables it.
       *
       * Needs the scope `webhooks:write`. Only an API key is accepted, no access token.
       *
       * Some of this needs a fresh proof of identity if the session of a browser asks: `url`, `events`, `status: "enabled"`.
       */
      changeEndpoint: call<types.ChangeWebhookEndpointData, types.ChangeWebhookEndpointResponses>(
        { method: 'PATCH', path: '/v1/account/webhooks/{endpoint_id}', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Delete webhook endpoint
       *
       * Deletes an endpoint, with its unsent messages.
       *
       * Needs the scope `webhooks:write`. Only an API key is accepted, no access token.
       */
      deleteEndpoint: call<types.DeleteWebhookEndpointData, types.DeleteWebhookEndpointResponses>(
        { method: 'DELETE', path: '/v1/account/webhooks/{endpoint_id}', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Rotate webhook secret
       *
       * Replaces the secret of an endpoint.
       *
       * Needs the scope `webhooks:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      rotateSecret: call<types.RotateWebhookSecretData, types.RotateWebhookSecretResponses>(
        { method: 'POST', path: '/v1/account/webhooks/{endpoint_id}/rotate', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Test webhook endpoint
       *
       * Sends `webhook.test` to one endpoint.
       *
       * Needs the scope `webhooks:write`. Only an API key is accepted, no access token.
       */
      testEndpoint: call<types.TestWebhookEndpointData, types.TestWebhookEndpointResponses>(
        { method: 'POST', path: '/v1/account/webhooks/{endpoint_id}/test', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * List webhook deliveries
       *
       * Lists the deliveries to an endpoint with their newest 20 attempts. `response_text` has the first KiB of what the receiver answered, without control characters; it is kept for 7 days and shown to callers with `webhooks:write`.
       *
       * Needs the scope `webhooks:read`.
       */
      listDeliveries: list<types.ListWebhookDeliveriesData, types.ListWebhookDeliveriesResponses>(
        { method: 'GET', path: '/v1/account/webhooks/{endpoint_id}/deliveries', query: ['limit', 'cursor', 'status', 'event_type'] },
      ),
      /**
       * Get webhook delivery
       *
       * Finds a delivery with its newest 20 attempts, as the list shows it: `response_text` needs `webhooks:write`.
       *
       * Needs the scope `webhooks:read`.
       */
      getDelivery: call<types.GetWebhookDeliveryData, types.GetWebhookDeliveryResponses>(
        { method: 'GET', path: '/v1/account/webhooks/{endpoint_id}/deliveries/{delivery_id}' },
      ),
      /**
       * Resend webhook delivery
       *
       * Sends a delivery again at once.
       *
       * Needs the scope `webhooks:write`. Only an API key is accepted, no access token.
       */
      resendDelivery: call<types.ResendWebhookDeliveryData, types.ResendWebhookDeliveryResponses>(
        { method: 'POST', path: '/v1/account/webhooks/deliveries/{delivery_id}/resend', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Resend webhook deliveries
       *
       * Sends again all deliveries that were queued in the span, of the status if one is given; at most 10,000. They are queued again after the answer; until then, another span of the endpoint is a conflict.
       *
       * Needs the scope `webhooks:write`. Only an API key is accepted, no access token.
       */
      resendDeliveries: call<types.ResendWebhookDeliveriesData, types.ResendWebhookDeliveriesResponses>(
        { method: 'POST', path: '/v1/account/webhooks/{endpoint_id}/resend', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * List webhook event types
       *
       * Lists the types of events that webhooks send, with an example of each.
       *
       * Needs the scope `webhooks:read`.
       */
      listEventTypes: call<types.ListWebhookEventTypesData, types.ListWebhookEventTypesResponses>(
        { method: 'GET', path: '/v1/account/webhooks/event-types' },
      ),
    },
    /** The OAuth 2.0 and OpenID Connect provider. */
    oauth: {
      /**
       * Get JWKS
       *
       * Returns the public signing keys, oldest first.
       */
      getJwks: call<types.GetJwksData, types.GetJwksResponses>(
        { method: 'GET', path: '/v1/.well-known/jwks.json', isPublic: true },
      ),
      /**
       * Get OpenID configuration
       *
       * Returns the discovery document.
       */
      getOpenidConfiguration: call<types.GetOpenidConfigurationData, types.GetOpenidConfigurationResponses>(
        { method: 'GET', path: '/v1/.well-known/openid-configuration', isPublic: true },
      ),
      /**
       * Get OAuth server metadata
       *
       * Returns the discovery document.
       */
      getAuthorizationServer: call<types.GetOauthAuthorizationServerData, types.GetOauthAuthorizationServerResponses>(
        { method: 'GET', path: '/.well-known/oauth-authorization-server/v1', isPublic: true },
      ),
      /**
       * Show an authorization
       *
       * Shows what an app asks of an account holder, and changes nothing. With `login_required`, a browser signs in first. Where the app asks for a sign-in of its own (`prompt=login`, `prompt=select_account`, `max_age=0`), no earlier sign-in counts: send the `continue_token` of this answer with the sign-in, and again with this request, unchanged. The account holder can decide on this answer until `expires_at`.
       */
      authorize: call<types.AuthorizeData, types.AuthorizeResponses>(
        { method: 'GET', path: '/v1/oauth/authorize', query: ['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce', 'code_challenge', 'code_challenge_method', 'prompt', 'max_age', 'resource', 'request', 'request_uri', 'registration', 'continue_token'] },
      ),
      /**
       * Decide on consent
       *
       * Approves or denies what an app asks of the owner who calls. Only this operation makes authorization codes.
       */
      consent: call<types.ConsentData, types.ConsentResponses>(
        { method: 'POST', path: '/v1/oauth/consent', query: ['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce', 'code_challenge', 'code_challenge_method', 'prompt', 'max_age', 'resource', 'request', 'request_uri', 'registration', 'consent_token', 'budgets', 'decision'], body: 'form' },
      ),
      /**
       * Exchange for tokens
       *
       * Exchanges a code or a refresh token for tokens (RFC 6749).
       */
      token: call<types.TokenData, types.TokenResponses>(
        { method: 'POST', path: '/v1/oauth/token', body: 'form', isPublic: true },
      ),
      /**
       * Revoke a token
       *
       * Ends a token of the app that calls, whether or not there is one: the answer tells nothing.
       */
      revoke: call<types.RevokeData, types.RevokeResponses>(
        { method: 'POST', path: '/v1/oauth/revoke', body: 'form', isPublic: true },
      ),
      /**
       * Introspect a token
       *
       * Shows whether a token of the app that calls is valid (RFC 7662).
       */
      introspect: call<types.IntrospectData, types.IntrospectResponses>(
        { method: 'POST', path: '/v1/oauth/introspect', body: 'form', isPublic: true },
      ),
      /**
       * Open session
       *
       * Signs a browser in with an API key. The session can do what the key can, and ends with it. If the browser has a session of the same key, that session stays and is proven again: its cookie changes, its end does not. Any other session that the browser had ends. With the `continue_token` of a request the sign-in counts as one for this request, and for one decision.
       *
       * Any API key will do, whatever its scopes. An access token is refused.
       */
      openSession: call<types.OpenSessionData, types.OpenSessionResponses>(
        { method: 'POST', path: '/v1/oauth/session', body: 'json' },
      ),
      /**
       * End session
       *
       * Ends the session of the browser, if it has one.
       */
      endSession: call<types.EndSessionData, types.EndSessionResponses>(
        { method: 'DELETE', path: '/v1/oauth/session', isPublic: true },
      ),
      /**
       * Get userinfo
       *
       * Returns the claims about the account holder that the caller may read.
       *
       * Any API key will do; an access token needs the scope `openid`.
       */
      getUserinfo: call<types.GetUserinfoData, types.GetUserinfoResponses>(
        { method: 'GET', path: '/v1/oauth/userinfo' },
      ),
      /**
       * Post userinfo
       *
       * Returns the claims about the account holder that the caller may read.
       *
       * Any API key will do; an access token needs the scope `openid`.
       */
      postUserinfo: call<types.PostUserinfoData, types.PostUserinfoResponses>(
        { method: 'POST', path: '/v1/oauth/userinfo', body: 'form' },
      ),
      /**
       * Get MCP resource metadata
       *
       * Returns where agents get tokens for the tools, and for which scopes; NOT_FOUND where there are no tools.
       */
      getProtectedResource: call<types.GetProtectedResourceData, types.GetProtectedResourceResponses>(
        { method: 'GET', path: '/.well-known/oauth-protected-resource/mcp', isPublic: true },
      ),
      /**
       * Register without key
       *
       * Registers an app of no account, for agents without a document of their own. It is public, and can ask for the tools at `{base_url}/mcp` alone. An app that nobody approves is deleted after 30 days.
       */
      registerItself: call<types.RegisterItselfData, types.RegisterItselfResponses>(
        { method: 'POST', path: '/v1/oauth/register', body: 'json', isPublic: true },
      ),
    },
    /** Apps that an account registers, and what it has granted to apps. */
    oauthApps: {
      /**
       * List apps
       *
       * Lists the caller's OAuth apps, newest first.
       *
       * Needs the scope `oauth:read`. Only an API key is accepted, no access token.
       */
      list: list<types.ListAppsData, types.ListAppsResponses>(
        { method: 'GET', path: '/v1/oauth/apps', query: ['limit', 'cursor'] },
      ),
      /**
       * Register app
       *
       * Registers an app of the caller's account.
       *
       * Needs the scope `oauth:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      register: call<types.RegisterAppData, types.RegisterAppResponses>(
        { method: 'POST', path: '/v1/oauth/apps', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Get app
       *
       * Finds one OAuth app of the caller.
       *
       * Needs the scope `oauth:read`. Only an API key is accepted, no access token.
       */
      get: call<types.GetAppData, types.GetAppResponses>(
        { method: 'GET', path: '/v1/oauth/apps/{client_id}' },
      ),
      /**
       * Change app
       *
       * Changes an app. Members that are left out stay as they are, and null removes a link. The calling key must cover the scopes that are added. A new redirect host, or another scope, ends all consents to the app and all grants, with their tokens: every account is asked again.
       *
       * Needs the scope `oauth:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      change: call<types.ChangeAppData, types.ChangeAppResponses>(
        { method: 'PATCH', path: '/v1/oauth/apps/{client_id}', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Suspend app
       *
       * Suspends an app of the caller's account, or for an operator any app, and revokes everything that was granted to it.
       *
       * Needs the scope `oauth:write`. Only an API key is accepted, no access token.
       */
      suspend: call<types.SuspendAppData, types.SuspendAppResponses>(
        { method: 'DELETE', path: '/v1/oauth/apps/{client_id}', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Rotate app secret
       *
       * Replaces the secret of an app. Until `previous_secret_expires_at` the secret before it is accepted too. Only one is: a second rotation ends the first overlap. Tokens and consents stay.
       *
       * Needs the scope `oauth:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      rotateSecret: call<types.RotateAppSecretData, types.RotateAppSecretResponses>(
        { method: 'POST', path: '/v1/oauth/apps/{client_id}/rotate', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * List app owners
       *
       * Lists the accounts that have approved an app of yours, with what its calls cost them in the last 30 days. Budgets are shown of those that granted `account:read`, because the app may read them itself.
       *
       * Needs the scope `oauth:read`. Only an API key is accepted, no access token.
       */
      listOwners: list<types.ListAppOwnersData, types.ListAppOwnersResponses>(
        { method: 'GET', path: '/v1/oauth/apps/{client_id}/owners', query: ['limit', 'cursor'] },
      ),
      /**
       * List consents
       *
       * Lists the consents of the caller, newest first.
       *
       * Needs the scope `oauth:read`. Only an API key is accepted, no access token.
       */
      listConsents: list<types.ListConsentsData, types.ListConsentsResponses>(
        { method: 'GET', path: '/v1/oauth/consents', query: ['limit', 'cursor'] },
      ),
      /**
       * Change consent
       *
       * Changes the budgets of an app. Budgets survive the withdrawal of a consent and count for the next one. A key with a budget, of its own or through its external id, can change no consent.
       *
       * Needs the scope `oauth:write`. Only an API key is accepted, no access token.
       *
       * This needs a fresh proof of identity if the session of a browser asks.
       */
      changeConsent: call<types.ChangeConsentData, types.ChangeConsentResponses>(
        { method: 'PATCH', path: '/v1/oauth/consents/{client_id}', body: 'json', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
      /**
       * Withdraw consent
       *
       * Withdraws the caller's consent to an app, and revokes the app's tokens.
       *
       * Needs the scope `oauth:write`. Only an API key is accepted, no access token.
       */
      withdrawConsent: call<types.WithdrawConsentData, types.WithdrawConsentResponses>(
        { method: 'DELETE', path: '/v1/oauth/consents/{client_id}', idempotencyHeader: 'X-SVC-Idempotency-Key' },
      ),
    },
    /** The gateway itself: health, readiness and this document. */
    gateway: {
      /**
       * Get health
       *
       * Returns 200 as long as the process lives, from its first moment on, and is never refused by a rate limit. With `backends=1` every service is asked too; what they answered is shared for a second.
       */
      getHealth: call<types.GetHealthData, types.GetHealthResponses>(
        { method: 'GET', path: '/v1/health', query: ['backends'], isPublic: true },
      ),
      /**
       * Get readiness
       *
       * Returns 200 once the gateway can serve requests, and 503 while the process starts or stops and while something that it needs is unavailable. Never refused by a rate limit; no service is asked.
       */
      getReadiness: call<types.GetReadinessData, types.GetReadinessResponses>(
        { method: 'GET', path: '/v1/ready', isPublic: true },
      ),
      /**
       * Get OpenAPI document
       *
       * Returns the OpenAPI document of this gateway, with its own addresses. Send `If-None-Match` to learn whether it is still the same.
       */
      getOpenapi: call<types.GetOpenapiData, types.GetOpenapiResponses>(
        { method: 'GET', path: '/v1/openapi.json', isPublic: true },
      ),
    },
  }
}
