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
  description: 'The state of an export: queued, running, then completed or failed.',
  valuesConfig: {
    queued: { description: 'It waits for a worker.' },
    running: { description: 'A worker is writing the file.' },
    completed: { description: 'The file can be fetched.' },
    failed: { description: 'It was given up for the reason in `error`; it can be repeated.' },
  },
})

@ObjectType({
  description: 'The filters of an export. It contains the rows that match all of them.',
})
export class AuditExportFilters {
  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Only rows of this instant or later.',
  })
  from!: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Only rows before this instant.',
  })
  to!: Date | null

  @Field(() => AuditExportKind, { description: 'Which log: the audit trail or the usage log.' })
  kind!: AuditExportKind

  @Field(() => String, {
    nullable: true,
    description: 'For requests: only those to this service group.',
  })
  service!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'For requests: only statuses of this class, `1xx` to `5xx`.',
  })
  statusClass!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'For activity: only actions of this key, app or tool.',
  })
  actor!: string | null

  @Field(() => ID, { nullable: true, description: 'For requests: only those with this API key.' })
  keyId!: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'For requests: only those with an access token of this app.',
  })
  clientId!: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'For requests: only those whose key had this external id at that time.',
  })
  externalId!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'For requests: only those that sent this in `X-End-User`.',
  })
  endUser!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'For requests: only those of these sources, with commas between them.',
  })
  source!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'For requests: only those that failed with this code.',
  })
  errorCode!: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'For requests: whether rows say who has called and why a request failed.',
  })
  isExtended!: boolean | null
}

@ObjectType({ description: 'An export of the audit trail or the usage log, as CSV.' })
export class AuditExportJob {
  @Field(() => ID, { description: '`exp_…`' })
  id!: string

  @Field(() => AuditExportStatus, { description: 'The state of the export.' })
  status!: AuditExportStatus

  @Field(() => AuditExportFilters, { description: 'The filters of the export.' })
  filters!: AuditExportFilters

  @Field(() => GraphQLISODateTime, { description: 'When it was requested.' })
  createdAt!: Date

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When a worker first began to write it.',
  })
  startedAt!: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When it was completed, or given up.',
  })
  completedAt!: Date | null

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'The number of rows so far, and in the end of all rows. A worker that starts over counts from 0.',
  })
  rowCount!: number | null

  @Field(() => String, { nullable: true, description: 'The reason why it failed.' })
  error!: string | null

  @Field(() => String, { description: 'The URL of this export, for later requests.' })
  pollUrl!: string

  @Field(() => String, {
    nullable: true,
    description:
      'The link to the CSV, which works for everybody who has it; null before the file exists and after it was deleted.',
  })
  resultUrl!: string | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the link expires.' })
  resultExpiresAt!: Date | null
}

@InputType({ description: 'The filters of an export. A member that is null does not filter.' })
export class AuditExportInput {
  @Field(() => AuditExportKind, {
    nullable: true,
    description: 'Which log; by default the audit trail.',
  })
  kind?: AuditExportKind | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Only rows of this instant or later.',
  })
  from?: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Only rows before this instant.',
  })
  to?: Date | null

  @Field(() => String, {
    nullable: true,
    description: 'For requests: only those to this service group.',
  })
  service?: string | null

  @Field(() => Int, {
    nullable: true,
    description: 'For requests: only statuses with this first digit, 1 to 5.',
  })
  statusClass?: number | null

  @Field(() => String, {
    nullable: true,
    description: 'For activity: only actions of this key, app or tool.',
  })
  actor?: string | null

  @Field(() => ID, { nullable: true, description: 'For requests: only those with this API key.' })
  keyId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'For requests: only those with an access token of this app.',
  })
  clientId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'For requests: only those whose key had this external id at that time.',
  })
  externalId?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'For requests: only those that sent this in `X-End-User`.',
  })
  endUser?: string | null

  @Field(() => [UsageSource], {
    nullable: true,
    description: 'For requests: only those of these sources.',
  })
  sources?: UsageSource[] | null

  @Field(() => String, {
    nullable: true,
    description: 'For requests: only those that failed with this code.',
  })
  errorCode?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'For requests: whether rows say who has called and why a request failed.',
  })
  isExtended?: boolean | null
}

@ObjectType({ description: 'The file of an export that may be read.' })
export class AuditExportFile {
  @Field(() => String, { description: 'The name of the file in the storage.' })
  file!: string

  @Field(() => String, { description: 'The name under which it is saved.' })
  fileName!: string
}
