/** One HTTP answer, read whole. */
export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON, or null without a body. */
  readonly body: unknown
}

interface RequestOptions {
  readonly method: string
  readonly key?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Talks to one listener; a key is sent as bearer. */
export interface TestClient {
  readonly url: string
  get(path: string, key?: string, headers?: Readonly<Record<string, string>>): Promise<TestResponse>
  post(
    path: string,
    body: unknown,
    key?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<TestResponse>
  request(path: string, options: RequestOptions): Promise<TestResponse>
}

export function createClient(url: string): TestClient {
  async function request(path: string, options: RequestOptions): Promise<TestResponse> {
    const { method, key, body, headers } = options
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    const isPdf = response.headers.get('content-type') === 'application/pdf'
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : isPdf ? text : JSON.parse(text),
    }
  }
  return {
    url,
    request,
    get: (path, key, headers) => request(path, { method: 'GET', key, headers }),
    post: (path, body, key, headers) => request(path, { method: 'POST', body, key, headers }),
  }
}
