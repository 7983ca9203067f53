/** Byte for byte the same everywhere, and without a slash at its end (docs/oauth-rules.md §1.1). */
export function issuerOf(baseUrl: string): string {
  return `${baseUrl}/v1`
}
