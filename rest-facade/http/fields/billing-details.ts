import { z } from 'zod'
import { countryCodes } from '../../../schema/vocabulary/billing/countries.ts'
import { taxIdProblem } from '../../../schema/vocabulary/billing/vat-ids.ts'
import { shown } from '../input.ts'

const maxLength = 200

/** A line of an address label. Controls of the text direction could show another text than was meant. */
function line(minLength: 0 | 1, description: string) {
  return z
    .string(`must be a text of at most ${maxLength} characters`)
    .max(maxLength, `must have at most ${maxLength} characters`)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u, 'must not contain control characters')
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
    .refine((text) => minLength === 0 || text.trim() !== '', 'must not be blank')
    .register(shown, {
      schema: { type: 'string', minLength, maxLength },
      description,
    })
}

const address = z
  .strictObject(
    {
      line1: line(1, 'Street and number, or a post-office box.'),
      line2: line(1, 'The second line of the address.').nullish(),
      city: line(1, 'The city.'),
      postal_code: line(0, 'The postal code; empty for a country that has none.'),
      state: line(1, 'State, province or region.').nullish(),
    },
    'must be an object with line1, city and postal_code',
  )
  .transform(({ postal_code: postalCode, line2 = null, state = null, ...rest }) => ({
    ...rest,
    ...{ line2, postalCode, state },
  }))

const country = z
  .enum(countryCodes, 'must be a country code of ISO 3166 alpha-2, such as DE')
  .register(shown, { description: 'ISO 3166 alpha-2.' })

/** `PUT /v1/billing/details`: every wrong member is named. */
export const billingDetails = z
  .strictObject({
    name: line(1, 'The company or person that invoices are made out to.'),
    address,
    country,
    tax_id: line(
      1,
      'The tax id; in the EU a VAT id of the country. Its check digit is not checked.',
    ).nullish(),
    purchase_order: line(1, 'Printed on invoices, for your bookkeeping.').nullish(),
  })
  .superRefine(
    ({ country, tax_id: taxId }, context) => {
      const problem = taxIdProblem(country, String(taxId))
      if (problem) context.addIssue({ code: 'custom', path: ['tax_id'], message: problem })
    },
    // The tax id is checked although other members have problems.
    { when: ({ value }) => isWithTaxId(value) },
  )

/** The form of a longer text is not looked at: its length is the mistake. */
const withTaxId = z.object({ country, tax_id: z.string().max(maxLength) })

function isWithTaxId(value: unknown): boolean {
  return withTaxId.safeParse(value).success
}
