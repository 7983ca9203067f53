import { Ctx, Query, Resolver } from 'type-graphql'
import { openidConfiguration } from './discovery.service.ts'
import { OpenidConfiguration } from './discovery.type.ts'
import { Jwks } from './jwk.type.ts'
import type { OAuthContext } from './settings/oauth-settings.ts'
import { listPublishedKeys } from './signing-key.service.ts'

/** Public: anybody may read what anybody needs to verify a token. */
@Resolver()
export class DiscoveryResolver {
  @Query(() => Jwks, { description: 'The public signing keys, oldest first.' })
  async jwks(@Ctx() context: OAuthContext): Promise<Jwks> {
    return { keys: await listPublishedKeys(context) }
  }

  @Query(() => OpenidConfiguration, { description: 'The discovery document.' })
  openidConfiguration(@Ctx() { baseUrls, docsUrl, caller }: OAuthContext): OpenidConfiguration {
    return openidConfiguration(baseUrls[caller.environment], docsUrl)
  }
}
