import {
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
} from 'type-graphql'

export enum Device {
  desktop = 'desktop',
  mobile = 'mobile',
}

registerEnumType(Device, {
  name: 'Device',
  description: 'The device for which a search is made.',
  valuesConfig: {
    desktop: { description: 'On a computer.' },
    mobile: { description: 'On a phone.' },
  },
})

@ObjectType({ description: 'A search term whose rank is watched for a domain.' })
export class TrackedKeyword {
  @Field(() => ID, { description: '`kw_…`' })
  id!: string

  @Field(() => String, { description: 'The search term, in lower case.' })
  keyword!: string

  @Field(() => String, { description: 'The domain whose rank is watched, in lower case.' })
  domain!: string

  @Field(() => String, { description: 'ISO 3166-1 alpha-2, in upper case.' })
  country!: string

  @Field(() => Device, { description: 'The device for which the search is made.' })
  device!: Device

  @Field(() => GraphQLISODateTime, { description: 'When the tracking began.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of tracked keywords, newest first.' })
export class TrackedKeywordPage {
  @Field(() => [TrackedKeyword], { description: 'The keywords of this page.' })
  items!: TrackedKeyword[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}

@InputType({ description: 'A keyword to track.' })
export class TrackKeywordInput {
  @Field(() => String, { description: 'The search term, 1 to 100 characters.' })
  keyword!: string

  @Field(() => String, { description: 'A domain name, without scheme or path.' })
  domain!: string

  @Field(() => String, { description: 'ISO 3166-1 alpha-2.' })
  country!: string

  @Field(() => Device, { description: 'The device for which the search is made.' })
  device!: Device
}
