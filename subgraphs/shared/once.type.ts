import { Field, InputType, Int } from 'type-graphql'

@InputType({ description: 'One attempt of a request whose effect must happen once.' })
export class OnceInput {
  @Field(() => String, { description: 'Hash of the idempotency key: every attempt has it.' })
  reference!: string

  @Field(() => Int, {
    description:
      'For at least this long an answered attempt is replayed: within it, none comes here again.',
  })
  seconds!: number
}

/** Options of an argument that takes it. */
export const onceArg = {
  nullable: true,
  description: 'An attempt before under the same reference is this one.',
}
