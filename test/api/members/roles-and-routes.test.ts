import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { personRoles, scopesOfRole } from '../../../schema/vocabulary/roles.ts'
import { coversTokenScope } from '../../../schema/vocabulary/scopes.ts'
import { chosen } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { plantPage } from '../../support/oauth/sessions.ts'
import { admitted } from '../../support/requests/admitted.ts'
import { type ApiRow, routeRows } from '../../support/requests/every-row.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

interface ScopedRow extends ApiRow {
  readonly scope: string
}

/** The routes of accounts; those that sign a browser in take no session. */
const rows = routeRows().flatMap((row): ScopedRow[] =>
  row.scope === undefined || row.isOfPage || row.template.startsWith('/oauth/')
    ? []
    : [{ ...row, scope: row.scope }],
)

describe.each(personRoles)('the session of a person as %s (docs/contract.md §11)', (role) => {
  let account: TestAccount
  beforeAll(async () => {
    account = await gateway.createAccount()
  })

  test.each(chosen(role, rows, 30).map((row) => [row.title, row] as const))(
    '%s',
    async (_, { method, path, scope, orScope = scope, hasBody }) => {
      // A session of its own: some routes end the one that calls.
      const page = await plantPage(gateway, account, { role })
      const held = scopesOfRole(role)

      const answer = await admitted(() => page.send(method, path, hasBody ? {} : undefined))

      const may = coversTokenScope(held, scope) || coversTokenScope(held, orScope)
      if (may) return expect([401, 403]).not.toContain(answer.status)
      const message = `The role of this session lacks the scope ${scope}.`
      expectError(gateway, answer, { status: 403, code: 'FORBIDDEN', message })
    },
  )
})
