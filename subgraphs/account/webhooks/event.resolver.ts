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
    description:
      'Makes known what happened in other subgraphs, each once; returns how many it was given.',
  })
  async publishEvents(
    @Arg('events', () => [NewEventInput], { description: 'At most 100.' }) events: NewEventInput[],
    @Ctx() { database }: AccountContext,
  ): Promise<number> {
    await publishEvents(database, events.map(toNewEvent))
    return events.length
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description:
      'Deletes events and their deliveries that were kept long enough; returns the most that went of one kind.',
  })
  forgetEvents(
    @Arg('limit', () => Int, { description: 'At most so many of each.' }) limit: number,
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
