import type { Operation } from '../../../schema/catalog/operation.ts'

type Schema = Readonly<Record<string, unknown>>
type Fields = Readonly<Record<string, unknown>>

/**
 * Objects that a POST creates and a GET of the same module shows: `/sends` and `/sends/{send_id}`. Also objects
 * that a POST reveals by their ids.
 */
export interface Collection {
  /** The path of the collection, below that of the module. */
  readonly path: string
  /** The member of an answer that names an object. */
  readonly idName: string
  /** The members of an object that a GET may show. */
  readonly shown: Schema
  /** The member of the answer with the list; null if a GET reads one object by its id. */
  readonly listName: string | null
}

/** The effect of an operation on stored objects. */
export interface CollectionUse {
  readonly collection: Collection
  readonly does: 'create' | 'show' | 'list'
}

/** The operations of a module that create or show objects; others keep nothing. */
export function collectionUses(
  operations: readonly Operation[],
): ReadonlyMap<Operation, CollectionUse> {
  const uses = new Map<Operation, CollectionUse>()
  for (const create of operations.filter(({ method }) => method === 'POST')) {
    for (const get of operations.filter(({ method }) => method === 'GET')) {
      const collection = collectionOf(create, get)
      if (!collection) continue
      uses.set(create, { collection, does: 'create' })
      uses.set(get, { collection, does: collection.listName === null ? 'show' : 'list' })
    }
  }
  return uses
}

function collectionOf(create: Operation, get: Operation): Collection | null {
  const { path } = create
  const [, above = '', idName] = /^(.*)\/\{([a-z_]+)\}$/.exec(get.path) ?? []
  if (idName !== undefined && (above === path || isAbout(create, idName))) {
    return { path: above, idName, shown: propertiesOf(get.response.schema), listName: null }
  }
  if (get.path !== path) return null
  const created = Object.keys(propertiesOf(create.response.schema))
  const list = Object.entries(propertiesOf(get.response.schema)).find(
    ([, schema]) => Object(schema).type === 'array',
  )
  const firstId = created.find((name) => name.endsWith('_id'))
  if (!list || firstId === undefined) return null
  const [listName, schema] = list
  return { path, idName: firstId, shown: propertiesOf(Object(schema).items), listName }
}

/** Whether a request names an object, and the answer is about it. */
function isAbout({ request, response }: Operation, idName: string): boolean {
  return [request.schemas.body, response.schema].every((one) => idName in propertiesOf(one))
}

/** The members that a GET shows again, without enumerations: the GET states the progress itself. */
export function shownMembers({ shown }: Collection, object: Fields): Fields {
  const names = Object.keys(shown).filter(
    (name) => Object.hasOwn(object, name) && Object(shown[name]).enum === undefined,
  )
  return Object.fromEntries(names.map((name) => [name, object[name]]))
}

function propertiesOf(schema: unknown): Schema {
  const { properties } = Object(schema)
  return typeof properties === 'object' && properties !== null ? { ...properties } : {}
}
