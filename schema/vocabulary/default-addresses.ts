/**
 * The addresses of a gateway without configuration (docs/contract.md §1); the committed document
 * has these.
 */
export const defaultAddresses = {
  baseUrls: { live: 'http://127.0.0.1:8080', sandbox: 'http://127.0.0.1:8081' },
  docsUrl: 'http://127.0.0.1:8080/docs',
} as const
