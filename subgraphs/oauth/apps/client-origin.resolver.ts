import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { listClientOrigins } from './client-origin.service.ts'
import { ClientOrigin } from './client-origin.type.ts'

@Resolver()
export class ClientOriginResolver {
  @Authorized('service')
  @Query(() => [ClientOrigin], {
    description: 'The origins of the redirect URIs of active apps, in the environment of the call.',
  })
  clientOrigins(@Ctx() { database, caller }: GraphContext): Promise<ClientOrigin[]> {
    return listClientOrigins(database, caller.environment)
  }
}
