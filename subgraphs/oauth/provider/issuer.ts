/** Byte for byte the same wherever it stands, and without a slash at its end (docs/oauth-rules.md §1.1). */
export function issuerOf(baseUrl: string): string {
  return `${baseUrl}/v1`
}
