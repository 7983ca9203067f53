import { Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import { ActInput } from '../../shared/changes/act.ts'

@InputType({ description: 'The sessions of an account that an operator ends.' })
export class EndSessionsInput extends ActInput {
  @Field(() => ID, { description: 'The account: `acct_…`' })
  accountId!: string

  @Field(() => ID, { nullable: true, description: 'Only this session: `ses_…`; all by default.' })
  sessionId?: string | null
}

@ObjectType({ description: 'How many sessions of an account were ended.' })
export class EndedAccountSessions {
  @Field(() => Int, {
    description: 'The number that ended, with those that were handed over from them.',
  })
  ended!: number

  @Field(() => Int, { description: 'The number of open sessions before.' })
  openBefore!: number

  @Field(() => Int, { description: 'The number of open sessions after.' })
  openAfter!: number
}
