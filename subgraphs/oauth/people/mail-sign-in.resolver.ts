import { Arg, Args, Authorized, Ctx, ID, Mutation, Resolver } from 'type-graphql'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { askForMail, mailSignIn, signInByMail } from './mail-sign-in.service.ts'
import { AskedMail, AskForMailArgs, MailSignIn, MailSignInArgs } from './mail-sign-in.type.ts'

@Resolver()
export class MailSignInResolver {
  @Authorized('anonymous')
  @Mutation(() => AskedMail, {
    description:
      'Asks for a mail with a link and a code to sign in. The answer is the same for every address.',
  })
  askForMail(
    @Args(() => AskForMailArgs) asked: AskForMailArgs,
    @Ctx() context: OAuthContext,
  ): Promise<AskedMail> {
    return askForMail(context, asked)
  }

  @Authorized('anonymous')
  @Mutation(() => MailSignIn, {
    description: 'Signs a browser in with the link or the code of the mail that it has asked for.',
  })
  signInByMail(
    @Args(() => MailSignInArgs) proof: MailSignInArgs,
    @Ctx() context: OAuthContext,
  ): Promise<MailSignIn> {
    return signInByMail(context, proof)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description:
      'Mails the link and the code of a request, if its address is a member’s. Always true.',
  })
  mailSignIn(
    @Arg('id', () => ID, { description: '`msi_…`' }) id: string,
    @Arg('sealedEmail', () => String, { description: 'The mail address in lower case, sealed.' })
    sealedEmail: string,
    @Ctx() context: OAuthContext,
  ): Promise<boolean> {
    return mailSignIn(context, id, sealedEmail)
  }
}
