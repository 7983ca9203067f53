/** The place of an item in a line. */
export interface LinePlace {
  /** Leaves the line; does nothing after the item was served or has left. */
  leave(): void
}

interface Node<Item> {
  readonly item: Item
  before: Node<Item> | null
  behind: Node<Item> | null
  isInside: boolean
}

/** A first-in, first-out queue whose items can also leave from anywhere, in constant time. */
export class WaitingLine<Item> {
  #first: Node<Item> | null = null
  #last: Node<Item> | null = null

  get isEmpty(): boolean {
    return this.#first === null
  }

  /** The item whose turn is next; undefined when the line is empty. */
  get first(): Item | undefined {
    return this.#first?.item
  }

  join(item: Item): LinePlace {
    const node: Node<Item> = { item, before: this.#last, behind: null, isInside: true }
    if (this.#last) this.#last.behind = node
    else this.#first = node
    this.#last = node
    return { leave: () => this.#remove(node) }
  }

  /** Takes out the first item; undefined when the line is empty. */
  next(): Item | undefined {
    const first = this.#first
    if (!first) return undefined
    this.#remove(first)
    return first.item
  }

  #remove(node: Node<Item>): void {
    if (!node.isInside) return
    node.isInside = false
    if (node.before) node.before.behind = node.behind
    else this.#first = node.behind
    if (node.behind) node.behind.before = node.before
    else this.#last = node.before
    node.before = null
    node.behind = null
  }
}
