/** How long what is issued is accepted, in seconds (docs/oauth-rules.md 64, 65 and 71). */
export const codeSeconds = 60
export const accessTokenSeconds = 3600
export const idTokenSeconds = 3600
/** A refresh token that nobody uses. */
export const refreshTokenSeconds = 14 * 86_400
/** A grant with all its refresh tokens, however often they are used. */
export const offlineGrantSeconds = 90 * 86_400
/** A grant without refresh tokens: longer than anything that is issued for it, so that a replay is recognised. */
export const onlineGrantSeconds = 86_400
/** What is shown of a request: for so long it can be signed in for, and then decided. */
export const screenSeconds = 600
export const sessionIdleSeconds = 15 * 60
export const sessionSeconds = 8 * 3600
