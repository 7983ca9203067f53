import { Arg, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { gatewayProcesses, reportProcess } from './process-report.service.ts'
import { GatewayProcess, ProcessReportInput } from './process-report.type.ts'

@Resolver()
export class ProcessReportResolver {
  @Authorized('readonly')
  @Query(() => [GatewayProcess], {
    description:
      'The processes that serve or work and have reported within a minute: what they know of modules, overload, jobs and books.',
  })
  gatewayProcesses(@Ctx() { database }: GraphContext): Promise<GatewayProcess[]> {
    return gatewayProcesses(database)
  }

  @Authorized('service')
  @Mutation(() => Boolean, { description: 'Reports what a process knows of itself.' })
  async reportProcess(
    @Arg('report', () => ProcessReportInput, { description: 'The report.' })
    report: ProcessReportInput,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    await reportProcess(database, report)
    return true
  }
}
