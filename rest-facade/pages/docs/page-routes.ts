import type { z } from 'zod'
import { entryPointAnswer } from './entry-point.ts'
import { statusAnswer } from './status.ts'

/** An address of the documentation that is part of the published interface. */
export interface PageRoute {
  readonly operationId: string
  /** The path with placeholders, as in OpenAPI: one of the values of `SiteFile.route`. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly contentTypes: readonly (
    | 'text/html'
    | 'text/markdown'
    | 'text/plain'
    | 'application/json'
  )[]
  /** The JSON of the answer, if the answer is JSON of its own. */
  readonly answer?: { readonly name: string; readonly schema: z.ZodObject }
  /** The redirect to another page, if there is one. */
  readonly redirect?: { readonly status: 302 | 308; readonly description: string }
  /** False if the answer has no entity tag, so that it is sent each time. */
  readonly hasTag?: boolean
  /** Whether the gateway can be run without the page. */
  readonly canBeOff?: boolean
  /** Describes the placeholder. A page with a placeholder can be missing. */
  readonly param?: { readonly name: string; readonly description: string; readonly example: string }
}

/** The addresses in the OpenAPI document. Assets are not part of the interface. */
export const pageRoutes: readonly PageRoute[] = [
  {
    operationId: 'getEntryPoint',
    path: '/',
    summary: 'The addresses of the API and its documentation',
    description:
      'Returns the addresses of the API, the console, the OpenAPI document and the documentation. A client that prefers HTML is sent to the console, or gets a page of links if the console is turned off.',
    contentTypes: ['application/json', 'text/html'],
    answer: { name: 'EntryPoint', schema: entryPointAnswer },
    redirect: { status: 302, description: 'The client prefers HTML: the console.' },
    hasTag: false,
  },
  {
    operationId: 'getStatus',
    path: '/status',
    summary: 'Whether the API and each product work',
    description:
      'Returns whether the API and each product are live or degraded. It is found out once in ten seconds, whoever asks. A client that prefers HTML gets a page.',
    contentTypes: ['application/json', 'text/html'],
    answer: { name: 'Status', schema: statusAnswer },
    hasTag: false,
  },
  {
    operationId: 'openConsole',
    path: '/console',
    summary: 'The console',
    description:
      'Shows a person the account: balance, usage, requests, keys and settings. Each path below it is the same document, which finds its screen by the address. It is not found if the console is turned off or was not built.',
    contentTypes: ['text/html'],
    hasTag: false,
    canBeOff: true,
  },
  {
    operationId: 'openDocs',
    path: '/docs',
    summary: 'Where the documentation begins',
    description: 'Shows the first page of the documentation, which leads to all others.',
    contentTypes: ['text/html'],
  },
  {
    operationId: 'openErrorPage',
    path: '/docs/errors/{code}',
    summary: 'The meaning of an error',
    description:
      'Shows what `documentation_url` and `error_uri` of a failure lead to: why it happens, what to do, and whether to try again. With `.md` behind the code it is Markdown.',
    contentTypes: ['text/html', 'text/markdown'],
    param: { name: 'code', description: 'The code of the error.', example: 'NOT_FOUND' },
    redirect: { status: 308, description: 'Another page says it.' },
  },
  {
    operationId: 'openRateLimitsPage',
    path: '/docs/rate-limits',
    summary: 'How many requests are allowed',
    description: 'Shows the page that `documentation_url` of `RATE_LIMIT_EXCEEDED` leads to.',
    contentTypes: ['text/html'],
  },
  {
    operationId: 'openReference',
    path: '/docs/reference',
    summary: 'The reference of all operations',
    description: 'Shows the document of `/v1/openapi.json`, and lets requests be tried.',
    contentTypes: ['text/html'],
  },
  {
    operationId: 'getPostmanCollection',
    path: '/docs/postman.json',
    summary: 'A collection for Postman',
    description: 'Returns every operation with an example, at the addresses of this gateway.',
    contentTypes: ['application/json'],
  },
  {
    operationId: 'openPage',
    path: '/docs/{page}',
    summary: 'A guide',
    description: 'Shows one page of the documentation. With `.md` behind its name it is Markdown.',
    contentTypes: ['text/html', 'text/markdown'],
    param: { name: 'page', description: 'The name of the page.', example: 'quickstart' },
  },
  {
    operationId: 'listPages',
    path: '/llms.txt',
    summary: 'The pages, for a language model',
    description: 'Lists every page with a sentence about it, and where it is as Markdown.',
    contentTypes: ['text/plain'],
  },
]
