import { Arg, Args, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { OnceInput, onceArg } from '../../shared/changes/once.type.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { describeEventTypes, WebhookEventTypeList } from './event.type.ts'
import {
  deliveriesOf,
  getDelivery,
  readEvent,
  summarize,
  testEndpoint,
} from './webhook-delivery.service.ts'
import {
  ResendWebhookDeliveriesInput,
  ResentWebhookDeliveries,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryStatus,
  WebhookEvent,
} from './webhook-delivery.type.ts'
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  endpointsOf,
  rotateSecret,
} from './webhook-endpoint.service.ts'
import {
  ChangeWebhookEndpointInput,
  CreatedWebhookEndpoint,
  CreateWebhookEndpointInput,
  RotatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointPage,
} from './webhook-endpoint.type.ts'
import { resend } from './webhook-resend.service.ts'
import { resendSlice, resendSpan } from './webhook-resend-span.service.ts'
import { WebhookSummary } from './webhook-summary.type.ts'

const whichEndpoint = { description: '`whe_…`' }

@Resolver()
export class WebhookResolver {
  @Authorized('account')
  @Query(() => WebhookSummary, { description: "Figures about the caller's webhooks." })
  webhookSummary(@Ctx() context: AccountContext): Promise<WebhookSummary> {
    return summarize(context.database, requireAccount(context))
  }

  @Authorized('account')
  @Query(() => WebhookEndpointPage, {
    description: "Lists the caller's webhook endpoints, newest first.",
  })
  webhookEndpoints(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: AccountContext,
  ): Promise<WebhookEndpointPage> {
    return readPage(context, endpointsOf(context, requireAccount(context)), page)
  }

  @Authorized('account')
  @Query(() => WebhookDeliveryPage, {
    description: 'Lists the deliveries to one endpoint, past and planned, newest first.',
  })
  async webhookDeliveries(
    @Arg('endpointId', () => ID, whichEndpoint) endpointId: string,
    @Arg('status', () => WebhookDeliveryStatus, {
      nullable: true,
      description: 'Only deliveries of this status.',
    })
    status: WebhookDeliveryStatus | null,
    @Arg('eventType', () => String, {
      nullable: true,
      description: 'Only deliveries of events of this type.',
    })
    eventType: string | null,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: AccountContext,
  ): Promise<WebhookDeliveryPage> {
    const asked = { endpointId, status: status ?? null, eventType: eventType ?? null }
    const list = await deliveriesOf(context, requireAccount(context), asked)
    return readPage(context, list, page)
  }

  @Authorized('account')
  @Query(() => WebhookDelivery, {
    description: "Finds a delivery to one of the caller's webhook endpoints.",
  })
  webhookDelivery(
    @Arg('endpointId', () => ID, whichEndpoint) endpointId: string,
    @Arg('id', () => ID, { description: '`whd_…`' }) id: string,
    @Ctx() context: AccountContext,
  ): Promise<WebhookDelivery> {
    return getDelivery(context, requireAccount(context), { endpointId, id })
  }

  @Authorized('account')
  @Query(() => WebhookEvent, {
    description: "Finds an event of the caller's account, with the endpoints that are told of it.",
  })
  webhookEvent(
    @Arg('id', () => ID, { description: '`evt_…`' }) id: string,
    @Ctx() context: AccountContext,
  ): Promise<WebhookEvent> {
    return readEvent(context.database, requireAccount(context), id)
  }

  @Authorized('account')
  @Query(() => WebhookEventTypeList, {
    description: 'Lists the types of events that webhooks send, with an example of each.',
  })
  webhookEventTypes(): WebhookEventTypeList {
    return describeEventTypes()
  }

  @Authorized('account')
  @Mutation(() => CreatedWebhookEndpoint, {
    description: 'Creates an endpoint that events are sent to.',
  })
  createWebhookEndpoint(
    @Arg('input', () => CreateWebhookEndpointInput, { description: 'The new endpoint.' })
    input: CreateWebhookEndpointInput,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<CreatedWebhookEndpoint> {
    return createEndpoint(context, input, once)
  }

  @Authorized('account')
  @Mutation(() => WebhookEndpoint, {
    description: 'Changes an endpoint, and enables or disables it.',
  })
  changeWebhookEndpoint(
    @Arg('id', () => ID, whichEndpoint) id: string,
    @Arg('input', () => ChangeWebhookEndpointInput, { description: 'The changes.' })
    input: ChangeWebhookEndpointInput,
    @Ctx() context: AccountContext,
  ): Promise<WebhookEndpoint> {
    return changeEndpoint(context, id, input)
  }

  @Authorized('account')
  @Mutation(() => WebhookEndpoint, {
    description: 'Deletes an endpoint, with its unsent messages.',
  })
  deleteWebhookEndpoint(
    @Arg('id', () => ID, whichEndpoint) id: string,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<WebhookEndpoint> {
    return deleteEndpoint(context, id, once)
  }

  @Authorized('account')
  @Mutation(() => RotatedWebhookEndpoint, { description: 'Replaces the secret of an endpoint.' })
  rotateWebhookSecret(
    @Arg('id', () => ID, whichEndpoint) id: string,
    @Arg('overlapSeconds', () => Int, {
      description: 'For so many seconds the previous secret signs messages, too; at most 7 days.',
    })
    overlapSeconds: number,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<RotatedWebhookEndpoint> {
    return rotateSecret(context, id, { overlapSeconds, once })
  }

  @Authorized('account')
  @Mutation(() => WebhookDelivery, { description: 'Sends `webhook.test` to one endpoint.' })
  testWebhookEndpoint(
    @Arg('id', () => ID, whichEndpoint) id: string,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<WebhookDelivery> {
    return testEndpoint(context, id, once)
  }

  @Authorized('account')
  @Mutation(() => WebhookDelivery, { description: 'Sends a delivery again at once.' })
  resendWebhookDelivery(
    @Arg('id', () => ID, { description: '`whd_…`' }) id: string,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<WebhookDelivery> {
    return resend(context, id, once)
  }

  @Authorized('account')
  @Mutation(() => ResentWebhookDeliveries, {
    description:
      'Has all deliveries of a span of time tried again. An endpoint has one such span at a time.',
  })
  resendWebhookDeliveries(
    @Arg('input', () => ResendWebhookDeliveriesInput, { description: 'Which deliveries.' })
    input: ResendWebhookDeliveriesInput,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<ResentWebhookDeliveries> {
    return resendSpan(context, input, once)
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description:
      'Sends the next deliveries of a span of time again; returns their number, and 0 once that is done.',
  })
  resendWebhookSlice(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('endpointId', () => ID, whichEndpoint) endpointId: string,
    @Arg('id', () => ID, { description: 'The span.' }) id: string,
    @Arg('place', () => Int, { description: 'The number of deliveries before them.' })
    place: number,
    @Ctx() { database }: AccountContext,
  ): Promise<number> {
    return resendSlice(database, { accountId, endpointId, id, place })
  }
}
