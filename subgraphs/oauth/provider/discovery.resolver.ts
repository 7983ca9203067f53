import { Ctx, Query, Resolver } from 'type-graphql'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { Jwks } from '../signing-keys/jwk.type.ts'
import { listPublishedKeys } from '../signing-keys/signing-key.service.ts'
import { openidConfiguration } from './discovery.service.ts'
import { OpenidConfiguration } from './discovery.type.ts'

/** Public: every verifier of tokens needs these facts. */
@Resolver()
export class DiscoveryResolver {
  @Query(() => Jwks, { description: 'Returns the public signing keys, oldest first.' })
  async jwks(@Ctx() context: OAuthContext): Promise<Jwks> {
    return { keys: await listPublishedKeys(context) }
  }

  @Query(() => OpenidConfiguration, { description: 'Returns the discovery document.' })
  openidConfiguration(
    @Ctx() { baseUrls, docsUrl, caller, oauth }: OAuthContext,
  ): OpenidConfiguration {
    return openidConfiguration(baseUrls[caller.environment], docsUrl, oauth.agents)
  }
}
