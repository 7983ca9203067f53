import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import type { AccountContext } from '../../settings/account-settings.ts'
import { simulatedMethods } from '../providers/simulated-cards.ts'
import { decideSimulatedPayment, readSimulatedPage } from './simulated-page.service.ts'
import { SimulatedChoice, SimulatedPayment } from './simulated-page.type.ts'

const idArg = { description: '`pay_…`' }
const signatureArg = { description: 'The signature in the address of the page.' }

// The signature of the address authorises these calls.
@Resolver()
export class SimulatedPageResolver {
  @Authorized('anonymous')
  @Query(() => SimulatedPayment, {
    description: 'Shows the payment on the page of the simulated provider.',
  })
  simulatedPayment(
    @Arg('paymentId', () => ID, idArg) paymentId: string,
    @Arg('signature', () => String, signatureArg) signature: string,
    @Ctx() context: AccountContext,
  ): Promise<SimulatedPayment> {
    return readSimulatedPage(context, { paymentId, signature })
  }

  @Authorized('anonymous')
  @Mutation(() => SimulatedPayment, {
    description: 'Makes a choice on the page of the simulated provider.',
  })
  decideSimulatedPayment(
    @Arg('paymentId', () => ID, idArg) paymentId: string,
    @Arg('signature', () => String, signatureArg) signature: string,
    @Arg('choice', () => SimulatedChoice, { description: 'The choice.' })
    choice: SimulatedChoice,
    @Arg('card', () => String, {
      nullable: true,
      description: 'The name of the card; without it, a card that pays.',
    })
    card: string | null,
    @Ctx() context: AccountContext,
  ): Promise<SimulatedPayment> {
    const known = simulatedMethods.find((name) => name === card) ?? 'simulated'
    return decideSimulatedPayment(context, { paymentId, signature }, choice, known)
  }
}
