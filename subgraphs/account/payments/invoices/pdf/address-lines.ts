import type { PostalAddress } from './invoice-document.ts'

/** The city, the state and the postal code, as the post of a country writes them. */
type CityLines = (address: PostalAddress) => readonly string[]

const codeFirst: CityLines = ({ city, state, postalCode }) => [
  words(postalCode, city),
  words(state),
]
const codeAfterCity: CityLines = ({ city, state, postalCode }) => [
  words(city, postalCode),
  words(state),
]
const codeBelow: CityLines = ({ city, state, postalCode }) => [city, words(state), postalCode]
const codeAfterState: CityLines = ({ city, state, postalCode }) => [words(city, state, postalCode)]
const american: CityLines = ({ city, state, postalCode }) => [
  words(state === null ? city : `${city}, ${state}`, postalCode),
]

/** The countries whose post does not write the code before the city (the Universal Postal Union lists them). */
const forms: ReadonlyMap<string, CityLines> = new Map([
  ...formsOf(american, 'US PR GU VI AS MP UM FM MH PW'),
  ...formsOf(codeAfterState, 'CA AU'),
  ...formsOf(codeBelow, 'GB IE GG JE IM GI ZA KE LK'),
  ...formsOf(codeAfterCity, 'NZ IN SG MT SA BH BN BM NP KH LB BD PK'),
])

function formsOf(form: CityLines, countries: string) {
  return countries.split(' ').map((country) => [country, form] as const)
}

function words(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(' ')
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' })

/** The lines of an address in the order of its country, which comes last. */
export function addressLines(address: PostalAddress | null, country: string | null): string[] {
  const cityLines = forms.get(country ?? '') ?? codeFirst
  return [
    ...(address ? [address.line1, address.line2 ?? '', ...cityLines(address)] : []),
    country === null ? '' : `${countryNames.of(country) ?? country} (${country})`,
  ].filter((line) => line !== '')
}
