import { Field, ObjectType } from 'type-graphql'

@ObjectType({ description: 'A web origin that redirect URIs of active apps have.' })
export class ClientOrigin {
  @Field(() => String, { description: 'As a browser writes it: `https://app.example`.' })
  origin!: string

  @Field(() => Boolean, { description: 'Whether one of the apps is public.' })
  isPublic!: boolean
}
