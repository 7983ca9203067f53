import { Arg, Authorized, Ctx, Int, Mutation, Resolver } from 'type-graphql'
import type { GraphContext } from '../shared/context.ts'
import { recordAuditEvents } from './audit-event.service.ts'
import { AuditEventInput } from './audit-event.type.ts'

@Resolver()
export class AuditEventResolver {
  @Authorized('service')
  @Mutation(() => Int, {
    description: 'Adds events to the audit trail, each once; returns how many it was given.',
  })
  async recordAuditEvents(
    @Arg('events', () => [AuditEventInput], { description: 'At most 500.' })
    events: AuditEventInput[],
    @Ctx() { database }: GraphContext,
  ): Promise<number> {
    await recordAuditEvents(database, events)
    return events.length
  }
}
