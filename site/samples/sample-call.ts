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

/** The headers of a call that every language sends, but those of its credential. */
export function headersOf({ headers, body }: SampleCall): Readonly<Record<string, string>> {
  const isJson = body !== null && 'json' in body
  return isJson ? { ...headers, 'Content-Type': 'application/json' } : headers
}

const variable = /\$([A-Z][A-Z_]+)/g

/** A text in pieces: even ones are literal, odd ones are names of variables. */
export function piecesOf(text: string): readonly string[] {
  return text.split(variable)
}
