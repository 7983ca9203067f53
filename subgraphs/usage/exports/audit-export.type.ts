import { GraphQLSafeInt } from 'graphql-scalars'
import {
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
} from 'type-graphql'

import { UsageSource } from '../log/usage-log.type.ts'

export enum AuditExportKind {
  activity = 'activity',
  requests = 'requests',
}

registerEnumType(AuditExportKind, {
  name: 'AuditExportKind',
  description: 'The kind of an export.',
  valuesConfig: {
    activity: { description: 'The audit trail.' },
    requests: { description: 'The usage log.' },
  },
})

export enum AuditExportStatus {
  queued = 'queued',
  running = 'running',
  completed = 'completed',
  failed = 'failed',
}

registerEnumType(AuditExportStatus, {
  name: 'AuditExportStatus',
  description: 'How far an export is: queued, running, then completed or failed.',
  valuesConfig: {
    queued: { description: 'Waits for a worker.' },
    running: { description: 'A worker writes the file.' },
    completed: { description: 'The file can be fetched.' },
    failed: { description: 'Given up, as `error` says; it can be repeated.' },
  },
})

@ObjectType({
  description: 'The filters of an export: it holds all rows that fit every one of them.',
})
export class AuditExportFilters {
  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Not earlier than.' })
  from!: Date | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Earlier than.' })
  to!: Date | null

  @Field(() => AuditExportKind, { description: 'The audit trail, or the usage log.' })
  kind!: AuditExportKind

  @Field(() => String, { nullable: true, description: 'Of requests: only this service group.' })
  service!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Of requests: only statuses of this class, `1xx` to `5xx`.',
  })
  statusClass!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Of activity: only what this key, app or tool did.',
  })
  actor!: string | null

  @Field(() => ID, { nullable: true, description: 'Of requests: only those with this key.' })
  keyId!: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'Of requests: only those with a token of this app.',
  })
  clientId!: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'Of requests: only those whose key had this external id at the time.',
  })
  externalId!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Of requests: only those that said this in `X-End-User`.',
  })
  endUser!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Of requests: only those of these sources, with commas between them.',
  })
  source!: string | null
}

@ObjectType({ description: 'An export of the audit trail or the usage log, as CSV.' })
export class AuditExportJob {
  @Field(() => ID, { description: '`exp_…`' })
  id!: string

  @Field(() => AuditExportStatus, { description: 'How far it is.' })
  status!: AuditExportStatus

  @Field(() => AuditExportFilters, { description: 'Its filters.' })
  filters!: AuditExportFilters

  @Field(() => GraphQLISODateTime, { description: 'When it was asked for.' })
  createdAt!: Date

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When a worker first began.' })
  startedAt!: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When it was done, or given up.',
  })
  completedAt!: Date | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Rows so far, and in the end; a worker that begins anew counts anew.',
  })
  rowCount!: number | null

  @Field(() => String, { nullable: true, description: 'Why it failed.' })
  error!: string | null

  @Field(() => String, { description: 'Where to look at it again.' })
  pollUrl!: string

  @Field(() => String, {
    nullable: true,
    description:
      'The CSV, for everybody who has this link; null before it is there and once it is deleted.',
  })
  resultUrl!: string | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Until then the link works.' })
  resultExpiresAt!: Date | null
}

@InputType({ description: 'The filters of an export; a member that is null does not filter.' })
export class AuditExportInput {
  @Field(() => AuditExportKind, {
    nullable: true,
    description: 'The audit trail unless it says otherwise.',
  })
  kind?: AuditExportKind | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Not earlier than.' })
  from?: Date | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Earlier than.' })
  to?: Date | null

  @Field(() => String, { nullable: true, description: 'Of requests: only this service group.' })
  service?: string | null

  @Field(() => Int, {
    nullable: true,
    description: 'Of requests: only statuses with this first digit, 1 to 5.',
  })
  statusClass?: number | null

  @Field(() => String, {
    nullable: true,
    description: 'Of activity: only what this key, app or tool did.',
  })
  actor?: string | null

  @Field(() => ID, { nullable: true, description: 'Of requests: only those with this key.' })
  keyId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'Of requests: only those with a token of this app.',
  })
  clientId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'Of requests: only those whose key had this external id at the time.',
  })
  externalId?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Of requests: only those that said this in `X-End-User`.',
  })
  endUser?: string | null

  @Field(() => [UsageSource], {
    nullable: true,
    description: 'Of requests: only those of these sources.',
  })
  sources?: UsageSource[] | null
}

@ObjectType({ description: 'A result that may be read.' })
export class AuditExportFile {
  @Field(() => String, { description: 'Its name in the storage.' })
  file!: string

  @Field(() => String, { description: 'The name under which it is saved.' })
  fileName!: string
}
