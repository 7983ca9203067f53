import { buildSubgraph } from '../shared/graph/build-subgraph.ts'
import { inProcessExecutor } from '../shared/graph/in-process.ts'
import type { Subgraph } from '../shared/graph/subgraph.ts'
import { baselineIn } from '../shared/migrating/baseline.ts'
import { Account } from './accounts/account.type.ts'
import { ClosedAccountResolver } from './accounts/closed-account.resolver.ts'
import { AgentResolver } from './agents/agent.resolver.ts'
import { AccountAppsResolver } from './apps/account-apps.resolver.ts'
import { OAuthAppEntity } from './apps/app.entity.ts'
import { OAuthAppResolver } from './apps/app.resolver.ts'
import { AppOwnerResolver } from './apps/app-owner.resolver.ts'
import { ClientOriginResolver } from './apps/client-origin.resolver.ts'
import { AppAttentionResolver } from './attention/attention.resolver.ts'
import { AuthorizationResolver } from './authorization/authorization.resolver.ts'
import { AccountConsentsResolver } from './consents/account-consents.resolver.ts'
import { GrantedConsentEntity } from './consents/granted-consent.entity.ts'
import { GrantedConsentResolver } from './consents/granted-consent.resolver.ts'
import { AccountMembersResolver } from './people/account-members.resolver.ts'
import { MailSignInResolver } from './people/mail-sign-in.resolver.ts'
import { PasskeyResolver } from './people/passkey.resolver.ts'
import { PeopleResolver } from './people/people.resolver.ts'
import { PortalResolver } from './portal/portal.resolver.ts'
import { DiscoveryResolver } from './provider/discovery.resolver.ts'
import { UserinfoResolver } from './provider/userinfo.resolver.ts'
import { AccountSessionsResolver } from './sessions/account-sessions.resolver.ts'
import { SessionResolver } from './sessions/session.resolver.ts'
import { SessionListResolver } from './sessions/session-list.resolver.ts'
import type { OAuthSettings } from './settings/oauth-settings.ts'
import { BackendSigningKeyResolver } from './signing-keys/backend-signing-key.resolver.ts'
import { SigningKeyResolver } from './signing-keys/signing-key.resolver.ts'
import { SigningKeyListResolver } from './signing-keys/signing-key-list.resolver.ts'
import { ExpiredGrantsResolver } from './tokens/expired-grants.resolver.ts'
import { TokenResolver } from './tokens/token.resolver.ts'
import { VerifiedAccessTokenResolver } from './tokens/verified-access-token.resolver.ts'

export { writeDemoApp } from './apps/demo-app.ts'

/** The oauth subgraph: the OAuth 2.0 / OpenID Connect provider. */
export const oauth: Subgraph<OAuthSettings> = {
  name: 'oauth',
  entities: [OAuthAppEntity, GrantedConsentEntity],
  migrations: [baselineIn('oauth/migrations')],
  jobs: [
    'TurnSigningKeys',
    'EndGrants',
    'InviteOwner',
    'MailSignIn',
    'MailAddressChange',
    'FinishPasskeyReset',
  ],
  executor: inProcessExecutor,
  buildSchema: () =>
    buildSubgraph({
      resolvers: [
        AccountAppsResolver,
        AccountConsentsResolver,
        AccountMembersResolver,
        AccountSessionsResolver,
        AgentResolver,
        AppAttentionResolver,
        AppOwnerResolver,
        MailSignInResolver,
        OAuthAppResolver,
        AuthorizationResolver,
        BackendSigningKeyResolver,
        ClientOriginResolver,
        ClosedAccountResolver,
        DiscoveryResolver,
        ExpiredGrantsResolver,
        GrantedConsentResolver,
        PasskeyResolver,
        PeopleResolver,
        PortalResolver,
        SessionListResolver,
        SessionResolver,
        SigningKeyListResolver,
        SigningKeyResolver,
        TokenResolver,
        UserinfoResolver,
        VerifiedAccessTokenResolver,
      ],
      orphanedTypes: [Account],
    }),
}
