import pg from 'pg'
import { SilentDatabase } from './health/silence-watch.ts'
import { setTenant, type Tenant } from './tenant.ts'

declare module 'pg' {
  /** The members of a query that a client calls while it runs; the published types lack them. */
  interface Query {
    readonly text: string
    prepare(connection: pg.Connection): void
    handleDataRow(message: unknown): void
    handleCommandComplete(message: unknown, connection: pg.Connection): void
  }
}

const setterName = 'set-tenant'
/** The connections that have prepared the setter. */
const prepared = new WeakSet<pg.Connection>()

/**
 * A prepared statement for one tenant in one round trip. The setter of the tenant is sent ahead of
 * it, and both end with one Sync. So they are one transaction: the setting ends with it, and when
 * the setter fails, PostgreSQL skips the statement.
 */
class TenantQuery extends pg.Query {
  readonly query_timeout: number
  readonly #tenant: Tenant
  /**
   * Is called when there is a connection. An error that it returns is the reason why nothing is
   * sent.
   */
  override readonly submit: (connection: pg.Connection) => unknown
  #isTenantSet = false

  constructor({ tenant, timeoutMs, isGivenUp, onSent, ...config }: TenantQueryConfig) {
    super(config)
    this.query_timeout = timeoutMs
    this.#tenant = tenant
    this.submit = (connection) => {
      if (isGivenUp()) return new SilentDatabase()
      onSent()
      return pg.Query.prototype.submit.call(this, connection)
    }
  }

  override prepare(connection: pg.Connection): void {
    if (!prepared.has(connection)) {
      connection.parse({ name: setterName, text: setTenant('$1'), types: [] }, true)
      prepared.add(connection)
    }
    connection.bind({ statement: setterName, values: [this.#tenant] }, true)
    connection.execute(null, true)
    super.prepare(connection)
  }

  // The first row and the first completion belong to the setter.
  override handleDataRow(message: unknown): void {
    if (this.#isTenantSet) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#isTenantSet) super.handleCommandComplete(message, connection)
    this.#isTenantSet = true
  }
}

export interface TenantQueryConfig extends pg.QueryConfig {
  readonly tenant: Tenant
  readonly timeoutMs: number
  /** True when no caller waits for the statement any more: then it must not be sent. */
  readonly isGivenUp: () => boolean
  /** Is called when there is a connection. */
  readonly onSent: () => void
}

/** Makes the query of a tenant. The pool runs it like any other query, and returns a promise. */
export function tenantQuery(config: TenantQueryConfig): pg.QueryConfig {
  return new TenantQuery(config)
}
