import { Directive, Field, ObjectType } from 'type-graphql'

/** What this subgraph knows of a forecast: the account subgraph makes it from the days. */
@Directive('@key(fields: "spentDays")')
@ObjectType({ description: 'When the credits of an account run out.' })
export class Forecast {
  @Field(() => String, {
    description:
      'The credits of each of the last 30 days in UTC, oldest first, and of today so far, with commas; before them the date of today, with a colon.',
  })
  spentDays!: string
}
