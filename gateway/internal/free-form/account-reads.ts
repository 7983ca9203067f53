import { type GraphQLResolveInfo, getNamedType, isLeafType, OperationTypeNode } from 'graphql'
import { isId } from '../../../schema/vocabulary/ids.ts'
import type { Fields } from './request-text.ts'
import { accountType, keyAlias } from './selection-text.ts'

/** The accounts that a document reads, found while it runs. */
export interface AccountReads {
  /** Notes whether a list of accounts is searched for one that the caller names. */
  noteSearch(info: GraphQLResolveInfo, args: Readonly<Record<string, unknown>>): void
  /** Notes the object if the field is a detail of an account, or the account was named. */
  noteField(info: GraphQLResolveInfo, object: Fields | undefined): void
  /** Notes the accounts that a field of the root leads to, or is asked about, and returns its value. */
  noteRoot(
    info: GraphQLResolveInfo,
    args: Readonly<Record<string, unknown>>,
    value: unknown,
  ): unknown
  ids(): readonly string[]
}

/**
 * What a list of accounts shows of each: its own columns, and these. Everything else below an account is a detail, and
 * to ask for it is to read that account.
 */
const rowTypes = new Set(['AccountActivity', 'AccountState'])

/** An id or a mail address, with which a search finds who is named and hardly anybody else. */
const naming = /^acct_|@/

/**
 * A document reads an account if a field of the root leads to it alone (an id, or an exact look-up) or answers about the
 * one that its argument `accountId` names, if a list is searched for its id or address, and if it asks for a detail of
 * it, also through a list. Mutations read none.
 */
export function collectReads(): AccountReads {
  const ids = new Set<string>()
  /** The fields of the root, by their names in the answer, that are searched for named accounts. */
  const searches = new Set<string | number>()

  function note(account: unknown): void {
    const id = Object(account)[keyAlias('id')]
    if (typeof id === 'string') ids.add(id)
  }

  return {
    noteSearch({ operation, path }, { search }) {
      const isRoot = path.prev === undefined && operation.operation === OperationTypeNode.QUERY
      if (isRoot && typeof search === 'string' && naming.test(search)) searches.add(path.key)
    },
    noteField({ operation, parentType, path, returnType }, object) {
      if (operation.operation !== OperationTypeNode.QUERY || parentType.name !== accountType) return
      const type = getNamedType(returnType)
      const isDetail = !isLeafType(type) && !rowTypes.has(type.name)
      if (isDetail || searches.has(rootOf(path))) note(object)
    },
    noteRoot({ operation, path, returnType }, { accountId }, value) {
      const isRoot = path.prev === undefined && operation.operation === OperationTypeNode.QUERY
      const isOfAccount = getNamedType(returnType).name === accountType
      const about = typeof accountId === 'string' && isId('acct', accountId) ? accountId : null
      if (!isRoot || !(isOfAccount || about)) return value
      return Promise.resolve(value).then((found) => {
        // A refusal has read nothing.
        if (about && found && !(found instanceof Error)) ids.add(about)
        if (isOfAccount) for (const account of [found].flat()) note(account)
        return found
      })
    },
    ids: () => [...ids],
  }
}

function rootOf(path: GraphQLResolveInfo['path']): string | number {
  let root = path
  while (root.prev) root = root.prev
  return root.key
}
