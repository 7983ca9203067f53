import type { AccountScope } from '../../../../../schema/credentials/account-scope.ts'
import { DomainError } from '../../../../shared/graph/errors.ts'

/** The most documents of one account that wait at once in an environment. */
const maxOfOne = 5
/** While so many documents of an environment wait, each account may have one of them. */
const crowded = 50
/** The most documents of one environment that wait at once. */
const maxWaiting = 500

interface Line<Item> {
  readonly byAccount: Map<string, Item[]>
  length: number
}

/**
 * Documents that wait to be rendered. Those of live come before those of the sandbox. Within an
 * environment the accounts take turns, so an account waits for one document of each other account at
 * most, and its documents refuse nobody else's.
 */
export class WaitingDocuments<Item> {
  readonly #lines: Readonly<Record<AccountScope['environment'], Line<Item>>> = {
    live: { byAccount: new Map(), length: 0 },
    sandbox: { byAccount: new Map(), length: 0 },
  }

  /**
   * Throws RATE_LIMIT_EXCEEDED if too many documents of the account wait, and SERVICE_UNAVAILABLE if
   * those of very many accounts do.
   */
  add({ accountId, environment }: AccountScope, item: Item): void {
    const line = this.#lines[environment]
    const own = line.byAccount.get(accountId) ?? []
    if (own.length >= maxOfOne) throw tooMany()
    if (line.length >= (own.length > 0 ? crowded : maxWaiting)) throw busy()
    line.byAccount.set(accountId, [...own, item])
    line.length += 1
  }

  /** Takes out the document whose turn it is; undefined when none waits. */
  next(): Item | undefined {
    return takeFrom(this.#lines.live) ?? takeFrom(this.#lines.sandbox)
  }
}

function takeFrom<Item>(line: Line<Item>): Item | undefined {
  const [turn] = line.byAccount
  if (!turn) return undefined
  const [accountId, [item, ...rest]] = turn
  // A map keeps the order in which its keys were added: the account goes to the end.
  line.byAccount.delete(accountId)
  if (rest.length > 0) line.byAccount.set(accountId, rest)
  line.length -= 1
  return item
}

function tooMany(): DomainError {
  const message = `${maxOfOne} PDFs of this account are waiting to be made. Try again soon.`
  return new DomainError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: 1 })
}

/**
 * The error for a document that cannot be rendered now, because rendering takes too long or too
 * many documents wait.
 */
export function busy(): DomainError {
  const message = 'Too many invoices are being rendered. Try again soon.'
  return new DomainError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 })
}
