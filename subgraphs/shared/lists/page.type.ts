import { ArgsType, type ClassType, Directive, Field, Int, ObjectType } from 'type-graphql'
import { defaultPageSize, maxPageSize } from './pagination.ts'

/** The arguments of a list of the caller; the facade has checked them. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { description: 'Page size.' })
  limit!: number

  @Field(() => String, { nullable: true, description: 'The `nextCursor` of the previous page.' })
  cursor?: string | null
}

/** The arguments of a list for internal tools. */
@ArgsType()
export class ConnectionArgs {
  @Field(() => Int, {
    defaultValue: defaultPageSize,
    description: `Page size, 1 to ${maxPageSize}.`,
  })
  first!: number

  @Field(() => String, { nullable: true, description: 'The `endCursor` of the previous page.' })
  after?: string | null
}

@Directive('@shareable')
@ObjectType({ description: 'Where a page of a connection ends.' })
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether there are further nodes.' })
  hasNextPage!: boolean

  @Field(() => String, { nullable: true, description: 'The value of `after` for the next page.' })
  endCursor!: string | null
}

/** A page of a list as internal tools see it; connection types extend it. */
export function connectionOf<Node extends object>(NodeType: ClassType<Node>) {
  @ObjectType()
  abstract class Connection {
    @Field(() => [NodeType], { description: 'The nodes of this page.' })
    nodes!: Node[]

    @Field(() => PageInfo, { description: 'Where this page ends.' })
    pageInfo!: PageInfo
  }
  return Connection
}
