import { Arg, Authorized, Ctx, Mutation, Resolver } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { NextSigningKey, SigningKeyUseValue } from './signing-key.type.ts'
import {
  replaceSigningKeys,
  rotateSigningKeys,
  turnSigningKeys,
} from './signing-key-rotation.service.ts'

const useValues = { openid: SigningKeyUseValue.OPENID, backends: SigningKeyUseValue.BACKENDS }
const everyEnvironment = [EnvironmentValue.live, EnvironmentValue.sandbox]

@Resolver()
export class SigningKeyResolver {
  @Authorized('service', 'admin')
  @Mutation(() => [NextSigningKey], {
    description: 'Publishes the next signing keys, an hour before they sign.',
  })
  async rotateSigningKeys(
    @Arg('environment', () => EnvironmentValue, {
      nullable: true,
      description: 'The environment; by default both.',
    })
    environment: EnvironmentValue | null,
    @Arg('uses', () => [SigningKeyUseValue], {
      nullable: true,
      description: 'The kinds of tokens that the keys sign; by default id tokens.',
    })
    uses: SigningKeyUseValue[] | null,
    @Arg('force', () => Boolean, {
      defaultValue: false,
      description: 'Whether to publish another key although the next one is already published.',
    })
    force: boolean,
    @Arg('emergency', () => Boolean, {
      defaultValue: false,
      description: 'Revokes the active key; the next one signs at once.',
    })
    emergency: boolean,
    @Ctx() context: OAuthContext,
  ): Promise<NextSigningKey[]> {
    const environments = environment ? [environment] : everyEnvironment
    const rings = [...new Set(uses ?? [SigningKeyUseValue.OPENID])].flatMap((use) =>
      environments.map((one) => ({ use, environment: one })),
    )
    const keys = emergency
      ? await replaceSigningKeys(context, rings)
      : await rotateSigningKeys(context, rings, force)
    return keys.map((key) => ({
      ...key,
      use: useValues[key.use],
      environment: EnvironmentValue[key.environment],
    }))
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description:
      'Publishes the successor of a key that has signed for its time; returns whether it had none.',
  })
  turnSigningKeys(
    @Arg('environment', () => EnvironmentValue, { description: 'The environment of the key.' })
    environment: EnvironmentValue,
    @Arg('kid', () => String, { description: 'The key.' }) kid: string,
    @Arg('use', () => SigningKeyUseValue, {
      nullable: true,
      description: 'The kind of tokens that the key signs; by default id tokens.',
    })
    use: SigningKeyUseValue | null,
    @Ctx() context: OAuthContext,
  ): Promise<boolean> {
    return turnSigningKeys(context, { use: use ?? 'openid', environment }, kid)
  }
}
