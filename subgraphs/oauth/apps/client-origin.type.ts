import { Field, ObjectType } from 'type-graphql'

@ObjectType({ description: 'The origin of redirect URIs of active apps.' })
export class ClientOrigin {
  @Field(() => String, {
    description: 'The origin, as a browser writes it: `https://app.example`.',
  })
  origin!: string

  @Field(() => Boolean, { description: 'Whether one of its apps is public.' })
  isPublic!: boolean
}
