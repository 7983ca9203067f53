import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { BackendSigningKey } from './backend-signing-key.type.ts'
import { listBackendKeys } from './signing-key.service.ts'

@Resolver()
export class BackendSigningKeyResolver {
  @Authorized('service')
  @Query(() => [BackendSigningKey], {
    description: 'Every key that proves to backend modules who calls, of both environments.',
  })
  async backendSigningKeys(@Ctx() context: OAuthContext): Promise<BackendSigningKey[]> {
    const keys = await listBackendKeys(context)
    return keys.map((key) => ({ ...key, environment: EnvironmentValue[key.environment] }))
  }
}
