import type { RequestSchema } from './request-schema.ts'

interface BodyUse {
  readonly isRequired: boolean
  readonly takesNull?: boolean
  readonly isForm?: boolean
}

/** Says what a body is, which members it has, and what it means to send none. */
export function bodyText(
  { properties, required }: RequestSchema,
  { isRequired, takesNull = false, isForm = false }: BodyUse,
): string {
  const names = Object.keys(properties)
  const needed = names.filter((name) => required.includes(name))
  const optional = names.filter((name) => !required.includes(name))
  const whole = [
    isForm ? 'A form' : 'A JSON object',
    needed.length > 0 ? ` with ${listed(needed)}` : '',
    optional.length > 0 ? `, which may have ${listed(optional)}` : '',
  ].join('')
  if (isRequired) return `${whole}.`
  return `${whole}. Without a body${takesNull ? ', or with `null`,' : ''} it is \`{}\`.`
}

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``)
  const others = quoted.slice(0, -1)
  return [others.join(', '), quoted.at(-1)].filter(Boolean).join(' and ')
}
