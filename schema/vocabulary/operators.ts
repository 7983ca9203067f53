/** A link that nobody has used. */
export const operatorLinkSeconds = 15 * 60
/** The longest life of a session, however it is used. */
export const operatorSessionSeconds = 8 * 3600
/** A session that nobody uses ends after this time. */
export const operatorIdleSeconds = 30 * 60
/** The use of a session is written down once in this time. */
export const operatorUseSeconds = 60
/** A proof of who is at the browser permits for so long what needs a fresh one. */
export const operatorProofSeconds = 15 * 60

interface OperatorAct {
  /** The least role of an act that needs a fresh proof of who is at the browser; null: it needs none. */
  readonly provenRole: 'admin' | 'support' | null
}

/** The mutations that the operators' page may have run: what moves money or ends access needs a fresh proof. */
export const operatorActs: ReadonlyMap<string, OperatorAct> = new Map<string, OperatorAct>([
  ['adjustCredits', { provenRole: 'admin' }],
  ['grantCredits', { provenRole: 'admin' }],
  ['refundCharge', { provenRole: 'admin' }],
  ['refundPayment', { provenRole: 'admin' }],
  ['revokeApiKey', { provenRole: 'admin' }],
  // Suspends, resumes and closes an account, and sets its tiers.
  ['updateAccount', { provenRole: 'admin' }],
  // The link opens a session of the account that counts as a fresh proof there.
  ['createPortalLink', { provenRole: 'support' }],
  ['endSessionsOfAccount', { provenRole: null }],
  ['liftPaymentBlock', { provenRole: null }],
  ['retryJobs', { provenRole: null }],
])
/** An issuer is asked again which role an operator has, once in this time. */
export const operatorRoleSeconds = 15 * 60
/** A process that asks an issuer has failed if it has not said what the issuer answered within this time. */
export const operatorAnswerSeconds = 30
