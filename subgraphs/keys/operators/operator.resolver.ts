import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import {
  CreatedOperatorLink,
  EndedOperator,
  OpenedOperatorSession,
  OpenOperatorSessionInput,
  OperatorLink,
  OperatorRoleInput,
  OperatorSession,
} from './operator.type.ts'
import { createOperatorLink, findOperatorLink } from './operator-link.service.ts'
import { recordOperatorRole, takeOperatorRoleQuestion } from './operator-role.service.ts'
import {
  endOperator,
  endOperatorSession,
  findOperatorSession,
  noteUseOfOperatorSession,
  openOperatorSession,
} from './operator-session.service.ts'

@Resolver()
export class OperatorResolver {
  @Authorized('admin')
  @Mutation(() => CreatedOperatorLink, {
    description: 'Makes a link that signs an operator in. Only the command line may.',
  })
  createOperatorLink(
    @Arg('name', () => String, { description: 'The name in the audit trail.' }) name: string,
    @Arg('role', () => String, { description: '`admin`, `support` or `readonly`.' }) role: string,
    @Ctx() context: GraphContext,
  ): Promise<CreatedOperatorLink> {
    return createOperatorLink(context, { name, role })
  }

  @Authorized('admin')
  @Mutation(() => EndedOperator, {
    description: 'Ends all sessions and links of an operator. Only the command line may.',
  })
  endOperator(
    @Arg('name', () => String, { description: 'The name of the operator.' }) name: string,
    @Ctx() context: GraphContext,
  ): Promise<EndedOperator> {
    return endOperator(context, name)
  }

  @Authorized('service')
  @Query(() => OperatorLink, {
    nullable: true,
    description: 'Whom a link signs in; null for one that was never made.',
  })
  operatorLink(
    @Arg('tokenHash', () => String, { description: 'SHA-256 of its token.' }) tokenHash: string,
    @Ctx() { database }: GraphContext,
  ): Promise<OperatorLink | null> {
    return findOperatorLink(database, tokenHash)
  }

  @Authorized('service')
  @Mutation(() => OpenedOperatorSession, { description: 'Signs an operator in.' })
  openOperatorSession(
    @Arg('input', () => OpenOperatorSessionInput, { description: 'The proof.' })
    input: OpenOperatorSessionInput,
    @Ctx() context: GraphContext,
  ): Promise<OpenedOperatorSession> {
    return openOperatorSession(context, input)
  }

  @Authorized('service')
  @Query(() => OperatorSession, {
    nullable: true,
    description: 'The session of a cookie; null if it has ended.',
  })
  operatorSession(
    @Arg('secretHash', () => String, { description: 'SHA-256 of the cookie.' }) secretHash: string,
    @Ctx() { database }: GraphContext,
  ): Promise<OperatorSession | null> {
    return findOperatorSession(database, secretHash)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Puts off the end of a session that nobody uses; once a minute at most.',
  })
  noteUseOfOperatorSession(
    @Arg('id', () => ID, { description: '`ops_…`' }) id: string,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    return noteUseOfOperatorSession(database, id)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Ends the session of a cookie; false if it had ended before.',
  })
  endOperatorSession(
    @Arg('secretHash', () => String, { description: 'SHA-256 of the cookie.' }) secretHash: string,
    @Ctx() context: GraphContext,
  ): Promise<boolean> {
    return endOperatorSession(context, secretHash)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description:
      'Begins to ask an issuer for a role; false: another process does, or it is not due.',
  })
  takeOperatorRoleQuestion(
    @Arg('id', () => ID, { description: '`ops_…`' }) id: string,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    return takeOperatorRoleQuestion(database, id)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Notes what an issuer has said; false: the session is over.',
  })
  recordOperatorRole(
    @Arg('input', () => OperatorRoleInput, { description: 'What it has said.' })
    input: OperatorRoleInput,
    @Ctx() context: GraphContext,
  ): Promise<boolean> {
    return recordOperatorRole(context, input)
  }
}
