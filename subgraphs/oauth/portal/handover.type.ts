import { Field, GraphQLISODateTime, ObjectType } from 'type-graphql'

@ObjectType({ description: 'A code that leads the browser to the other listener.' })
export class CreatedHandover {
  @Field(() => String, {
    description: 'The URL. Its fragment contains the code, which is shown only here.',
  })
  url!: string

  @Field(() => GraphQLISODateTime, { description: 'When it expires.' })
  expiresAt!: Date
}
