/** The place of an item in a line. */
export class LinePlace<Item> {
  readonly item: Item
  before: LinePlace<Item> | null
  behind: LinePlace<Item> | null = null
  /** The line of the item; null after the item was served or has left. */
  line: WaitingLine<Item> | null

  constructor(item: Item, line: WaitingLine<Item>, before: LinePlace<Item> | null) {
    this.item = item
    this.line = line
    this.before = before
  }

  /** Leaves the line; does nothing after the item was served or has left. */
  leave(): void {
    this.line?.remove(this)
  }
}

/** A first-in, first-out queue whose items can also leave from anywhere, in constant time. */
export class WaitingLine<Item> {
  #first: LinePlace<Item> | null = null
  #last: LinePlace<Item> | null = null

  get isEmpty(): boolean {
    return this.#first === null
  }

  /** The item whose turn is next; undefined when the line is empty. */
  get first(): Item | undefined {
    return this.#first?.item
  }

  join(item: Item): LinePlace<Item> {
    const place = new LinePlace(item, this, this.#last)
    if (this.#last) this.#last.behind = place
    else this.#first = place
    this.#last = place
    return place
  }

  /** Takes out the first item; undefined when the line is empty. */
  next(): Item | undefined {
    const first = this.#first
    if (!first) return undefined
    this.remove(first)
    return first.item
  }

  /** Takes out an item of this line. */
  remove(place: LinePlace<Item>): void {
    const { before, behind } = place
    if (before) before.behind = behind
    else this.#first = behind
    if (behind) behind.before = before
    else this.#last = before
    place.before = null
    place.behind = null
    place.line = null
  }
}
