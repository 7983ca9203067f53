import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { OnceInput, onceArg } from '../../shared/changes/once.type.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { takeUpKeeping } from '../log/usage-log-keeping.service.ts'
import type { UsageContext } from '../settings/usage-settings.ts'
import { takeUpFilling } from '../summaries/usage-keys-filling.service.ts'
import {
  createAuditExport,
  getAuditExport,
  listAuditExports,
  repeatAuditExport,
} from './audit-export.service.ts'
import { AuditExportFile, AuditExportInput, AuditExportJob } from './audit-export.type.ts'
import { takeUpLostExports } from './audit-export-queue.service.ts'
import { runAuditExport } from './audit-export-run.service.ts'
import { forgetAuditExports } from './forget-exports.service.ts'
import { followLink } from './result-link.service.ts'

@Resolver(() => AuditExportJob)
export class AuditExportResolver {
  @Authorized('account')
  @Query(() => [AuditExportJob], {
    description: "The caller's exports, newest first: at most 200.",
  })
  auditExports(@Ctx() context: UsageContext): Promise<AuditExportJob[]> {
    return listAuditExports(context, requireAccount(context))
  }

  @Authorized('account')
  @Query(() => AuditExportJob, { description: 'One export of the caller.' })
  auditExport(
    @Arg('id', () => ID, { description: '`exp_…`' }) id: string,
    @Ctx() context: UsageContext,
  ): Promise<AuditExportJob> {
    return getAuditExport(context, requireAccount(context), id)
  }

  @Authorized('account')
  @Mutation(() => AuditExportJob, {
    description: 'Begins an export; at most three wait or run at the same time.',
  })
  createAuditExport(
    @Arg('input', () => AuditExportInput, { description: 'The filters of the export.' })
    input: AuditExportInput,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: UsageContext,
  ): Promise<AuditExportJob> {
    return createAuditExport(context, requireAccount(context), input, once)
  }

  @Authorized('account')
  @Mutation(() => AuditExportJob, {
    description: 'Begins another export with the filters of one before.',
  })
  repeatAuditExport(
    @Arg('id', () => ID, { description: '`exp_…`' }) id: string,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: UsageContext,
  ): Promise<AuditExportJob> {
    return repeatAuditExport(context, requireAccount(context), id, once)
  }

  @Authorized('anonymous')
  @Query(() => AuditExportFile, { description: 'The file that a link leads to.' })
  auditExportFile(
    @Arg('id', () => ID, { description: '`exp_…`' }) id: string,
    @Arg('expires', () => String, { description: 'Of the link: Unix seconds.' }) expires: string,
    @Arg('signature', () => String, { description: 'Of the link.' }) signature: string,
    @Ctx() context: UsageContext,
  ): Promise<AuditExportFile> {
    return followLink(context, { id, expires, signature })
  }

  @Authorized('service')
  @Mutation(() => Boolean, { description: 'Writes an export that no other worker is at.' })
  async runAuditExport(
    @Arg('id', () => ID, { description: '`exp_…`' }) id: string,
    @Arg('attempt', () => Int, { description: 'How many workers have begun before.' })
    attempt: number,
    @Ctx() context: UsageContext,
  ): Promise<boolean> {
    await runAuditExport(context, id, attempt)
    return true
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description:
      'Has exports, and work on the log, go on that no job knows of; returns how many exports.',
  })
  async takeUpLostJobs(@Ctx() { database }: UsageContext): Promise<number> {
    await takeUpKeeping(database)
    await takeUpFilling(database)
    return takeUpLostExports(database)
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description:
      'Deletes results that were kept long enough; returns the most that went of a kind.',
  })
  forgetAuditExports(
    @Arg('limit', () => Int, { description: 'Of each kind at most.' }) limit: number,
    @Ctx() context: UsageContext,
  ): Promise<number> {
    return forgetAuditExports(context, limit)
  }
}
