import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql'
import { OpenedSession } from '../sessions/session.type.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { createHandover } from './handover.service.ts'
import { CreatedHandover } from './handover.type.ts'
import { createPortalLink } from './portal-link.service.ts'
import { CreatePortalLinkInput, CreatePortalLinkPayload } from './portal-link.type.ts'
import { previewSignIn, signIn } from './sign-in.service.ts'
import { SignInPreview, SignInProof } from './sign-in.type.ts'

@Resolver()
export class PortalResolver {
  @Authorized('support')
  @Mutation(() => CreatePortalLinkPayload, {
    description:
      'Makes a link that signs a person in to the console. The role support may make links for a VIEWER only.',
  })
  createPortalLink(
    @Arg('input', () => CreatePortalLinkInput, { description: 'The person, and the role.' })
    input: CreatePortalLinkInput,
    @Ctx() context: OAuthContext,
  ): Promise<CreatePortalLinkPayload> {
    return createPortalLink(context, input)
  }

  @Authorized('account')
  @Mutation(() => CreatedHandover, {
    description: 'Makes a code that opens a session of the same caller on the other listener.',
  })
  createHandover(@Ctx() context: OAuthContext): Promise<CreatedHandover> {
    return createHandover(context)
  }

  @Authorized('service')
  @Query(() => SignInPreview, {
    nullable: true,
    description:
      'The person or key that a link or code signs in, in the environment of the call; null without one.',
  })
  signInPreview(
    @Args(() => SignInProof) proof: SignInProof,
    @Ctx() context: OAuthContext,
  ): Promise<SignInPreview | null> {
    return previewSignIn(context, proof)
  }

  @Authorized('anonymous')
  @Mutation(() => OpenedSession, {
    description: 'Signs a browser in with a link or a code. Both work once.',
  })
  openProvenSession(
    @Args(() => SignInProof) proof: SignInProof,
    @Ctx() context: OAuthContext,
  ): Promise<OpenedSession> {
    return signIn(context, proof)
  }
}
