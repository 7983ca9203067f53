/** Lifetimes of codes, tokens and grants in seconds (docs/oauth-rules.md 64, 65 and 71). */
export const codeSeconds = 60
export const accessTokenSeconds = 3600
export const idTokenSeconds = 3600
/** An unused refresh token. */
export const refreshTokenSeconds = 14 * 86_400
/** A grant with all its refresh tokens, however often they are used. */
export const offlineGrantSeconds = 90 * 86_400
/**
 * A grant without refresh tokens: longer than its codes and tokens, so that a replay is recognised.
 */
export const onlineGrantSeconds = 86_400
/** A consent page: the person can sign in and decide within this time. */
export const screenSeconds = 600
/** After a new proof, the cookie of before is accepted for requests that are under way. */
export const previousCookieSeconds = 10
/** A person can approve an app for so long after a proof of presence. */
export const approvalProofSeconds = 15 * 60
/** A portal link that nobody has used. */
export const portalLinkSeconds = 15 * 60
/** The code of a handover: the browser goes to the other listener at once. */
export const handoverSeconds = 60
/** The link and code of a mail that signs in. */
export const mailSignInSeconds = 15 * 60
