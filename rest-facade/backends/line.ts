/** Somebody's place in a line. */
export interface Standing {
  /** Leaves the line, once; whoever was served has left already. */
  leave(): void
}

interface Node<Item> {
  readonly item: Item
  before: Node<Item> | null
  behind: Node<Item> | null
  isInside: boolean
}

/** First come, first served, and whoever is tired of it leaves from anywhere: each step costs the same. */
export class Line<Item> {
  #first: Node<Item> | null = null
  #last: Node<Item> | null = null

  get isEmpty(): boolean {
    return this.#first === null
  }

  join(item: Item): Standing {
    const node: Node<Item> = { item, before: this.#last, behind: null, isInside: true }
    if (this.#last) this.#last.behind = node
    else this.#first = node
    this.#last = node
    return { leave: () => this.#remove(node) }
  }

  /** Takes the first one out; undefined when nobody is there. */
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
