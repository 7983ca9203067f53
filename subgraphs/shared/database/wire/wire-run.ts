import type pg from 'pg'
import { type Prepared, prepareMessages } from './wire-message.ts'

export interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

/** The statements that a connection has prepared, by name, and the columns of their rows. */
export type PreparedOn = Map<string, readonly Column[]>

export interface WireRunOptions {
  readonly statement: Prepared
  /** The statement that runs ahead of this one; its row is no part of the answer. */
  readonly setter: Prepared | null
  /** The messages that run both statements once they are prepared, made by `runMessages`. */
  readonly messages: Buffer
  readonly types: pg.CustomTypesConfig
  readonly resolve: (rows: never[]) => void
  readonly reject: (error: unknown) => void
  /** Runs the statement once more. It was prepared and has to be prepared again, and it did nothing. */
  readonly retry: (run: WireRun) => void
}

/**
 * PostgreSQL refuses to run what it has prepared: the types of the columns have changed (0A000), or somebody
 * has deallocated it (26000).
 */
const stale = new Set<unknown>(['0A000', '26000'])

/** The server is now a standby. Changes must go to the new primary, over another connection. */
export function isOfStandby(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25006'
}

/** One statement on a wire connection, as pg's client submits it; pg calls the handlers. */
export class WireRun implements pg.Submittable {
  readonly askedMs = performance.now()
  readonly #options: WireRunOptions
  #prepared: PreparedOn = new Map()
  #columns: readonly Column[] = []
  #wasPrepared = false
  #isRetried = false
  #isOver = false
  #awaitsSetter = false
  #failure: { readonly error: unknown } | null = null
  #rows: object[] = []
  #hasMetStandby = false

  constructor(options: WireRunOptions) {
    this.#options = options
  }

  /** Sets the prepared statements of the connection that will execute this run next. */
  use(prepared: PreparedOn): void {
    this.#prepared = prepared
  }

  /** The name of the statement of this run. */
  get name(): string {
    return this.#options.statement.name
  }

  /** Whether the connection of the run is of no use any more, because its server is a standby. */
  get hasMetStandby(): boolean {
    return this.#hasMetStandby
  }

  /** Rejects the statement with this error; a later answer is ignored. */
  fail(error: unknown): void {
    if (!this.#isOver) this.#options.reject(error)
    this.#isOver = true
  }

  submit({ stream }: pg.Connection): void {
    const { statement, setter, messages } = this.#options
    const columns = this.#prepared.get(statement.name)
    this.#awaitsSetter = setter !== null
    this.#wasPrepared = columns !== undefined
    this.#columns = columns ?? []
    if (columns) {
      stream.write(messages)
      return
    }
    const isNew = setter && !this.#prepared.has(setter.name)
    const prepare = prepareMessages(isNew ? [setter, statement] : [statement])
    stream.write(Buffer.concat([prepare, messages]))
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    const { types } = this.#options
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: types.getTypeParser(dataTypeID, 'text'),
    }))
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#awaitsSetter) return
    try {
      this.#rows.push(rowOf(this.#columns, fields))
    } catch (error) {
      this.#failure ??= { error }
    }
  }

  handleCommandComplete(): void {
    this.#awaitsSetter = false
  }

  /** Ends the statement; pg does not call this after an error. */
  handleReadyForQuery(): void {
    const { statement, setter, resolve } = this.#options
    if (!this.#wasPrepared) {
      this.#prepared.set(statement.name, this.#columns)
      if (setter) this.#prepared.set(setter.name, [])
    }
    if (this.#failure) this.fail(this.#failure.error)
    else if (!this.#isOver) resolve(this.#rows as never[])
    this.#isOver = true
  }

  handleError(error: Error & { readonly code?: unknown }): void {
    this.#hasMetStandby ||= isOfStandby(error)
    const isStale = this.#wasPrepared && stale.has(error.code)
    if (isStale) this.#prepared.clear()
    if (isStale && !this.#isOver && !this.#isRetried) {
      this.#isRetried = true
      this.#rows = []
      this.#options.retry(this)
    } else {
      this.fail(error)
    }
  }

  // The protocol has these answers; none of our statements gets one.
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}

function rowOf(columns: readonly Column[], fields: readonly (string | null)[]): object {
  const row: Record<string, unknown> = {}
  columns.forEach(({ name, parse }, index) => {
    const text = fields[index]
    row[name] = text === null || text === undefined ? null : parse(text)
  })
  return row
}
