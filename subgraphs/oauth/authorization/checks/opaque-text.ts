/**
 * Whether the text can be given back as it came: no control characters, and no mark of what was no
 * UTF-8, because what it stands for is lost.
 */
export function isOpaqueText(text: string, maxLength: number): boolean {
  return text.length <= maxLength && !/[\p{Cc}\ufffd]/u.test(text) && text.isWellFormed()
}
