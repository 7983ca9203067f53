import { request } from 'node:http'
import type { InternalRole } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { TestResponse } from '../requests/client.ts'
import type { TestGateway } from './gateway.ts'

export const operatorBaseUrl = 'https://operators.example.com'
/** The variables of a gateway with a page of operators. */
export const withOperators = { OPERATOR_BASE_URL: operatorBaseUrl }

type Headers = Readonly<Record<string, string>>

interface Asked {
  readonly method?: string
  readonly headers?: Headers
  readonly body?: string
}

type Internal = Pick<TestGateway, 'internal'>

/** Asks the internal listener; fetch would say by itself to which host it goes, and from which site. */
export function askInternal(
  { internal }: Internal,
  path: string,
  { method = 'GET', headers: sent = {}, body }: Asked = {},
): Promise<TestResponse & { readonly text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(internal.url + path, { method, headers: sent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('end', () => {
        const { statusCode: status = 0, headers: all } = response
        const isJson = all['content-type']?.startsWith('application/json')
        const headers = new Headers(
          Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)])),
        )
        const parsed = isJson && text !== '' ? JSON.parse(text) : null
        resolve({ status, headers, body: parsed, text })
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/** The headers that a browser sends for a script of the page. */
export const ofOperatorPage = {
  host: new URL(operatorBaseUrl).host,
  origin: operatorBaseUrl,
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
}

interface AskedOperation {
  readonly cookie?: string
  /** In place of those of the page; an empty one is left out. */
  readonly headers?: Headers
  readonly isBackground?: boolean
}

/** Asks an operation as the page does. */
export function operate(
  gateway: Internal,
  operation: string,
  variables: object = {},
  { cookie, headers = {}, isBackground }: AskedOperation = {},
): Promise<TestResponse> {
  const all = { ...ofOperatorPage, ...(cookie !== undefined && { cookie }), ...headers }
  return askInternal(gateway, '/operator/api', {
    method: 'POST',
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
    body: JSON.stringify({ operation, variables, isBackground }),
  })
}

export interface TestOperator {
  readonly name: string
  readonly role: InternalRole
}

let operators = 0

/** An operator whom no other test knows. */
export function newOperator(role: InternalRole = 'admin'): TestOperator {
  operators += 1
  return { name: `Operator ${operators} ${newId('ops').slice(-8)}`, role }
}

/** The token of a link, as `gateway operator link` makes one. */
export async function plantLink(
  { database }: Pick<TestGateway, 'database'>,
  { name, role }: TestOperator,
): Promise<string> {
  const token = newOAuthSecret('svc', 'olk')
  await database.query(
    `INSERT INTO keys.operator_link (id, token_hash, name, role, expires_at)
     VALUES ($1, $2, $3, $4, now() + interval '15 minutes')`,
    [newId('olk'), sha256(token), name, role],
  )
  return token
}

/** The cookie that an answer sets, as a request sends it; null: it sets none. */
export function operatorCookieOf({ headers }: TestResponse): string | null {
  return headers.get('set-cookie')?.split(';').at(0) ?? null
}

/** Signs an operator in by a link, in a browser without a session; returns the cookie. */
export async function signInOperator(
  gateway: TestGateway,
  operator: TestOperator,
): Promise<string> {
  const token = await plantLink(gateway, operator)
  const answer = await operate(gateway, 'SignIn', { token })
  const cookie = operatorCookieOf(answer)
  if (answer.status !== 200 || cookie === null) throw new Error(`No sign-in: ${answer.status}`)
  return cookie
}
