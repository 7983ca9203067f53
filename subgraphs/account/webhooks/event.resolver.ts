import { Arg, Authorized, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql'
import type { AccountContext } from '../settings/account-settings.ts'
import { forgetEvents, publishEvents } from './event.service.ts'
import { NewEventInput, toNewEvent } from './event.type.ts'
import { queueOf } from './webhook-delivery.service.ts'
import { WebhookQueue } from './webhook-summary.type.ts'

@Resolver()
export class EventResolver {
  @Authorized('service')
  @Mutation(() => Int, {
    description: 'Publishes events of other subgraphs, each once; returns how many it was given.',
  })
  async publishEvents(
    @Arg('events', () => [NewEventInput], { description: 'The events, at most 100.' })
    events: NewEventInput[],
    @Ctx() { database }: AccountContext,
  ): Promise<number> {
    await publishEvents(database, events.map(toNewEvent))
    return events.length
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description:
      'Deletes events and their deliveries after their time; returns the greatest number of deleted rows of one kind.',
  })
  forgetEvents(
    @Arg('limit', () => Int, { description: 'The most rows of each kind.' }) limit: number,
    @Ctx() { database, webhooks }: AccountContext,
  ): Promise<number> {
    return forgetEvents(database, limit, webhooks?.retentionDays)
  }

  @Authorized('service')
  @Query(() => WebhookQueue, { description: 'Deliveries that are due, of all accounts.' })
  webhookQueue(@Ctx() { database }: AccountContext): Promise<WebhookQueue> {
    return queueOf(database)
  }
}
