/** A secret as somebody may have written it. */
interface Needle {
  readonly form: 'plain' | 'base64' | 'base64url' | 'hex'
  readonly text: string
}

/** The forms to look for; base64 in each of the three ways in which bytes before it shift it. */
function needlesOf(secret: string | Uint8Array): readonly Needle[] {
  const bytes = Buffer.from(secret)
  const encoded = [0, 1, 2].flatMap((shift): Needle[] =>
    (['base64', 'base64url'] as const).map((form) => ({ form, text: coreOf(bytes, shift, form) })),
  )
  const plain: Needle[] = typeof secret === 'string' ? [{ form: 'plain', text: secret }] : []
  return [...plain, ...encoded, { form: 'hex', text: bytes.toString('hex') }]
}

/** The characters that depend on the secret alone, when `shift` bytes stand before it. */
function coreOf(bytes: Buffer, shift: number, form: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString(form)
  const first = Math.ceil((shift * 8) / 6)
  const end = Math.floor(((shift + bytes.length) * 8) / 6)
  return text.slice(first, end)
}

/** In which forms the secret stands in the text. */
export function findForms(text: string, secret: string | Uint8Array): readonly string[] {
  const lowerCase = text.toLowerCase()
  const found = needlesOf(secret).filter((needle) =>
    needle.form === 'hex' ? lowerCase.includes(needle.text) : text.includes(needle.text),
  )
  return [...new Set(found.map(({ form }) => form))]
}
