import { Ctx, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../shared/context.ts'
import { openidConfiguration } from './discovery.service.ts'
import { OpenidConfiguration } from './discovery.type.ts'
import { Jwks } from './jwk.type.ts'
import { listPublishedKeys } from './signing-key.service.ts'

/** Public: anybody may read what anybody needs to verify a token. */
@Resolver()
export class DiscoveryResolver {
  @Query(() => Jwks, { description: 'The public signing keys, oldest first.' })
  async jwks(@Ctx() context: GraphContext): Promise<Jwks> {
    return { keys: await listPublishedKeys(context) }
  }

  @Query(() => OpenidConfiguration, { description: 'The discovery document.' })
  openidConfiguration(@Ctx() { baseUrls, docsUrl, caller }: GraphContext): OpenidConfiguration {
    return openidConfiguration(baseUrls[caller.environment], docsUrl)
  }
}
