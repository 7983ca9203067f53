import type { ServiceSlug } from './scopes.ts'

/** The name of each product service, as people read it. */
export const serviceNames: Readonly<Record<ServiceSlug, string>> = {
  contacts: 'Contact Finder',
  promote: 'Promote',
  seo: 'SEO',
  markets: 'Markets',
  campaigns: 'Build Campaign',
  cloud: 'Cloud',
  reviews: 'Reviews',
  'who-is-searching': 'Who Is Searching',
}
