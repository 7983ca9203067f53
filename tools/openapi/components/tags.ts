import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import type { Json } from './json.ts'

/** The tag of pages, which are for readers and not for programs. */
export const pagesTag = 'Documentation'

/** Tags by the beginning of the path below /v1. The first entry that fits wins. */
const areas = [
  ['/account/keys', 'API keys', 'Keys of the account, and what each of them may do.'],
  ['/account/usage', 'Usage', 'Requests of the account, and their cost.'],
  ['/account/audit', 'Audit', 'Changes and refused attempts, and exports of both.'],
  [
    '/account/sandbox',
    'Sandbox',
    'The key of the sandbox, where nothing costs or changes anything.',
  ],
  ['/account/webhooks', 'Webhooks', 'Where events are sent, and what became of them.'],
  ['/account/addons', 'Subscription and add-ons', 'Subscription, Mass Mail and Rank Tracking.'],
  ['/account/subscription', 'Subscription and add-ons', ''],
  ['/account/billing', 'Billing', 'Credits, packages, recharging, payments and invoices.'],
  ['/account/auto-recharge', 'Billing', ''],
  ['/billing', 'Billing', ''],
  ['/quotes', 'Billing', ''],
  ['/account', 'Account', 'The account that calls, and its balance.'],
  ['/oauth/apps', 'OAuth apps', 'Apps that an account registers, and what it has granted to apps.'],
  ['/oauth/consents', 'OAuth apps', ''],
  ['/oauth', 'OAuth', 'The OAuth 2.0 and OpenID Connect provider.'],
  ['/.well-known', 'OAuth', ''],
  ['/docs', pagesTag, 'Pages for readers, to everybody and for nothing.'],
  ['', 'Gateway', 'The gateway itself: health, readiness and this document.'],
] as const

/** The tag of a route that is no product operation. */
export function tagOf(path: string): string {
  return areas.find(([start]) => path.startsWith(start))?.[1] ?? ''
}

/** Every tag, in the order of the documentation: most readers come for the products. */
export function tagObjects({ services }: Catalog): readonly Json[] {
  return [
    ...services.map(({ name, slug }) => ({
      name,
      description: `The product service below \`/v1/${slug}\`. Its operations cost credits.`,
    })),
    ...areas.flatMap(([, name, description]) =>
      description === '' ? [] : [{ name, description }],
    ),
  ]
}
