import type { Filters } from './search.ts'

/** What the filters of a screen ask of the usage log, the summary, the errors and the exports. */
export function askedOf({ service, status, key, customer, app }: Filters) {
  return {
    ...(service ? { service } : {}),
    ...(status ? { status_class: status } : {}),
    ...(key ? { key_id: key } : {}),
    ...(customer ? { external_id: customer } : {}),
    ...(app ? { client_id: app } : {}),
  }
}
