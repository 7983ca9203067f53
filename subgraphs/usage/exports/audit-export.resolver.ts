import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { OnceInput, onceArg } from '../../shared/changes/once.type.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { takeUpKeeping } from '../log/usage-log-keeping.service.ts'
import type { UsageContext } from '../settings/usage-settings.ts'
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
    description: "Lists the caller's exports, newest first: at most 200.",
  })
  auditExports(@Ctx() context: UsageContext): Promise<AuditExportJob[]> {
    return listAuditExports(context, requireAccount(context))
  }

  @Authorized('account')
  @Query(() => AuditExportJob, { description: 'Returns one export of the caller.' })
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
    description: 'Begins another export with the filters of an earlier one.',
  })
  repeatAuditExport(
    @Arg('id', () => ID, { description: '`exp_…`' }) id: string,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: UsageContext,
  ): Promise<AuditExportJob> {
    return repeatAuditExport(context, requireAccount(context), id, once)
  }

  @Authorized('anonymous')
  @Query(() => AuditExportFile, { description: 'Returns the file that a link leads to.' })
  auditExportFile(
    @Arg('id', () => ID, { description: '`exp_…`' }) id: string,
    @Arg('expires', () => String, { description: 'The expiry of the link: Unix seconds.' })
    expires: string,
    @Arg('signature', () => String, { description: 'The value in the link.' }) signature: string,
    @Ctx() context: UsageContext,
  ): Promise<AuditExportFile> {
    return followLink(context, { id, expires, signature })
  }

  @Authorized('service')
  @Mutation(() => Boolean, { description: 'Writes an export that no other worker is writing.' })
  async runAuditExport(
    @Arg('id', () => ID, { description: '`exp_…`' }) id: string,
    @Arg('attempt', () => Int, { description: 'The number of workers that began before.' })
    attempt: number,
    @Ctx() context: UsageContext,
  ): Promise<boolean> {
    await runAuditExport(context, id, attempt)
    return true
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description: 'Resumes exports, and work on the log, that no job has; returns how many exports.',
  })
  async takeUpLostJobs(@Ctx() { database }: UsageContext): Promise<number> {
    await takeUpKeeping(database)
    return takeUpLostExports(database)
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description:
      'Deletes results after their time; returns the greatest number of deleted rows of one kind.',
  })
  forgetAuditExports(
    @Arg('limit', () => Int, { description: 'The most rows of each kind.' }) limit: number,
    @Ctx() context: UsageContext,
  ): Promise<number> {
    return forgetAuditExports(context, limit)
  }
}
