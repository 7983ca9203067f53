import { graphql } from 'graphql'
import {
  Arg,
  Authorized,
  Ctx,
  Field,
  FieldResolver,
  InputType,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql'
import { beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../../schema/credentials/caller.ts'
import { buildSubgraph } from '../../../subgraphs/shared/graph/build-subgraph.ts'
import type { GraphContext } from '../../../subgraphs/shared/graph/context.ts'

@ObjectType({ description: 'A thing.' })
class Thing {
  @Field(() => String, { description: 'Its name.' })
  name!: string

  @Authorized('service')
  @Field(() => String, { description: 'For services.' })
  secret!: string
}

@InputType({ description: 'Which thing.' })
class ThingInput {
  @Field(() => String, { nullable: true, description: 'Its name.' })
  name?: string = 'the default of the class'
}

@Resolver(() => Thing)
class ThingResolver {
  @Authorized('account', 'service')
  @Query(() => Thing, { description: 'By name.' })
  thing(@Ctx() { caller }: GraphContext, @Arg('name', () => String) name: string): Thing {
    return { name: `${name} of ${caller.kind}`, secret: 'secret' }
  }

  @Authorized('account')
  @Query(() => Thing, { description: 'By input.' })
  thingBy(@Arg('input', () => ThingInput) { name = '' }: ThingInput): Thing {
    return { name, secret: 'secret' }
  }

  @FieldResolver(() => String, { description: 'Computed.' })
  async title(@Root() { name }: Thing): Promise<string> {
    return name.toUpperCase()
  }
}

/** A class for the same type in another subgraph of the process. */
@ObjectType('Thing', { description: 'A thing.' })
class OtherThing {
  @Field(() => String, { description: 'Its name.' })
  name!: string
}

@Resolver(() => OtherThing)
class OtherThingResolver {
  @Authorized('service')
  @Query(() => OtherThing, { description: 'The only one.' })
  otherThing(): OtherThing {
    return { name: 'plain' }
  }

  @FieldResolver(() => String, { description: 'Computed.' })
  name(): string {
    return 'computed'
  }
}

let schema: Awaited<ReturnType<typeof buildSubgraph>>
beforeAll(async () => {
  schema = await buildSubgraph({ resolvers: [ThingResolver] })
})

async function ask(source: string, kind: Caller['kind']) {
  const { data, errors } = await graphql({ schema, source, contextValue: { caller: { kind } } })
  return {
    data: JSON.parse(JSON.stringify(data ?? null)),
    errors: errors?.map(({ message }) => message),
  }
}

const refusal = 'This caller may not use this operation.'

test('a root field gets its arguments and its caller, and plain and computed members are read', async () => {
  expect(await ask('{ thing(name: "a") { name title } }', 'account')).toEqual({
    data: { thing: { name: 'a of account', title: 'A OF ACCOUNT' } },
    errors: undefined,
  })
})

test('a protected root field is refused to other callers', async () => {
  const { errors } = await ask('{ thing(name: "a") { name } }', 'anonymous')
  expect(errors).toEqual([refusal])
})

test('a protected member is refused to other callers', async () => {
  const { errors } = await ask('{ thing(name: "a") { secret } }', 'account')
  expect(errors).toEqual([refusal])
  expect((await ask('{ thing(name: "a") { secret } }', 'service')).data).toEqual({
    thing: { secret: 'secret' },
  })
})

test('a computed member is computed, also when a class of another subgraph has it as a plain one', async () => {
  const other = await buildSubgraph({ resolvers: [OtherThingResolver] })
  const contextValue = { caller: { kind: 'service' } }

  const answer = await graphql({ schema: other, source: '{ otherThing { name } }', contextValue })

  expect(JSON.parse(JSON.stringify(answer))).toEqual({ data: { otherThing: { name: 'computed' } } })
})

test('an input object keeps the defaults of its class', async () => {
  expect((await ask('{ thingBy(input: {}) { name } }', 'account')).data).toEqual({
    thingBy: { name: 'the default of the class' },
  })
})
