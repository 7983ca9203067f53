/** A call that the documentation shows in several languages. Texts may have `$NAME` for a variable of the environment. */
export interface SampleCall {
  readonly method: string
  /** With its query, such as `/v1/account/usage/log?limit=100`. */
  readonly path: string
  /** Beside `Authorization` and `Content-Type`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: SampleBody | null
  /** Whether it is sent without a key. */
  readonly isPublic?: boolean
  /** What the answer is; absent: JSON. */
  readonly answer?: 'text' | 'file'
}

export type SampleBody =
  | { readonly json: unknown }
  /** A form. */
  | { readonly form: Readonly<Record<string, string>> }

export const formType = 'application/x-www-form-urlencoded'

/** The headers of a call, which every language sends. */
export function headersOf({
  headers,
  body,
  isPublic,
}: SampleCall): Readonly<Record<string, string>> {
  return {
    ...(isPublic ? {} : { Authorization: 'Bearer $GATEWAY_API_KEY' }),
    ...headers,
    ...(body !== null && 'json' in body ? { 'Content-Type': 'application/json' } : {}),
  }
}

/** The address of a call. */
export function addressOf({ path }: SampleCall): string {
  return `$GATEWAY_URL${path}`
}

const variable = /\$([A-Z][A-Z_]+)/g

/** A text in pieces: even ones are literal, odd ones are names of variables. */
export function piecesOf(text: string): readonly string[] {
  return text.split(variable)
}
