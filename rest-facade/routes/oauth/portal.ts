import { z } from 'zod'
import { emailAddress } from '../../http/fields/email-address.ts'
import { shown, text } from '../../http/input.ts'
import { portalRoute } from '../kinds/portal-route.ts'

/** The secret in the fragment of the page's address. */
const proof = z
  .strictObject({
    portal_token: text(1, 200)
      .register(shown, { description: 'The fragment of a portal link. It works once.' })
      .optional(),
    handover_code: text(1, 200)
      .register(shown, {
        description: 'The fragment of the address of a handover. It works once.',
      })
      .optional(),
    invitation_token: text(1, 200)
      .register(shown, { description: 'The fragment of the link of an invitation. It works once.' })
      .optional(),
  })
  .refine((proof) => Object.values(proof).filter((one) => one !== undefined).length === 1, {
    path: ['portal_token'],
    message: 'must be sent, or handover_code or invitation_token instead',
  })

const mailRequest = z.strictObject({
  email: emailAddress.clone().register(shown, {
    schema: { type: 'string', format: 'email', maxLength: 254 },
    description: 'The mail address of a member.',
  }),
})

/** The secret of a mail. */
const mailProof = z
  .strictObject({
    mail_token: text(1, 200)
      .register(shown, { description: 'The fragment of the link of the mail.' })
      .optional(),
    mail_code: text(1, 20)
      .register(shown, { description: 'The code of the mail: 8 digits.' })
      .optional(),
    account_id: text(1, 200)
      .register(shown, { description: 'The account, for a person who is a member of several.' })
      .optional(),
  })
  .refine(
    ({ mail_token: token, mail_code: code }) => (token === undefined) !== (code === undefined),
    {
      path: ['mail_token'],
      message: 'must be sent, or mail_code instead',
    },
  )

/** The routes by which a person gets a session by a portal link, and a session goes to the other listener. */
export const portalRoutes = [
  portalRoute({
    method: 'post',
    path: '/account/sessions/preview',
    portalStep: 'preview',
    summary: 'Say whom a portal link, a handover or an invitation would sign in',
    description:
      'Shows whom a portal link, a handover or an invitation would sign in, and changes nothing. Only a page of this gateway may ask. `signed_in_as` is another account that the browser is signed in as, and would no longer be; with an invitation it is any account.',
    operation: 'GetSignInPreview',
    isExtension: true,
    body: proof,
  }),
  portalRoute({
    method: 'post',
    path: '/account/sessions',
    portalStep: 'sign-in',
    summary: 'Sign a browser in with a portal link, a handover or an invitation',
    description:
      'Signs a browser in with a portal link, the code of a handover or the link of an invitation. Each works once. Who accepts an invitation becomes a member of the account. Only a page of this gateway may ask. With the cookie of a session of the same account, role and actor, a link proves this session again: its end stays, and its cookie is new. Any other session of the browser ends.',
    operation: 'OpenProvenSession',
    isExtension: true,
    body: proof,
  }),
  portalRoute({
    method: 'post',
    path: '/account/sessions/mail/request',
    portalStep: 'ask-for-mail',
    summary: 'Ask for a mail to sign in',
    description:
      'Creates a request for a mail with a link and a code of 8 digits. Both work once, within 15 minutes, and only in the browser that gets the cookie of this answer. The answer is the same for every address: only members whose address is confirmed get a mail, and only within the limits of an hour. Only a page of this gateway may ask. In the sandbox, and where no mails can be sent, it is a conflict.',
    operation: 'AskForMail',
    isExtension: true,
    body: mailRequest,
  }),
  portalRoute({
    method: 'post',
    path: '/account/sessions/mail',
    portalStep: 'mail',
    summary: 'Sign a browser in with the link or the code of a mail',
    description:
      'Signs a browser in with the link or the code of the mail that it has asked for. A person of several accounts gets `accounts`, and no `session` yet; a second request with the same link or code and `account_id` chooses one. With the cookie of a session of the same member, the session is proven again: its end stays, and its cookie is new. Any other session of the browser ends. Every refusal is the same 404; five wrong codes end the request, and 20 within a day end codes for the address. Only a page of this gateway may ask.',
    operation: 'SignInByMail',
    isExtension: true,
    body: mailProof,
  }),
  portalRoute({
    method: 'post',
    path: '/account/sessions/handover',
    portalStep: 'hand-over',
    summary: 'Lead the browser to the other listener, signed in',
    description:
      'Creates a handover, which leads the browser to the other listener and signs it in there. The code in the fragment of `url` works once, within 60 seconds. A session of live may open the sandbox and return. A session that was opened on the sandbox stays there. The other session has the same key, or role and actor, ends with this one, and is not fresh for what needs a fresh proof. A session of a live key acts on the state of the sandbox with the scopes of the key.',
    operation: 'CreateHandover',
    isExtension: true,
  }),
]
