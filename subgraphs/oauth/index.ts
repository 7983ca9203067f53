import { buildSubgraph } from '../shared/build-subgraph.ts'
import { inProcessExecutor } from '../shared/in-process.ts'
import type { Subgraph } from '../shared/subgraph.ts'
import { Account } from './account.type.ts'
import { AccountAppsResolver } from './account-apps.resolver.ts'
import { AccountConsentsResolver } from './account-consents.resolver.ts'
import { OAuthAppEntity } from './app.entity.ts'
import { OAuthAppResolver } from './app.resolver.ts'
import { AuthorizationResolver } from './authorization.resolver.ts'
import { BackendSigningKeyResolver } from './backend-signing-key.resolver.ts'
import { ClientOriginResolver } from './client-origin.resolver.ts'
import { ClosedAccountResolver } from './closed-account.resolver.ts'
import { DiscoveryResolver } from './discovery.resolver.ts'
import { ExpiredGrantsResolver } from './forgotten.resolver.ts'
import { GrantedConsentEntity } from './granted-consent.entity.ts'
import { GrantedConsentResolver } from './granted-consent.resolver.ts'
import { SigningKeys0001 } from './migrations/0001-signing-keys.ts'
import { SigningKeyRotation0002 } from './migrations/0002-signing-key-rotation.ts'
import { Provider0003 } from './migrations/0003-provider.ts'
import { SignedInFor0004 } from './migrations/0004-signed-in-for.ts'
import { BackendSigningKeys0005 } from './migrations/0005-backend-signing-keys.ts'
import { SessionResolver } from './session.resolver.ts'
import type { OAuthSettings } from './settings/oauth-settings.ts'
import { SigningKeyResolver } from './signing-key.resolver.ts'
import { TokenResolver } from './token.resolver.ts'
import { UserinfoResolver } from './userinfo.resolver.ts'
import { VerifiedAccessTokenResolver } from './verified-access-token.resolver.ts'

/** The oauth subgraph: the OAuth 2.0 / OpenID Connect provider. */
export const oauth: Subgraph<OAuthSettings> = {
  name: 'oauth',
  entities: [OAuthAppEntity, GrantedConsentEntity],
  migrations: [
    SigningKeys0001,
    SigningKeyRotation0002,
    Provider0003,
    SignedInFor0004,
    BackendSigningKeys0005,
  ],
  jobs: ['TurnSigningKeys', 'EndGrants'],
  executor: inProcessExecutor,
  buildSchema: () =>
    buildSubgraph({
      resolvers: [
        AccountAppsResolver,
        AccountConsentsResolver,
        OAuthAppResolver,
        AuthorizationResolver,
        BackendSigningKeyResolver,
        ClientOriginResolver,
        ClosedAccountResolver,
        DiscoveryResolver,
        ExpiredGrantsResolver,
        GrantedConsentResolver,
        SessionResolver,
        SigningKeyResolver,
        TokenResolver,
        UserinfoResolver,
        VerifiedAccessTokenResolver,
      ],
      orphanedTypes: [Account],
    }),
}
