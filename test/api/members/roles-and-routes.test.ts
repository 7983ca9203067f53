import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { mayCallProducts, personRoles, scopesOfRole } from '../../../schema/vocabulary/roles.ts'
import { coversScope } from '../../../schema/vocabulary/scopes.ts'
import { chosen } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { plantPage } from '../../support/oauth/sessions.ts'
import { admitted } from '../../support/requests/admitted.ts'
import { type ApiRow, productExamples, routeRows } from '../../support/requests/every-row.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

/** The table of docs/roles.md: the roles that permit an operation. */
const documented = new Map(
  [
    ...readFileSync(join(projectRoot, 'docs/roles.md'), 'utf8').matchAll(
      /^\| `([^`]+)` \|(.*)\|$/gm,
    ),
  ].map(([, title = '', cells = '']) => {
    const marks = cells.split('|').map((cell) => cell.trim())
    return [title, personRoles.filter((_, index) => marks[index] === 'yes')] as const
  }),
)

/** The routes that take the session of a person. Signing in and consent are open, and ask who calls themselves. */
const rows = routeRows().filter(({ kind }) => kind === 'account' || kind === 'pdf')

test('docs/roles.md has every route that takes the session of a person', () => {
  expect([...documented.keys()]).toEqual(rows.map(({ title }) => title))
})

/** What an OWNER alone may do is refused once the body was read. */
const bodiesOfOwners: Readonly<Record<string, object>> = {
  'PUT /v1/account/agents': { allow_unverified_apps: false },
  'PUT /v1/account/sign-in': { passkey_only: false },
}

test('a route for OWNERs alone is tested with a body that is right', () => {
  const titles = rows.filter(({ ownerOnly }) => ownerOnly).map(({ title }) => title)
  expect(titles.toSorted()).toEqual(Object.keys(bodiesOfOwners))
})

describe.each(personRoles)('the session of a person as %s (docs/roles.md)', (role) => {
  let account: TestAccount
  beforeAll(async () => {
    account = await gateway.createAccount()
  })

  async function ask({ method, path, hasBody, title }: ApiRow) {
    // A session of its own: some routes end the one that calls.
    const page = await plantPage(gateway, account, { role })
    return admitted(() =>
      page.send(method, path, bodiesOfOwners[title] ?? (hasBody ? {} : undefined)),
    )
  }

  test.each(chosen(role, rows, 30).map((row) => [row.title, row] as const))(
    '%s',
    async (title, row) => {
      const answer = await ask(row)

      if (documented.get(title)?.includes(role)) {
        return expect([401, 403]).not.toContain(answer.status)
      }
      const isCovered = row.ownerOnly && coversScope(scopesOfRole(role), row.scope ?? '')
      const message = isCovered
        ? expect.stringMatching(/^Only an OWNER decides /)
        : `The role of this session lacks the scope ${row.scope}.`
      expectError(gateway, answer, { status: 403, code: 'FORBIDDEN', message })
    },
  )

  test.each(chosen(role, productExamples(), 6).map((row) => [row.title, row] as const))(
    '%s, in live and in the sandbox',
    async (_, { file, method, url, body, operation }) => {
      const scope = operation.scope ?? `${file.slug}:${method === 'GET' ? 'read' : 'write'}`
      for (const environment of ['live', 'sandbox'] as const) {
        const page = await plantPage(gateway, account, { role, environment })

        const answer = await admitted(() => page.send(method, url, body))

        const isCovered = coversScope(scopesOfRole(role), scope)
        if (isCovered && mayCallProducts(role, environment)) {
          expect([401, 403]).not.toContain(answer.status)
        } else {
          const message = isCovered
            ? 'A developer calls products in live with an API key, and in the sandbox by session too.'
            : `The role of this session lacks the scope ${scope}.`
          expectError(gateway, answer, { status: 403, code: 'FORBIDDEN', message })
        }
      }
    },
  )
})
