import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { isText, requireAll } from '../../shared/graph/checks.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { priceList } from '../prices/price-list.ts'
import { TrackedKeywordEntity } from './tracked-keyword.entity.ts'
import type { TrackedKeyword, TrackKeywordInput } from './tracked-keyword.type.ts'

const keywordsNewestFirst: Statement = {
  name: 'keywords-newest-first',
  text: `SELECT id, keyword, domain, country, device, created_at AS "createdAt"
    FROM account.tracked_keyword
    WHERE account_id = $1 AND environment = $2 AND ($3::text IS NULL OR id < $3)
    ORDER BY id DESC LIMIT $4`,
}

/** The tracked keywords of an account, newest first. */
export function keywordsOf(
  database: Database,
  { accountId, environment }: AccountScope,
): PagedList<TrackedKeyword> {
  return {
    name: 'keywords',
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    read: ({ limit, before }) =>
      database.query(keywordsNewestFirst, [accountId, environment, before, limit]),
  }
}

/** Throws CONFLICT without the add-on, at its limit, or if the keyword is tracked already. */
export async function trackKeyword(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  input: TrackKeywordInput,
): Promise<TrackedKeywordEntity> {
  const owned = { accountId, environment }
  const keyword = input.keyword.trim().replaceAll(/\s+/g, ' ').toLowerCase()
  const domain = input.domain.toLowerCase()
  const country = input.country.toUpperCase()
  requireAll([
    ['keyword', isText(keyword, 100), 'must have 1 to 100 characters'],
    ['domain', isDomain(domain), 'must be a domain name'],
    ['country', isCountry(country), 'must be an ISO 3166-1 alpha-2 code'],
  ])
  const { keyword_limit } = priceList.addons.rank_tracking
  await lockRankTracking(tx, owned)
  if ((await tx.count(TrackedKeywordEntity, owned)) >= keyword_limit) {
    throw new DomainError('CONFLICT', `At most ${keyword_limit} keywords can be tracked.`)
  }
  const id = newId('kw')
  const { device } = input
  const entry = tx.create(TrackedKeywordEntity, { ...owned, id, keyword, domain, country, device })
  try {
    await tx.flush()
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error
    throw new DomainError('CONFLICT', 'This keyword is tracked already.', { cause: error })
  }
  return entry
}

const lockActiveRankTracking: Statement = {
  name: 'rank-tracking-lock',
  text: `SELECT 1 FROM account.addon
    WHERE account_id = $1 AND environment = $2 AND name = 'rank_tracking'
      AND (status = 'active' OR status = 'scheduled_to_cancel' AND current_period_end > now())
    FOR UPDATE`,
}

/** Changes of one account run sequentially, so that the limit holds. */
async function lockRankTracking(tx: Transaction, owner: AccountScope): Promise<void> {
  const inForce = await tx.query(lockActiveRankTracking, [owner.accountId, owner.environment])
  if (inForce.length > 0) return
  throw new DomainError('CONFLICT', 'This account does not have the Rank Tracking add-on.')
}

/** Stops tracking and returns the keyword. Throws NOT_FOUND for another account's keyword too. */
export async function untrackKeyword(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  id: string,
): Promise<TrackedKeywordEntity> {
  const found = await tx.findOne(TrackedKeywordEntity, { id, accountId, environment })
  if (!found || (await tx.nativeDelete(TrackedKeywordEntity, { id })) === 0) {
    throw new DomainError('NOT_FOUND', 'No keyword has this id.')
  }
  return found
}

/** Labels of letters, digits and inner hyphens (RFC 1123), at least two, IDN as punycode. */
function isDomain(domain: string): boolean {
  const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
  const labels = domain.split('.')
  const [top = ''] = labels.slice(-1)
  return (
    domain.length <= 253 &&
    labels.length >= 2 &&
    labels.every((one) => label.test(one)) &&
    /[a-z]/.test(top)
  )
}

const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** Codes of Unicode that ISO 3166-1 does not assign: former, reserved and invented ones. */
const notCountries = new Set(
  (
    'AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH ' +
    'QO RH SU TA TP UK UN VD XA XB XK YD YU ZR ZZ'
  ).split(' '),
)

/** Whether the Unicode data of the runtime know the code as a country or territory. */
function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && !notCountries.has(code) && regionNames.of(code) !== undefined
}
