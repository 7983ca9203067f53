import { Arg, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { verifyClient } from '../apps/client.service.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { endSession, findSession, signInWithKey } from './session.service.ts'
import { OpenedSession, VerifiedClient, VerifiedSession } from './session.type.ts'

const hexSha256 = 'Hexadecimal SHA-256 of the secret in the cookie.'

@Resolver()
export class SessionResolver {
  @Authorized('account')
  @Mutation(() => OpenedSession, {
    description:
      'Signs a browser in with the key that calls, or proves its session of this key anew.',
  })
  openSession(
    @Arg('previousHash', () => String, { nullable: true, description: hexSha256 })
    previousHash: string | null,
    @Arg('continueToken', () => String, {
      nullable: true,
      description:
        'The continue token of the authorization request, if that demands a sign-in of its own.',
    })
    continueToken: string | null,
    @Ctx() context: OAuthContext,
  ): Promise<OpenedSession> {
    const [previous, request] = [previousHash ?? null, continueToken ?? null]
    return signInWithKey(context, { previousHash: previous, continueToken: request })
  }

  @Authorized('anonymous')
  @Mutation(() => Boolean, {
    description: 'Signs a browser out; true, also if it was not signed in.',
  })
  async endSession(
    @Arg('secretHash', () => String, { description: hexSha256 }) secretHash: string,
    @Ctx() context: GraphContext,
  ): Promise<boolean> {
    await endSession(context, secretHash)
    return true
  }

  @Authorized('service')
  @Query(() => VerifiedSession, {
    nullable: true,
    description:
      'The open session with this hash in the environment of the call; null without one.',
  })
  verifiedSession(
    @Arg('secretHash', () => String, { description: hexSha256 }) secretHash: string,
    @Ctx() { database, caller }: GraphContext,
  ): Promise<VerifiedSession | null> {
    return findSession(database, secretHash, caller.environment)
  }

  @Authorized('service')
  @Query(() => VerifiedClient, {
    nullable: true,
    description: 'The app with this secret in the environment of the call; null without one.',
  })
  async verifiedClient(
    @Arg('clientId', () => String, { description: '`app_…`, or another text that was sent.' })
    clientId: string,
    @Arg('secretHash', () => String, {
      nullable: true,
      description: 'Hexadecimal SHA-256 of the secret; null for a public app, which sends none.',
    })
    secretHash: string | null,
    @Ctx() { database, caller }: GraphContext,
  ): Promise<VerifiedClient | null> {
    const client = await verifyClient(database, clientId, secretHash ?? null, caller.environment)
    return (
      client && {
        clientId: client.clientId,
        isConfidential: client.isConfidential,
        secretExpiresAt: client.provenUntil,
        origin: client.origin,
        account: client.accountId === null ? null : { id: client.accountId },
      }
    )
  }
}
