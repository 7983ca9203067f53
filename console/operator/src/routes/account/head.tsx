import { Copyable } from '../../../../src/components/copy.tsx'
import { Facts } from '../../../../src/components/facts.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Status } from '../../../../src/components/status.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { tierName } from '../../../../src/format/names.ts'
import { integer } from '../../../../src/format/numbers.ts'
import { AccountState } from '../../components/account-status.tsx'
import { Stats } from '../../components/stats.tsx'
import type { AccountHead } from '../../data/shown.ts'

/** What every part of the account needs: who it is, its state and its credits. */
export function Head({ account }: { readonly account: AccountHead }) {
  const { id, email, status, tier, subscriptionTier, rateLimitRps, createdAt, credits } = account
  return (
    <div className="cards head">
      <Stats
        stats={[
          { name: 'Balance', value: <Credits value={credits.balance} /> },
          { name: 'Held', value: <Credits value={credits.held} /> },
          { name: 'Available', value: <Credits value={credits.available} /> },
          {
            name: 'Spent this month',
            value: <Credits value={account.activity.creditsThisMonth} />,
          },
        ]}
      />
      <Card>
        <div className="card-body">
          <Facts
            facts={[
              ['Status', <AccountState key="status" status={status} />],
              ['Id', <Copyable key="id" text={id} what="account id" />],
              ['Mail address', email],
              ['Tier', `${tierName(tier)}, ${integer(rateLimitRps)} calls a second`],
              ['Subscription', subscriptionTier ? tierName(subscriptionTier) : 'none'],
              [
                'Payments',
                account.isPaymentBlocked && (
                  <Status key="blocked" tone="alert">
                    blocked by a dispute
                  </Status>
                ),
              ],
              ['Last call', lastCall(account.activity.lastCallAt)],
              ['Opened', <Time key="opened" at={createdAt} as="day" />],
            ]}
          />
        </div>
      </Card>
    </div>
  )
}

function lastCall(at: string | null) {
  return at ? <Time key="last" at={at} as="relative" /> : 'never'
}

function Credits({ value }: { readonly value: number }) {
  return <span className="amount">{integer(value)}</span>
}
