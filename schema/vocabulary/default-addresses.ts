/** Where a gateway is that was configured nothing (docs/contract.md §1): what the committed document says. */
export const defaultAddresses = {
  baseUrls: { live: 'http://127.0.0.1:8080', sandbox: 'http://127.0.0.1:8081' },
  docsUrl: 'http://127.0.0.1:8080/docs',
} as const
