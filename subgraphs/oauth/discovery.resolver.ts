import { Ctx, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../shared/context.ts'
import { openidConfiguration } from './discovery.service.ts'
import { Jwks, OpenidConfiguration } from './discovery.type.ts'
import { listSigningKeys } from './signing-key.service.ts'

/** Public: anybody may read what anybody needs to verify a token. */
@Resolver()
export class DiscoveryResolver {
  @Query(() => Jwks, { description: 'The public signing keys.' })
  async jwks(@Ctx() { database, gatewaySecret, caller }: GraphContext): Promise<Jwks> {
    return { keys: await listSigningKeys(database, gatewaySecret, caller.environment) }
  }

  @Query(() => OpenidConfiguration, { description: 'The discovery document.' })
  openidConfiguration(@Ctx() { baseUrls, docsUrl, caller }: GraphContext): OpenidConfiguration {
    return openidConfiguration(baseUrls[caller.environment], docsUrl)
  }
}
