/** The names that a JSON Pointer leads through. RFC 6901 §4: `~1` first, so that `~01` is `~1`. */
export function pointerParts(pointer: string): readonly string[] {
  const parts = pointer.split('/').slice(1)
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}
