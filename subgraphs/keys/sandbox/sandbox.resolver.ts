import { Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { getSandbox, resetSandbox } from './sandbox.service.ts'
import { SandboxReset, SandboxState } from './sandbox.type.ts'

@Resolver()
export class SandboxResolver {
  @Authorized('account')
  @Query(() => SandboxState, {
    description: "Returns the caller's sandbox. A live caller sees it, too.",
  })
  sandbox(@Ctx() context: GraphContext): Promise<SandboxState> {
    return getSandbox(context)
  }

  @Authorized('account')
  @Mutation(() => SandboxReset, {
    description: "Revokes every sandbox key of the caller's account and issues a new one.",
  })
  async resetSandbox(@Ctx() context: GraphContext): Promise<SandboxReset> {
    const reset = await resetSandbox(context)
    context.invalidate({ accountId: reset.state.accountId })
    return reset
  }
}
