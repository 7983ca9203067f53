import { hasAtMost } from '../../../../schema/vocabulary/characters.ts'

/**
 * Whether the text can be returned as it came: it has no control characters, and no replacement
 * character, which stands for lost bytes that were not UTF-8.
 */
export function isOpaqueText(text: string, maxLength: number): boolean {
  return hasAtMost(text, maxLength) && !/[\p{Cc}\ufffd]/u.test(text) && text.isWellFormed()
}
