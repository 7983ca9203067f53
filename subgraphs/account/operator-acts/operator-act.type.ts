import { Field, InputType, Int } from 'type-graphql'

@InputType({ description: 'The idempotency key of an act, and the act.' })
export class ClaimedActInput {
  @Field(() => String, { description: 'The hash of the key.' })
  reference!: string

  @Field(() => String, { description: 'SHA-256 of what is done, to whom, and for what reason.' })
  actHash!: string

  @Field(() => Int, { description: 'How long the key belongs to the act.' })
  seconds!: number
}
