const controls = String.raw`\x00-\x1f\x7f-\x9f`
const linesAndDirections = String.raw`\u2028\u2029\u202a-\u202e\u2066-\u2069`

/** `plainText` for languages whose patterns have ASCII only. */
export const portablePlainText = `^[^${controls}]*$`

/**
 * Text without characters that make a name look like another name: control characters, line
 * separators, and characters that reverse the direction of writing.
 */
export const plainText = new RegExp(`^[^${controls}${linesAndDirections}]*$`)

/** Runs of the characters that `plainText` excludes. */
export const unplain = new RegExp(`[${controls}${linesAndDirections}]+`, 'g')

/**
 * A character that a person can see: no space, and no character that only formats, such as the tags
 * of plane 14.
 */
export const visible = new RegExp(
  [
    String.raw`[^\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e`,
    String.raw`\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ud800-\udfff]`,
    String.raw`|[\ud800-\udb3f\udb41-\udbff][\udc00-\udfff]`,
  ].join(''),
)
