import { Field, GraphQLISODateTime, ObjectType } from 'type-graphql'

@ObjectType({ description: 'A code that leads the browser to the other listener.' })
export class CreatedHandover {
  @Field(() => String, { description: 'Shown nowhere else: its fragment has the code.' })
  url!: string

  @Field(() => GraphQLISODateTime, { description: 'Until then it works.' })
  expiresAt!: Date
}
