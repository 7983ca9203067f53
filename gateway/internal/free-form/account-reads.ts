import { type GraphQLResolveInfo, getNamedType, isLeafType, OperationTypeNode } from 'graphql'
import type { Fields } from './request-text.ts'
import { accountType, keyAlias } from './selection-text.ts'

/** The accounts that a document reads, found while it runs. */
export interface AccountReads {
  /** Notes the object if the field is a detail of an account. */
  noteField(info: GraphQLResolveInfo, object: Fields | undefined): void
  /** Notes the accounts that a field of the root leads to, and returns its value. */
  noteRoot(info: GraphQLResolveInfo, value: unknown): unknown
  ids(): readonly string[]
}

/**
 * What a list of accounts shows of each: its own columns, and these. Everything else below an account is a detail, and
 * to ask for it is to read that account.
 */
const rowTypes = new Set(['AccountActivity', 'AccountState'])

/**
 * A document reads an account if a field of the root leads to it alone (an id, or an exact look-up), and if it asks for
 * a detail of it, also through a list. Mutations read none.
 */
export function collectReads(): AccountReads {
  const ids = new Set<string>()

  function note(account: unknown): void {
    const id = Object(account)[keyAlias('id')]
    if (typeof id === 'string') ids.add(id)
  }

  return {
    noteField({ operation, parentType, returnType }, object) {
      if (operation.operation !== OperationTypeNode.QUERY || parentType.name !== accountType) return
      const type = getNamedType(returnType)
      if (!isLeafType(type) && !rowTypes.has(type.name)) note(object)
    },
    noteRoot({ operation, path, returnType }, value) {
      const isRoot = path.prev === undefined && operation.operation === OperationTypeNode.QUERY
      if (!isRoot || getNamedType(returnType).name !== accountType) return value
      return Promise.resolve(value).then((found) => {
        for (const account of [found].flat()) note(account)
        return found
      })
    },
    ids: () => [...ids],
  }
}
