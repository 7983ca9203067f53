/** Byte for byte the same wherever it stands, and without a slash at its end (design, oauth §1.1). */
export function issuerOf(baseUrl: string): string {
  return `${baseUrl}/v1`
}
